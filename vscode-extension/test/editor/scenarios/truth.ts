/** The marks follow the disk, the buffers and git while somebody looks. */
import assert from 'node:assert/strict';

import { type Act, scenario } from '../driver/acts.ts';
import { PacketView } from '../driver/packetView.ts';
import type { Stage } from '../driver/stage.ts';
import { until } from '../driver/until.ts';
import { OTHER_BRANCH, type Repository } from '../fixture/repository.ts';
import { activates } from './activation.ts';
import { memories } from './memories.ts';
import { openStage } from './opening.ts';
import { trail } from './trail.ts';

const QUESTION = 'refund_payment';
let repository: Repository;

async function view(stage: Stage): Promise<PacketView> {
  await stage.status(/fresh/i);
  return new PacketView(await stage.window());
}

async function editedOutside(stage: Stage): Promise<void> {
  const packet = await view(stage);
  const window = await stage.window();
  await packet.askByPalette(QUESTION);
  await packet.marked('ledger/refunds.py', 'verified', 5_000);
  // Else the packet takes the new text by itself as soon as that is indexed.
  await window.run('Helix: Pause Indexing');
  await stage.status(/paused/i);
  repository.edit(
    'ledger/refunds.py',
    'amount = payment.cents if cents is None else cents',
    'amount = cents or payment.cents',
  );
  const began = performance.now();
  await packet.marked('ledger/refunds.py', 'needs_refresh', 10_000, /changed/);
  stage.measure('edited outside -> the mark has changed', performance.now() - began);
  await stage.picture('mark-changed');
  await thenAndNow(stage, packet);
}

/** What can be done about a row whose text is another one by now. */
async function thenAndNow(stage: Stage, packet: PacketView): Promise<void> {
  const { page } = await stage.window();
  const row = (await packet.page()).locator('.item.s-needs_refresh', { hasText: 'refunds.py' });
  await row.getByRole('button', { name: 'Then ↔ now' }).click();
  const diff = page.locator('.monaco-diff-editor').first();
  const side = async (name: 'original' | 'modified'): Promise<string> =>
    (await diff.locator(`.editor.${name} .view-lines`).innerText()).replaceAll('\u00a0', ' ');
  await until(
    'the quote stands beside the file',
    async () => {
      const [then, now] = [await side('original'), await side('modified')];
      if (then.includes('if cents is None else cents') && now.includes('cents or payment.cents')) return true;
      throw new Error(`then: ${then}\nnow: ${now}`);
    },
    { withinMs: 15_000 },
  );
  await page.locator('.tab.active', { hasText: 'refunds.py: then ↔ now' }).waitFor();
  await stage.picture('diff');
  await row.getByRole('button', { name: 'Take the new one' }).click();
  // Other places of the file are verified all the time.
  const named = (await packet.page()).locator('.name', { hasText: /^\s*refund_payment\s*$/ });
  const renewed = (await packet.page()).locator('.item.s-verified').filter({ has: named });
  await renewed.waitFor();
  await renewed.focus();
  await renewed.press('ArrowRight');
  const quote = (await packet.page()).locator('.quote', { hasText: 'cents or payment.cents' });
  await quote.first().waitFor();
  assert.equal(await row.count(), 0, 'no row is left to take');
  await (await stage.window()).run('View: Close All Editors');
  await (await stage.window()).run('Helix: Resume Indexing');
}

async function editedBack(stage: Stage): Promise<void> {
  const packet = await view(stage);
  await packet.askByPalette(QUESTION);
  const before = await packet.marked('ledger/refunds.py', 'verified', 10_000);
  repository.edit('ledger/refunds.py', 'from __future__', '# Money moves here.\nfrom __future__');
  const line = Number(/:(\d+)/.exec(before.where)?.[1]);
  await until(
    'the pointer has moved by a line',
    async () =>
      (await packet.rows()).some(
        ({ where, mark }) => where.startsWith(`ledger/refunds.py:${line + 1}`) && mark === 'verified',
      ),
    { withinMs: 10_000 },
  );
}

async function unsaved(stage: Stage): Promise<void> {
  const packet = await view(stage);
  const window = await stage.window();
  await packet.askByPalette(QUESTION);
  const row = await packet.marked('ledger/refunds.py', 'verified', 10_000);
  await window.openFile('ledger/refunds.py', Number(/:(\d+)/.exec(row.where)?.[1]) + 1);
  await window.press('End');
  await window.type(' # in a hurry');
  await packet.marked('ledger/refunds.py', 'stale_risk', 10_000, /unsaved/);
  await stage.picture('mark-unsaved');
  await window.press('Control+z', 'Control+z', 'Control+z');
  await window.run('File: Revert File');
  await packet.marked('ledger/refunds.py', 'verified', 10_000);
}

async function savedContent(stage: Stage): Promise<void> {
  const packet = await view(stage);
  const window = await stage.window();
  await window.openFile('ledger/statement.py', 1);
  await window.press('Control+End');
  await window.type('\ndef overdue_reminder(owner: str) -> str:\nreturn f"Dear {owner}, ');
  await window.press('Control+s');
  await until('it is saved', () => repository.read('ledger/statement.py').includes('overdue_reminder'), {
    withinMs: 5_000,
  });
  const began = performance.now();
  await until(
    'the new function is found',
    async () => {
      const rows = await packet.ask('overdue_reminder');
      return rows.some(({ symbol, mark }) => symbol.includes('overdue_reminder') && mark === 'verified');
    },
    { withinMs: 15_000, everyMs: 200 },
  );
  stage.measure('saved -> found', performance.now() - began);
}

async function switchedBranch(stage: Stage): Promise<void> {
  const packet = await view(stage);
  repository.git('checkout', '-q', '--', '.');
  await packet.askByPalette(QUESTION);
  await packet.marked('ledger/refunds.py', 'verified', 10_000);
  repository.git('switch', '-q', OTHER_BRANCH);
  const began = performance.now();
  await packet.marked('ledger/refunds.py', 'needs_refresh', 15_000);
  stage.measure('branch switched -> the mark has changed', performance.now() - began);
  await stage.status(new RegExp(`fresh.*${OTHER_BRANCH}`, 'is'), 20_000);
  const rows = await packet.ask('drain_captures');
  assert.ok(
    rows.some(({ where, mark }) => where.startsWith('ledger/capture_queue.py') && mark === 'verified'),
    JSON.stringify(rows),
  );
  repository.git('switch', '-q', 'main');
  await stage.status(/fresh.*on main/is, 20_000);
  await until(
    'what only the branch had is gone',
    async () => (await packet.ask('drain_captures')).every(({ where }) => !where.startsWith('ledger/capture_queue.py')),
    { withinMs: 10_000, everyMs: 200 },
  );
}

async function deleted(stage: Stage): Promise<void> {
  const packet = await view(stage);
  await packet.ask('valid signature of a payment');
  await packet.marked('gateway/main.go', 'verified', 10_000);
  repository.remove('gateway/main.go');
  const began = performance.now();
  await packet.marked('gateway/main.go', 'needs_refresh', 10_000, /gone/);
  stage.measure('deleted -> the mark has changed', performance.now() - began);
  await until(
    'a new packet does not point there',
    async () =>
      (await packet.ask('valid signature')).every(
        ({ where, mark }) => !where.startsWith('gateway/main.go') || mark === 'needs_refresh',
      ),
    { withinMs: 10_000, everyMs: 200 },
  );
}

export const truth: Act = {
  name: 'what is true now',
  open: async (run) => {
    const opened = await openStage(run, 'truth');
    ({ repository } = opened);
    return opened.stage;
  },
  scenarios: [
    scenario(
      'an edit outside changes the mark; the row shows then and now, and takes the new text',
      editedOutside,
      90_000,
    ),
    scenario('lines that moved are followed', editedBack),
    scenario('an unsaved edit is marked, and verified again when it is undone', unsaved),
    scenario('what was just saved is found', savedContent),
    scenario('a branch switch changes the marks, and back', switchedBranch),
    scenario('a deleted file is marked as gone', deleted),
    ...memories,
    ...trail,
    activates,
  ],
};
