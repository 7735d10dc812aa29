/** Processes that die, and restarts that are asked for. */
import assert from 'node:assert/strict';

import * as vscode from 'vscode';

import { until } from '../driver/until';
import { ask, fresh, live, test } from './test';

const another = (pid: number, withinMs: number): Promise<number> =>
  until(
    'another server answers',
    async () => {
      const now = (await live()).server.pid;
      return now === pid ? undefined : now;
    },
    { withinMs },
  );

export const recoveryTests = [
  test('a daemon killed is replaced within five seconds, unnoticed', async () => {
    const { pid } = (await fresh()).server;
    process.kill(pid, 'SIGKILL');
    const began = performance.now();
    assert.notEqual(await another(pid, 20_000), pid);
    console.log(
      JSON.stringify({ helixMeasure: 'daemon killed -> answers', ms: Math.round(performance.now() - began) }),
    );
    const found = await ask<{ items: unknown[] }>('helix.search', { question: 'refund_payment' });
    assert.ok(found.items.length > 0);
  }),

  test('the restart command ends in a fresh server', async () => {
    await vscode.commands.executeCommand('helix.restart');
    assert.equal((await fresh()).state, 'fresh');
  }),
];
