/** What the extension itself connects to: every socket of the extension host is noted, and whose code opened it. */
import assert from 'node:assert/strict';
import net from 'node:net';

import { test } from './test';

interface Connection {
  target: string;
  stack: string;
}

const connections: Connection[] = [];

/** From now on; called before any test. */
export function noteConnections(): void {
  // Not bound on purpose: it is called with each socket as `this`.
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const connect = net.Socket.prototype.connect as (this: net.Socket, ...words: unknown[]) => net.Socket;
  const noting = function (this: net.Socket, ...words: unknown[]): net.Socket {
    connections.push({ target: JSON.stringify(words[0]), stack: new Error().stack ?? '' });
    return connect.apply(this, words);
  };
  net.Socket.prototype.connect = noting;
}

export const networkTests = [
  test('the extension opened no connection', () => {
    const ours = connections.filter(({ stack }) => stack.includes('/dist/extension.js'));
    assert.deepEqual(ours, []);
  }),

  test('a connection would have been noted', async () => {
    const before = connections.length;
    const socket = net.connect({ host: '127.0.0.1', port: 9 });
    await new Promise((resolve) => socket.once('error', resolve));
    assert.equal(connections.length, before + 1);
  }),
];
