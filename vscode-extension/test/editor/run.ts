/**
 * Drives Helix in a real VS Code and says what held: `node24 run.ts [--vsix FILE] [WORD ...]`.
 *
 * Words choose the scenarios whose title contains one of them. Pictures, the measures and, for what failed, the logs go
 * to artifacts/. Nothing is tried a second time. The last line counts; the exit status is 0 only when nothing failed.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { type Browser, chromium as engine } from 'playwright-core';

import { type Outcome, playAct } from './driver/acts.ts';
import { artifacts, chromium, vsix } from './driver/installation.ts';
import { NetworkWatch } from './driver/network.ts';
import { MARK, endLeftovers } from './driver/processes.ts';
import type { Run } from './driver/stage.ts';
import { acts } from './scenarios/index.ts';

/** No scenario begins later than this. */
const LIMIT_MS = 60 * 60_000;
const BROWSER_FLAGS = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
BROWSER_FLAGS.push('--disable-component-update', '--disable-sync', '--no-sandbox'); // the sandbox needs what containers lack

async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({ options: { vsix: { type: 'string' } }, allowPositionals: true });
  const began = performance.now();
  fs.rmSync(artifacts, { recursive: true, force: true });
  fs.mkdirSync(artifacts, { recursive: true });
  const mark = randomUUID();
  process.env[MARK] = mark;
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hx-'));
  for (const end of ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException'] as const) {
    process.once(end, (why: unknown) => void abandon(mark, scratch, why));
  }
  const outcomes: Outcome[] = [];
  const run: Run = {
    browser: await browser(),
    mark,
    vsix: path.resolve(values.vsix ?? vsix()),
    scratch,
    measures: {},
    pictures: [],
    noted: [],
  };
  const network = new NetworkWatch(mark);
  const chosen = (title: string): boolean =>
    positionals.length === 0 || positionals.some((word) => title.includes(word));
  try {
    for (const act of acts) {
      outcomes.push(...(await playAct(act, run, chosen, began + LIMIT_MS)));
    }
    outcomes.push(connections(network));
  } finally {
    await run.browser.close();
    for (const { pid, command } of await endLeftovers(mark)) console.log(`ended ${pid} ${command.slice(0, 120)}`);
    fs.rmSync(scratch, { recursive: true, force: true });
    report(run, outcomes, performance.now() - began);
  }
  return outcomes.length > 0 && outcomes.every(({ outcome }) => outcome !== 'failed');
}

/** Somebody ends the run: nothing it started goes on. */
async function abandon(mark: string, scratch: string, why: unknown): Promise<void> {
  await endLeftovers(mark);
  fs.rmSync(scratch, { recursive: true, force: true });
  fs.writeSync(process.stderr.fd, `stopped by ${String(why)}; nothing was left running\n`);
  process.exit(1);
}

function browser(): Promise<Browser> {
  return engine.launch({ executablePath: chromium(), args: BROWSER_FLAGS, chromiumSandbox: false });
}

function connections(network: NetworkWatch): Outcome {
  const { seen, looks } = network.stop();
  const base = {
    act: 'the whole run',
    title: `no process of Helix talked beyond this machine (${looks} looks)`,
    ms: 0,
  };
  console.log(`${seen.length === 0 ? 'ok  ' : 'FAIL'}  ${base.title}`);
  return seen.length === 0 ? { ...base, outcome: 'passed' } : { ...base, outcome: 'failed', error: seen.join('\n') };
}

function report(run: Run, outcomes: Outcome[], ms: number): void {
  const { measures, pictures } = run;
  const result = { schema: 'helix.editor-test/1', ms: Math.round(ms), outcomes, measures, pictures };
  fs.writeFileSync(path.join(artifacts, 'result.json'), `${JSON.stringify(result, undefined, 2)}\n`);
  for (const [name, value] of Object.entries(measures)) console.log(`      ${name}: ${value} ms`);
  const count = (wanted: Outcome['outcome']): number => outcomes.filter(({ outcome }) => outcome === wanted).length;
  const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`;
  console.log(`${count('passed')} passed, ${count('failed')} failed${skipped}`);
}

process.exitCode = (await main()) ? 0 : 1;
