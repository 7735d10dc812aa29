/** Memories leave in a sealed file and come in at another user, whose first passphrase is wrong; no log has either. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { scenario } from '../driver/acts.ts';
import type { Stage } from '../driver/stage.ts';
import { rows } from '../driver/tree.ts';
import { limit, pause, until } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';
import { openStage, WITH_PYTHON } from './opening.ts';

const PASSPHRASE = 'zebra stripes on 7 "mars" nights';
const WRONG = 'zebra stripes on 8 "mars" nights';
const CARRIED = 'a capture is posted once';
const WITH_TRACE = { ...WITH_PYTHON, 'helix.trace.server': 'verbose' };

/** Waits until the open box says something, or its empty input does. */
async function says(window: EditorWindow, expected: string): Promise<void> {
  const box = window.page.locator('.quick-input-widget', { hasText: expected });
  const input = window.page.locator(`.quick-input-widget input[placeholder*="${expected}"]`);
  await box
    .or(input)
    .first()
    .waitFor({ state: 'visible', timeout: limit(20_000) });
}

async function pick(window: EditorWindow, label: string): Promise<void> {
  const row = window.page.locator('.quick-input-list .monaco-list-row', { hasText: label });
  await row.first().click({ timeout: limit(10_000) });
}

/** Types a path into VS Code's own file dialog, which replaces what was typed while it still loads a folder. */
async function chooseFile(window: EditorWindow, title: string, file: string): Promise<void> {
  await says(window, title);
  const input = window.page.locator('.quick-input-widget input').first();
  const asks = async (): Promise<boolean> => (await input.isVisible()) && (await input.inputValue()).startsWith('/');
  await until('the dialog shows a folder', asks, { withinMs: 20_000 });
  const taken = async (): Promise<boolean> => {
    if (!(await asks())) return true;
    await input.fill(file, { timeout: limit(2_000) });
    await pause(600);
    if ((await input.inputValue()) !== file) return false;
    await input.press('Enter', { timeout: limit(2_000) });
    await pause(600);
    return !(await asks());
  };
  await until('the dialog takes the path', taken, { withinMs: 30_000 });
}

async function typed(window: EditorWindow, prompt: string, secret: string): Promise<void> {
  await says(window, prompt);
  const input = window.page.locator('.quick-input-widget input[type="password"]').first();
  await input.fill(secret);
  await input.press('Enter');
}

async function exported(stage: Stage, file: string): Promise<string> {
  const window = await stage.window();
  await window.run('Helix: Export Memories…');
  await pick(window, 'All Memories');
  await chooseFile(window, 'Export Memories', file);
  await says(window, 'What opens the file?');
  await pick(window, 'Recovery Code');
  await window.page.locator('.quick-input-widget .monaco-button').first().click();
  await typed(window, 'Passphrase', PASSPHRASE);
  await typed(window, 'The same passphrase again', WRONG);
  await typed(window, 'This differs from what was typed first', PASSPHRASE);
  const dialog = window.page.locator('.monaco-dialog-box', { hasText: 'not shown again' });
  await dialog.waitFor({ timeout: limit(20_000) });
  const code = /([0-9A-Z]{4}-){7}[0-9A-Z]{4}/.exec(await dialog.innerText())?.[0];
  assert.ok(code, 'the recovery code is shown');
  await stage.picture('memory-recovery-code');
  await dialog.getByText('Copy Code').click();
  await window.page.locator('.notifications-toasts', { hasText: /Exported \d+ memor(y|ies) to ada\.dna/ }).waitFor();
  await window.run('Notifications: Clear All Notifications');
  return code;
}

async function imported(stage: Stage, file: string): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  await window.run('Helix: Focus on Memory View');
  await window.run('Helix: Import Memories…');
  await chooseFile(window, 'Import Memories', file);
  await says(window, 'Signed by a key that you have not accepted');
  await stage.picture('memory-import-signer');
  await pick(window, 'Trust This Signer From Now On…');
  await window.answer('Ada', 'Your own name for dna-signer:');
  await typed(window, 'Signed by “Ada”, whom you trust.', WRONG);
  await typed(window, 'This does not open the file', PASSPHRASE);
  await says(window, ' new, 0 already here');
  await stage.picture('memory-import');
  await pick(window, ' new, 0 already here');
  await window.page.locator('.notifications-toasts', { hasText: /Imported \d+ memor/ }).waitFor();
  await rows(stage, (texts) => texts.some((text) => text.includes(CARRIED)));
  await window.run('Helix: Import Memories…');
  await chooseFile(window, 'Import Memories', file);
  await typed(window, 'Passphrase', PASSPHRASE);
  await window.page.locator('.notifications-toasts', { hasText: /0 new, \d+ already here/ }).waitFor();
}

/** The texts of every file of the editor and of Helix, and of the debug information: none has a secret. */
async function kept(stage: Stage, secrets: string[]): Promise<string[]> {
  const window = await stage.window();
  const debugInformation = await window.debugInformation(() => true);
  const files = fs
    .readdirSync(stage.server.root, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(stage.server.root, name))
    .filter((file) => !file.includes('extensions') && fs.lstatSync(file).isFile());
  const texts = files.map((file) => ({ file, text: fs.readFileSync(file, 'utf8') }));
  texts.push({ file: 'debug information', text: debugInformation });
  for (const secret of secrets) {
    const said = [secret, JSON.stringify(secret).slice(1, -1)];
    const found = texts.filter(({ text }) => said.some((one) => text.includes(one)));
    assert.deepEqual(
      found.map(({ file }) => file),
      [],
    );
  }
  return texts.map(({ text }) => text);
}

async function carry(stage: Stage): Promise<void> {
  const file = path.join(stage.run.scratch, 'ada.dna');
  const code = await exported(stage, file);
  await kept(stage, [PASSPHRASE, WRONG, code]);
  const { stage: bob } = await openStage(stage.run, 'carried', { settings: WITH_TRACE });
  try {
    await imported(bob, file);
    const texts = await kept(bob, [PASSPHRASE, WRONG, code]);
    assert.ok(
      texts.some((text) => text.includes('"passphrase": "***"')),
      'the trace has the request',
    );
  } catch (error) {
    await bob.keepEvidence('carried');
    throw error;
  } finally {
    await bob.close();
  }
}

export const carried = [
  scenario('memories are exported with a passphrase and come in at another user', carry, 180_000),
];
