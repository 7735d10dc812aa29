/** The manifest against what is really registered, and the server's commands against their schemas. */
import assert from 'node:assert/strict';

import * as vscode from 'vscode';

import { ask, fresh, helix, test } from './test';

interface Manifest {
  contributes: {
    commands: { command: string }[];
    configuration: { properties: Record<string, { scope?: string; default?: unknown }> };
  };
}

interface Packet {
  schema: string;
  verified: { source_id: string; symbol: string; status: string; start_line: number; end_line: number }[];
  stale_risk: { source_id: string; reason: string }[];
  needs_refresh: { source_id: string }[];
  known_empty: boolean;
}

export const commandTests = [
  test('the extension activates by itself', async () => {
    await helix().activate();
    assert.equal(helix().isActive, true);
  }),

  test('every contributed command is registered', async () => {
    const contributed = (helix().packageJSON as Manifest).contributes.commands.map(({ command }) => command);
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      contributed.filter((command) => !registered.has(command)),
      [],
    );
  }),

  test('every registered command of Helix is contributed or the server’s', async () => {
    await fresh();
    const contributed = (helix().packageJSON as Manifest).contributes.commands.map(({ command }) => command);
    const views =
      /^(helix\.((?:packet|hints|memories)\.(focus|removeView|resetViewLocation|toggleVisibility|open)|focus)|workbench\.)/;
    const server =
      /^helix\.(packet(\.close)?|changes|check|hints|names|proxy|search|refreshPlan|explain|symbol|status|doctor|dismiss|refreshFile|open|openSides|memory\.\w+|strand\.\w+|trail(\.\w+)?|index\.\w+|lens\.\w+|show\w+)$/;
    const ours = (await vscode.commands.getCommands(true)).filter((command) => command.startsWith('helix.'));
    const unknown = ours.filter((name) => !contributed.includes(name) && !views.test(name) && !server.test(name));
    assert.deepEqual(unknown, []);
  }),

  test('every setting has the default its manifest names', () => {
    const settings = (helix().packageJSON as Manifest).contributes.configuration.properties;
    for (const [name, { default: value }] of Object.entries(settings)) {
      assert.deepEqual(vscode.workspace.getConfiguration().inspect(name)?.defaultValue, value, name);
    }
  }),

  test('a packet names file, lines and verdict', async () => {
    await fresh();
    const packet = await ask<Packet>('helix.packet', { question: 'how is a payment refunded?', task: 'edit' });
    assert.equal(packet.schema, 'helix.packet/1');
    const refund = packet.verified.find(
      ({ source_id: source, symbol }) => source === 'ledger/refunds.py' && symbol.includes('refund'),
    );
    assert.ok(refund, JSON.stringify(packet.verified.map(({ source_id: source, symbol }) => [source, symbol])));
    assert.equal(refund.status, 'verified');
    assert.ok(refund.start_line >= 1 && refund.end_line >= refund.start_line);
  }),

  test('a document that fell behind its code is a stale risk', async () => {
    const packet = await ask<Packet>('helix.packet', { question: 'how a refund works, refund window', k: 12 });
    const doc = packet.stale_risk.find(({ source_id: source }) => source === 'docs/refunds.md');
    assert.equal(doc?.reason, 'outdated_doc', JSON.stringify(packet.stale_risk));
  }),

  test('wrong arguments are refused in one sentence', async () => {
    await assert.rejects(
      () => ask('helix.packet', { question: 7 }),
      (error: Error) => error.message.length > 0 && error.message.length < 300 && !/Traceback|\.py/.test(error.message),
    );
  }),

  test('the doctor and the search answer with their schemas', async () => {
    assert.equal((await ask<{ schema: string }>('helix.doctor')).schema, 'helix.doctor/1');
    const found = await ask<{ schema: string; items: { source_id: string }[] }>('helix.search', {
      question: 'capture_payment',
    });
    assert.equal(found.schema, 'helix.search/1');
    assert.equal(found.items[0]?.source_id, 'ledger/payments.py');
  }),
];
