/** Processes that die, windows that close: what recovers, and what is left. */
import assert from 'node:assert/strict';

import { type Act, scenario } from '../driver/acts.ts';
import { PacketView } from '../driver/packetView.ts';
import type { Part } from '../driver/processes.ts';
import type { Stage } from '../driver/stage.ts';
import { pause, until } from '../driver/until.ts';
import { activates } from './activation.ts';
import { openStage } from './opening.ts';

async function kill(stage: Stage, part: Part): Promise<number> {
  const found = await until(`a ${part} runs`, () => stage.processes(part)[0], { withinMs: 15_000 });
  process.kill(found.pid, 'SIGKILL');
  return found.pid;
}

/** Helix works for the user: the item says fresh and a question is answered by marks. */
async function works(stage: Stage, question: string): Promise<void> {
  await stage.status(/fresh/i);
  const rows = await new PacketView(await stage.window()).askByPalette(question);
  assert.ok(rows.length > 0);
}

async function recovers(stage: Stage, part: Part): Promise<void> {
  await works(stage, 'refund_payment');
  const view = new PacketView(await stage.window());
  const pid = await kill(stage, part);
  const began = performance.now();
  const question = 'is_refundable';
  const rows = await view.ask(question);
  stage.measure(`${part} killed -> a question is answered`, performance.now() - began);
  assert.ok(
    rows.some(({ where }) => where.startsWith('ledger/refunds.py')),
    JSON.stringify(rows),
  );
  await stage.status(/fresh/i, 10_000);
  assert.ok(stage.processes().every((process) => process.pid !== pid));
  assert.deepEqual(await (await stage.window()).notifications(), [], 'nobody was bothered');
}

async function fiveCrashes(stage: Stage): Promise<void> {
  await stage.status(/fresh/i);
  const window = await stage.window();
  // Fewer than five are needed where this window has seen a crash before.
  for (let crash = 1; crash <= 5; crash++) {
    const before = await kill(stage, 'shim');
    const restarted = (): boolean => stage.processes('shim').some(({ pid }) => pid !== before);
    const gaveUp = async (): Promise<boolean> => /error/i.test(await window.status());
    await until('another server runs, or none will', async () => restarted() || gaveUp(), { withinMs: 15_000 });
    if (await gaveUp()) break;
    // A server that answered: on a slow machine it would else be killed while it starts.
    await stage.status(/fresh|error/i);
  }
  await stage.status(/error/i, 15_000);
  const [notice] = await until(
    'the user is told',
    async () => {
      const shown = await window.notifications();
      return shown.length > 0 ? shown : undefined;
    },
    { withinMs: 5_000 },
  );
  assert.deepEqual(notice?.buttons, ['Restart', 'Show Logs']);
  await stage.picture('error-state');
  await pause(1_500);
  assert.deepEqual(stage.processes('shim'), [], 'it stays down');
  await window.statusItem().click();
  await stage.status(/fresh/i, 20_000);
  await works(stage, 'capture_payment');
}

async function closed(stage: Stage): Promise<void> {
  await stage.status(/fresh/i);
  assert.ok(stage.processes().length >= 2, 'a shim and a daemon');
  await stage.forget();
  const began = performance.now();
  await until('the shim is gone', () => stage.processes('shim').length === 0, { withinMs: 10_000 });
  stage.measure('window closed -> shim gone', performance.now() - began);
  await until('no Python of Helix is left', () => stage.processes().length === 0, { withinMs: 15_000 });
  stage.measure('window closed -> daemon gone (5 s idle)', performance.now() - began);
}

export const recovery: Act = {
  name: 'what recovers',
  open: async (run) => (await openStage(run, 'recovery')).stage,
  scenarios: [
    scenario('the shim killed: recovered', (stage) => recovers(stage, 'shim')),
    scenario('the daemon killed: recovered', (stage) => recovers(stage, 'daemon')),
    scenario('five crashes end in an error with a working restart', fiveCrashes),
    activates,
    scenario('a closed window leaves no Python behind', closed),
  ],
};
