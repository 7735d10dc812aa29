/**
 * Runs inside VS Code's extension host, where the whole API is at hand; the editor calls `run` and takes its end as ours.
 *
 * Every test prints one line of JSON, which the driver reads from the window's console.
 */
import { chatTests } from './chat';
import { commandTests } from './commands';
import { languageTests } from './language';
import { networkTests, noteConnections } from './network';
import { recoveryTests } from './recovery';
import { within } from '../driver/until';
import type { HostTest } from './test';

const LIMIT_MS = 45_000;

export async function run(): Promise<void> {
  let failed = 0;
  noteConnections();
  for (const test of [...commandTests, ...languageTests, ...chatTests, ...recoveryTests, ...networkTests]) {
    const began = performance.now();
    const error = await outcome(test);
    if (error !== undefined) failed += 1;
    console.log(JSON.stringify({ helixTest: test.title, ms: Math.round(performance.now() - began), error }));
  }
  if (failed > 0) throw new Error(`${String(failed)} tests failed`);
}

/** What went wrong, or undefined. */
async function outcome(test: HostTest): Promise<string | undefined> {
  try {
    await within(test.title, LIMIT_MS, Promise.resolve(test.play()));
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
