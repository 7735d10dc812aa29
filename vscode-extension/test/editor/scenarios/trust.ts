/** A folder nobody trusts yet. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { type Act, scenario } from '../driver/acts.ts';
import { PacketView } from '../driver/packetView.ts';
import type { Stage } from '../driver/stage.ts';
import { until } from '../driver/until.ts';
import type { Repository } from '../fixture/repository.ts';
import { activates } from './activation.ts';
import { openStage } from './opening.ts';

let repository: Repository;
let trap: string;

/** The folder names an interpreter of its own, which leaves a file behind when it is started. */
function setTrap(): void {
  trap = path.join(path.dirname(repository.folder), 'started');
  const program = `#!/bin/sh\ntouch '${trap}'\nexit 1\n`;
  repository.write('tools/python', program);
  fs.chmodSync(repository.path('tools/python'), 0o755);
  repository.write('.vscode/settings.json', JSON.stringify({ 'helix.interpreter': repository.path('tools/python') }));
}

async function restricted(stage: Stage): Promise<void> {
  const window = await stage.window();
  await window.page.getByText('Restricted Mode').first().waitFor();
  const text = await stage.status(/fresh/i, 40_000);
  assert.match(text, /restricted/i);
  const rows = await new PacketView(window).askByPalette('refund a payment');
  assert.ok(rows.some(({ mark }) => mark === 'verified'));
  assert.ok(!fs.existsSync(trap), 'the interpreter the folder names was started');
  await stage.picture('restricted-mode');
}

async function granted(stage: Stage): Promise<void> {
  const window = await stage.window();
  const [before] = stage.processes('shim');
  fs.rmSync(repository.path('.vscode'), { recursive: true });
  await window.run('Workspaces: Manage Workspace Trust');
  await window.page.locator('.workspace-trust-editor').getByText('Trust', { exact: true }).first().click();
  await window.press('Escape');
  await window.page.locator('.part.banner').waitFor({ state: 'hidden' });
  const text = await until(
    'the status item is not restricted any more',
    async () => {
      const shown = await window.status();
      return /fresh/i.test(shown) && !/restricted/i.test(shown) ? shown : undefined;
    },
    { withinMs: 20_000 },
  );
  assert.match(text, /ledger/);
  assert.ok(before !== undefined && !window.page.isClosed());
}

export const trust: Act = {
  name: 'Restricted Mode',
  open: async (run) => {
    const opened = await openStage(run, 'trust', { askForTrust: true });
    ({ repository } = opened);
    setTrap();
    return opened.stage;
  },
  scenarios: [
    scenario('Helix answers without starting the interpreter the folder names', restricted),
    scenario('trust granted takes effect without a reload', granted),
    activates,
  ],
};
