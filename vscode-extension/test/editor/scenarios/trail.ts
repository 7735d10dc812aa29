/** “Where Was I?”: off until somebody agrees, then the places opened last with their marks, opened again, forgotten. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { scenario } from '../driver/acts.ts';
import type { Stage } from '../driver/stage.ts';
import { limit, until } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';

const PAYMENTS = 'ledger/payments.py';
const REFUNDS = 'ledger/refunds.py';
const COMMAND = 'Helix: Where Was I?';
const CARET = 9;

const list = (window: EditorWindow) => window.page.locator('.quick-input-list .monaco-list-row');

/** The rows of the open list, once they are as wanted; the list asks again by itself. */
async function listed(window: EditorWindow, wanted: (rows: string[]) => boolean, reopens = false): Promise<string[]> {
  return until(
    'the list shows the places',
    async () => {
      const texts = (await list(window).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
      if (wanted(texts)) return texts;
      if (reopens) {
        await window.press('Escape');
        await window.run(COMMAND);
      }
      throw new Error(JSON.stringify(texts));
    },
    { withinMs: 30_000, everyMs: 500 },
  );
}

async function agreed(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  await window.run(COMMAND);
  const toast = window.page.locator('.notifications-toasts .notification-list-item', { hasText: 'once it records' });
  await toast.waitFor();
  assert.match(await toast.innerText(), /on this machine only, never their text/);
  await stage.picture('trail-consent');
  await toast.getByText('Turn On Recording').click();
  const settings = path.join(stage.server.root, 'data', 'User', 'settings.json');
  await until(
    'the visible setting is on',
    () => fs.readFileSync(settings, 'utf8').includes('"helix.trail.record": true'),
    { withinMs: 15_000 },
  );
  await window.run(COMMAND);
  await listed(
    window,
    (texts) => texts.some((text) => text.includes('No place was opened since recording began')),
    true,
  );
  await window.press('Escape');
}

async function wasThere(stage: Stage): Promise<void> {
  const window = await stage.window();
  await window.run('View: Close All Editors');
  await window.openFile(REFUNDS, CARET);
  await window.openFile(PAYMENTS);
  await window.run(COMMAND);
  const rows = await listed(
    window,
    (texts) => /^(Opened last )?✓ payments\.py/.test(texts[0] ?? '') && (texts[1] ?? '').startsWith('✓ refunds.py'),
    true,
  );
  assert.match(rows[1] ?? '', /ledger\/refunds\.py · just now/);
  await stage.picture('trail');
  const file = path.join(stage.target, REFUNDS);
  const before = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, before.replace('def refund_payment', 'def repay_payment'));
  const began = performance.now();
  await listed(window, (texts) => texts.some((text) => /^! refunds\.py.*Changed on disk/.test(text)));
  stage.measure('file edited -> the mark in the open list has changed', performance.now() - began);
  fs.writeFileSync(file, before);
  await listed(window, (texts) => texts.some((text) => text.startsWith('✓ refunds.py')));
  await window.press('ArrowDown', 'Enter');
  await window.page.locator('.tab.active[data-resource-name="refunds.py"]').waitFor({ timeout: limit(10_000) });
  await until('the caret is where it was', async () => (await window.cursorLine()) === CARET, { withinMs: 10_000 });
}

async function saidOnOpening(stage: Stage): Promise<void> {
  await stage.forget();
  const window = await stage.window();
  const toast = window.page.locator('.notifications-toasts .notification-list-item', { hasText: 'you were last at' });
  await toast.waitFor({ timeout: limit(60_000) });
  assert.match(await toast.innerText(), /ledger\/(refunds|payments)\.py/);
  const isFocused = await toast.evaluate((item) => item.contains(item.ownerDocument.activeElement));
  assert.equal(isFocused, false, 'what is typed goes where it went');
  assert.equal(await list(window).count(), 0, 'no list is open');
  await stage.picture('trail-on-opening');
  await toast.getByText('Show Places').click();
  await listed(window, (texts) => texts.some((text) => text.includes('refunds.py')));
  await window.press('Escape');
}

async function forgotten(stage: Stage): Promise<void> {
  const window = await stage.window();
  await window.run('Helix: Forget Trail');
  const dialog = window.page.locator('.monaco-dialog-box', { hasText: 'Forget the trail of this workspace?' });
  await dialog.waitFor();
  await dialog.getByText('Forget', { exact: true }).click();
  const toast = window.page.locator('.notifications-toasts .notification-list-item', { hasText: 'trail was removed' });
  await toast.waitFor();
  await window.run('Notifications: Clear All Notifications');
  await window.run(COMMAND);
  await listed(window, (texts) => texts.some((text) => text.includes('No place was opened since recording began')));
  await window.press('Escape');
}

export const trail = [
  scenario('a trail begins when somebody agrees, with a setting that is seen', agreed, 90_000),
  scenario('the trail lists where one was, follows the disk, and leads back to the caret', wasThere, 120_000),
  scenario('a folder that is opened again says where one was, and takes no focus', saidOnOpening, 120_000),
  scenario('a trail that is forgotten is gone', forgotten),
];
