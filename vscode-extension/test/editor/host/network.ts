/** What the extension itself connects to: every socket of the extension host is noted, and whose code opened it. */
import assert from 'node:assert/strict';
import net from 'node:net';

import { test } from './test';

interface Connection {
  target: string;
  stack: string;
}

const connections: Connection[] = [];

/** Options hold agents and sockets, which hold each other. */
const plainly = (name: string, value: unknown): unknown =>
  name !== '' && typeof value === 'object' ? undefined : value;

/** From now on; called before any test. */
export function noteConnections(): void {
  // Not bound on purpose: it is called with each socket as `this`.
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const connect = net.Socket.prototype.connect as (this: net.Socket, ...words: unknown[]) => net.Socket;
  const noting = function (this: net.Socket, ...words: unknown[]): net.Socket {
    connections.push({
      target: JSON.stringify(Array.isArray(words[0]) ? (words[0] as unknown[])[0] : words[0], plainly),
      stack: new Error().stack ?? '',
    });
    return connect.apply(this, words);
  };
  net.Socket.prototype.connect = noting;
}

export const networkTests = [
  test('the extension opened connections to this machine only, for the chats', () => {
    const ours = connections.filter(({ stack }) => stack.includes('/dist/extension.js'));
    // The editor opens a request's socket in its own time, so it may not stand on the stack of who asked.
    assert.ok(
      connections.some(({ target }) => target.includes('127.0.0.1')),
      'the chats of this suite went somewhere',
    );
    assert.deepEqual(
      ours.filter(({ target }) => !target.includes('"host":"127.0.0.1"')),
      [],
    );
  }),

  test('a connection would have been noted', async () => {
    const before = connections.length;
    const socket = net.connect({ host: '127.0.0.1', port: 9 });
    await new Promise((resolve) => socket.once('error', resolve));
    assert.equal(connections.length, before + 1);
  }),
];
