/** Several windows, several folders. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { type Act, scenario } from '../driver/acts.ts';
import { PacketView } from '../driver/packetView.ts';
import type { Stage } from '../driver/stage.ts';
import { until } from '../driver/until.ts';
import { Repository } from '../fixture/repository.ts';
import { activates } from './activation.ts';
import { openStage } from './opening.ts';

let repository: Repository;

async function twoWindows(stage: Stage): Promise<void> {
  const first = await stage.window();
  await stage.status(/fresh/i);
  const second = await stage.anotherWindow(stage.target, { beside: first });
  await stage.status(/fresh/i, 30_000, second);
  assert.equal(stage.processes('shim').length, 2);
  // Who lost the election leaves.
  await until('both share one daemon', () => stage.processes('daemon').length === 1, { withinMs: 10_000 });
  const view = new PacketView(first);
  const views = [view, new PacketView(second)];
  for (const each of views) await each.askByPalette('refund_payment');
  for (const each of views) await each.marked('ledger/refunds.py', 'verified', 10_000);
  repository.edit('ledger/refunds.py', 'account.post(amount)', 'account.post(+amount)');
  for (const each of views) await each.tellsOfChange('ledger/refunds.py', 10_000);
  await second.close();
  await until('one shim is left', () => stage.processes('shim').length === 1, { withinMs: 10_000 });
  assert.ok((await view.ask('capture_payment')).length > 0, 'the first window is as it was');
}

async function severalFolders(stage: Stage): Promise<void> {
  await stage.forget();
  const archive = Repository.make(path.join(path.dirname(repository.folder), 'archive'));
  archive.edit(
    'ledger/refunds.py',
    'def is_refundable',
    'def archived_refund() -> None:\n    """Kept."""\n\n\ndef is_refundable',
  );
  const file = path.join(path.dirname(repository.folder), 'both.code-workspace');
  const folders = (paths: string[]): string => JSON.stringify({ folders: paths.map((name) => ({ path: name })) });
  fs.writeFileSync(file, folders(['ledger', 'archive']));
  const window = await stage.anotherWindow(file);
  // Now and then the editor opens the file as a workspace without folders; it reads it when it is loaded again.
  let wasEmpty = false;
  const hasFolders = async (): Promise<boolean> => {
    const isEmpty = (await window.page.getByText('No Folder Opened').count()) > 0;
    if (isEmpty && wasEmpty) await window.page.reload();
    wasEmpty = isEmpty && !wasEmpty;
    return !isEmpty && (await window.page.locator('.explorer-folders-view .monaco-list-row').count()) > 0;
  };
  await until('the editor shows the folders', hasFolders, { withinMs: 40_000, everyMs: 3_000 });
  await stage.status(/(?=.*ledger: fresh)(?=.*archive: fresh)/is, 30_000, window);
  const view = new PacketView(window);
  await view.askByPalette('archived_refund');
  const page = await view.page();
  await page.locator('select[aria-label="Workspace folder"]').selectOption({ label: 'archive' });
  const rows = await view.ask('archived_refund kept');
  assert.ok(
    rows.some(({ symbol, mark }) => symbol.includes('archived_refund') && mark === 'verified'),
    JSON.stringify(rows),
  );
  await stage.picture('two-folders', window);
  fs.writeFileSync(file, folders(['ledger']));
  await until('the removed folder is not told of any more', async () => !(await window.status()).includes('archive'), {
    withinMs: 10_000,
  });
  await stage.status(/ledger: fresh/i, 15_000, window);
}

export const windows: Act = {
  name: 'several windows and folders',
  open: async (run) => {
    const opened = await openStage(run, 'windows');
    ({ repository } = opened);
    return opened.stage;
  },
  scenarios: [
    activates,
    scenario('two windows on one folder share a daemon and both see a change', twoWindows, 90_000),
    scenario('two folders in one window, one of them removed live', severalFolders, 90_000),
  ],
};
