/** What is remembered stands in a tree with the mark of its cited lines, is found by words, and is forgotten and back. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { scenario } from '../driver/acts.ts';
import { PacketView } from '../driver/packetView.ts';
import type { Stage } from '../driver/stage.ts';
import { act, rows } from '../driver/tree.ts';
import { limit, until } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';
import { carried } from './carried.ts';

const CITED = 'ledger/payments.py';
const TEXT = 'We decided that a capture is posted once, because the bank counts retries';
const marked =
  (mark: string) =>
  (texts: string[]): boolean =>
    texts.some((text) => text.startsWith(`${mark} ${TEXT}`));
const isGone = (texts: string[]): boolean => !texts.some((text) => text.includes(TEXT));

async function box(window: EditorWindow, expected: string): Promise<void> {
  const quickInput = window.page.locator('.quick-input-widget');
  await until(
    `the box says ${expected}`,
    async () => {
      const text = (await quickInput.innerText()).replaceAll(/\s+/g, ' ');
      if (text.includes(expected)) return true;
      throw new Error(text);
    },
    { withinMs: 15_000 },
  );
}

/** Selects three lines and asks to remember them; `run` would press Escape first, which ends a selection. */
async function rememberLines(window: EditorWindow, first: number): Promise<void> {
  const asks = async (): Promise<boolean> => {
    await window.openFile(CITED, first);
    await window.press('Home', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowDown', 'F1');
    await window.page
      .locator('.quick-input-widget input')
      .first()
      .fill('>Helix: Remember Selection', { timeout: limit(2_000) });
    const row = window.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Helix: Remember Selection' });
    await row.first().click({ timeout: limit(2_000) });
    return true;
  };
  await until('the selection is to be remembered', asks, { withinMs: 30_000 });
  await box(window, `It will cite ${CITED}:${first}-${first + 2}`);
}

async function remembered(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  await window.run('Helix: Focus on Memory View');
  await window.page.getByText('What you or your agents asked Helix to remember').waitFor();
  const first = fs.readFileSync(path.join(stage.target, CITED), 'utf8').split('\n').indexOf('class Payment:') + 1;
  assert.ok(first > 0, 'the fixture has the class');
  await rememberLines(window, first);
  await window.answer('ok thanks', 'One statement');
  await box(window, 'this is not remembered: it is an acknowledgment');
  await window.answer(TEXT, 'Remember Selection');
  await box(window, 'What Kind of Memory Is It?');
  await window.press('Enter');
  const shown = await rows(stage, marked('✓'));
  assert.ok(
    shown.some((text) => text.includes(`${CITED}:${first}–${first + 2}`)),
    JSON.stringify(shown),
  );
  assert.ok(shown.includes('Decisions 1') || shown.includes('Decisions1'), JSON.stringify(shown));
  await stage.picture('memory-tree');
}

async function followsTheCode(stage: Stage): Promise<void> {
  const window = await stage.window();
  await window.run('Helix: Focus on Memory View');
  const file = path.join(stage.target, CITED);
  const before = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, before.replace('class Payment:', 'class BankPayment:\n    retries: int'));
  const began = performance.now();
  await rows(stage, (texts) => marked('!')(texts) && texts.some((text) => text.startsWith('To review')));
  stage.measure('cited lines edited -> the mark of the memory has changed', performance.now() - began);
  await stage.picture('memory-stale');
  fs.writeFileSync(file, before);
  await rows(stage, marked('✓'));
  await window.page.locator('.tree-explorer-viewlet-tree-view .monaco-list-row', { hasText: TEXT }).first().click();
  await window.page.locator('.tab.active[data-resource-name="payments.py"]').waitFor();
}

/** Confirms with the lines that the editor shows as selected. */
async function confirm(stage: Stage): Promise<void> {
  const { page } = await stage.window();
  const row = page.locator('.tree-explorer-viewlet-tree-view .monaco-list-row', { hasText: TEXT }).last();
  const toast = page.locator('.notifications-toasts .notification-list-item', { hasText: 'which changed' });
  const asked = async (): Promise<boolean> => {
    if ((await toast.count()) > 0) return true;
    await row.hover({ timeout: limit(2_000) });
    await row.locator('.action-label[aria-label^="Confirm This Memory"]').click({ timeout: limit(2_000) });
    await toast.waitFor({ timeout: limit(5_000) });
    return true;
  };
  await until('the changed lines are asked about', asked, { withinMs: 30_000 });
  await toast.getByText('Cite the Selection').click();
  await rows(stage, (texts) => marked('✓')(texts) && !texts.some((text) => text.startsWith('To review')));
}

async function confirmed(stage: Stage): Promise<void> {
  await (await stage.window()).run('Helix: Focus on Memory View');
  const file = path.join(stage.target, CITED);
  const before = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, before.replace('class Payment:', 'class BankPayment:\n    retries: int'));
  await rows(stage, marked('!'));
  await confirm(stage);
  fs.writeFileSync(file, before);
  await rows(stage, marked('!'));
  await confirm(stage);
}

/** The light bulb where cited lines changed leads to the same question as the row of the tree. */
async function fixed(stage: Stage): Promise<void> {
  const window = await stage.window();
  await window.run('Helix: Focus on Memory View');
  const file = path.join(stage.target, CITED);
  const before = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, before.replace('class Payment:', 'class BankPayment:\n    retries: int'));
  await rows(stage, marked('!'));
  const first = before.split('\n').indexOf('class Payment:') + 1;
  const fix = window.page.locator('.action-widget .monaco-list-row', { hasText: 'The memory is still so' });
  const offered = async (): Promise<boolean> => {
    await window.openFile(CITED, first);
    await window.page
      .locator('.squiggly-warning, .squiggly-info')
      .first()
      .waitFor({ timeout: limit(5_000) });
    await window.press('Control+.');
    await fix.waitFor({ timeout: limit(3_000) });
    return true;
  };
  await until('the light bulb offers to confirm the memory', offered, { withinMs: 40_000 });
  await stage.picture('memory-quick-fix');
  await fix.click();
  const toast = window.page.locator('.notifications-toasts .notification-list-item', { hasText: 'which changed' });
  await toast.getByText('Cite the Selection').click();
  await rows(stage, (texts) => marked('✓')(texts) && !texts.some((text) => text.startsWith('To review')));
  await until('nothing is underlined', async () => (await window.page.locator('.squiggly-warning').count()) === 0, {
    withinMs: 10_000,
  });
  fs.writeFileSync(file, before);
  await rows(stage, marked('!'));
  await confirm(stage);
}

async function found(stage: Stage): Promise<void> {
  const window = await stage.window();
  await window.run('Helix: Search Memory');
  const input = window.page.locator('.quick-input-widget input').first();
  await input.fill('how often is a capture posted?');
  await box(window, `✓ ${TEXT}`);
  await input.fill('zebra stripes on mars');
  await box(window, 'Nothing here answers that');
  await stage.picture('memory-search');
  await window.press('Escape');
}

async function inThePacket(stage: Stage): Promise<void> {
  const view = new PacketView(await stage.window());
  await view.askByPalette('how often is a capture posted?');
  const memory = (await view.page()).locator('.memory.s-verified');
  await memory.waitFor({ timeout: limit(10_000) });
  assert.match((await memory.innerText()).replaceAll(/\s+/g, ' '), /a capture is posted once.* decision, by user; /);
  await stage.picture('memory-packet');
  await memory.locator('button.place').first().click();
  await (await stage.window()).page.locator('.tab.active[data-resource-name="payments.py"]').waitFor();
}

async function believed(stage: Stage): Promise<void> {
  const { page } = await stage.window();
  const row = page.locator('.tree-explorer-viewlet-tree-view .monaco-list-row', { hasText: TEXT }).first();
  const shown = async (): Promise<boolean> => {
    await page.mouse.move(700, 5);
    await row.hover({ timeout: limit(2_000) });
    const hover = page.locator('.monaco-hover:not(.hidden), .workbench-hover').filter({ hasText: 'Who said it' });
    await hover.first().waitFor({ timeout: limit(3_000) });
    const text = (await hover.first().innerText()).replaceAll(/\s+/g, ' ');
    assert.match(text, /✓ Verified.*Cites.*payments\.py.*Replaced.*remembered just now by user/);
    return true;
  };
  await until('the tooltip says why it is believed', shown, { withinMs: 30_000 });
  await stage.picture('memory-why');
  await (await stage.window()).leave();
}

async function forgotten(stage: Stage): Promise<void> {
  const window = await stage.window();
  const toast = window.page.locator('.notifications-toasts .notification-list-item', { hasText: 'Forgotten' });
  await act(stage, TEXT, 'Forget This Memory', isGone);
  await toast.getByText('Undo').click();
  await rows(stage, marked('✓'));
  await act(stage, TEXT, 'Forget This Memory', isGone);
  await toast.waitFor();
  await window.run('Notifications: Clear All Notifications');
}

export const memories = [
  scenario('a memory of a selection stands in the tree with its mark', remembered, 90_000),
  scenario('a memory shows that its cited lines changed, and opens them', followsTheCode, 90_000),
  scenario('a memory whose lines changed is confirmed with those that are selected', confirmed, 90_000),
  scenario('a quick fix at lines that changed confirms the memory that cites them', fixed, 90_000),
  scenario('a memory is found by words, and an absent one is not made up', found),
  scenario('a memory stands in the packet of its question', inThePacket),
  scenario('a memory says on hover why it is believed', believed),
  ...carried,
  scenario('a memory that is forgotten is gone, and back by Undo', forgotten, 90_000),
];
