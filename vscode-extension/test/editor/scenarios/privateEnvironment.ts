/** A machine with VS Code and Python and nothing else: Helix makes its own environment from what the package carries. */
import assert from 'node:assert/strict';

import { type Act, scenario } from '../driver/acts.ts';
import { PacketView } from '../driver/packetView.ts';
import type { Stage } from '../driver/stage.ts';
import { until } from '../driver/until.ts';
import { openStage } from './opening.ts';

async function setUp(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/set up/i, 30_000);
  const [notice] = await until(
    'the user is asked',
    async () => {
      const shown = await window.notifications();
      return shown.length > 0 ? shown : undefined;
    },
    { withinMs: 10_000 },
  );
  assert.deepEqual(notice?.buttons, ['Set Up', 'Choose Interpreter']);
  await stage.picture('set-up');
  const began = performance.now();
  await window.page.locator('.notifications-toasts .monaco-button', { hasText: 'Set Up' }).first().click();
  await stage.status(/setting up/i, 10_000);
  await stage.picture('setting-up');
  await stage.status(/fresh/i, 280_000);
  stage.measure('private environment made and first index fresh', performance.now() - began);
  const rows = await new PacketView(window).askByPalette('refund a payment');
  assert.ok(rows.some(({ mark }) => mark === 'verified'));
  assert.ok(
    stage.processes('shim').every(({ command }) => /globalStorage.*\/env-/.test(command)),
    JSON.stringify(stage.processes()),
  );
}

async function startsAgain(stage: Stage): Promise<void> {
  await stage.forget();
  const began = performance.now();
  await stage.status(/fresh/i, 30_000);
  stage.measure('next window -> fresh, private environment', performance.now() - began);
  assert.deepEqual(await (await stage.window()).notifications(), []);
}

export const privateEnvironment: Act = {
  name: 'its own Python environment',
  open: async (run) => (await openStage(run, 'private', { settings: {} })).stage,
  scenarios: [
    scenario('made from the package with consent, and Helix runs in it', setUp, 300_000),
    scenario('the next window uses it at once', startsAgain),
  ],
};
