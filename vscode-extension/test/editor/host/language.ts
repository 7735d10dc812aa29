/** Hovers, lenses and unsaved buffers through the editor's own API. */
import assert from 'node:assert/strict';

import * as vscode from 'vscode';

import { until } from '../driver/until';
import { ask, fresh, hoverText, opened, placeOf, test } from './test';

const hoverSays = (editor: vscode.TextEditor, word: string, wanted: RegExp, within = ''): Promise<string> =>
  until(
    `the hover over ${word} says ${String(wanted)}`,
    async () => {
      const text = await hoverText(editor.document.uri, placeOf(editor.document, word, within));
      if (wanted.test(text)) return text;
      throw new Error(text === '' ? 'no hover' : text);
    },
    { withinMs: 15_000, everyMs: 150 },
  );

interface Packet {
  stale_risk: { source_id: string; reason: string }[];
}

export const languageTests = [
  test('a hover names definition, commit and users', async () => {
    await fresh();
    const editor = await opened('ledger/refunds.py');
    const text = await hoverSays(editor, 'refund_payment', /refund_payment/);
    assert.match(text, /Ledger Team/);
    assert.match(text, /returns\.py|test_refunds\.py/);
  }),

  test('a hover right of an emoji is about the right word', async () => {
    const editor = await opened('ledger/payments.py');
    await hoverSays(editor, 'Payment', /Payment/, 'def receipt_line');
    const text = await hoverText(editor.document.uri, placeOf(editor.document, 'payment.reference', 'f"😀'));
    assert.ok(!text.includes('receipt_line'), text);
  }),

  test('a hover over nothing Helix knows is none', async () => {
    const editor = await opened('ledger/refunds.py');
    assert.equal(await hoverText(editor.document.uri, new vscode.Position(1, 0)), '');
  }),

  test('an unsaved edit is a stale risk, and undone it is verified again', async () => {
    const editor = await opened('ledger/accounts.py');
    const place = placeOf(editor.document, 'account = Account(number, owner)');
    const question = { question: 'open_account', task: 'edit' };
    assert.equal(
      await editor.edit((edit) => {
        edit.insert(place.translate(0, -1), 'owner = owner.strip()\n        ');
      }),
      true,
    );
    await until(
      'the packet says unsaved',
      async () => (await ask<Packet>('helix.packet', question)).stale_risk.some(({ reason }) => reason === 'unsaved'),
      { withinMs: 10_000 },
    );
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await until(
      'the packet says nothing unsaved',
      async () => !(await ask<Packet>('helix.packet', question)).stale_risk.some(({ reason }) => reason === 'unsaved'),
      { withinMs: 10_000 },
    );
  }),

  test('code lenses come when they are switched on, and go', async () => {
    const editor = await opened('ledger/payments.py');
    const lenses = async (): Promise<number> =>
      (await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', editor.document.uri))
        .length;
    const settings = vscode.workspace.getConfiguration('helix');
    assert.equal(await lenses(), 0);
    await settings.update('codeLens.enabled', true, vscode.ConfigurationTarget.Global);
    await until('there are lenses', async () => (await lenses()) > 2, { withinMs: 15_000, everyMs: 200 });
    await settings.update('codeLens.enabled', undefined, vscode.ConfigurationTarget.Global);
    await until('there are none', async () => (await lenses()) === 0, { withinMs: 15_000, everyMs: 200 });
  }),

  test('an outdated document is hinted at', async () => {
    const editor = await opened('docs/refunds.md');
    const hints = await until(
      'the document has a hint',
      () => {
        const all = vscode.languages.getDiagnostics(editor.document.uri).filter(({ source }) => source === 'helix');
        return all.length > 0 ? all : undefined;
      },
      { withinMs: 20_000 },
    );
    assert.ok(hints.every(({ severity }) => severity === vscode.DiagnosticSeverity.Hint));
    assert.ok(
      hints.some(({ code }) => String(typeof code === 'object' ? code.value : code).includes('outdated')),
      JSON.stringify(hints),
    );
  }),
];
