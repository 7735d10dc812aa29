import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fitted } from '../../../src/agents/cut';
import { agentMode } from '../../../src/base/agentMode';
import { JsonRpc } from '../../../src/agents/rpc';
import { ToolProcess } from '../../../src/agents/toolProcess';

const both = { tools: true, mcpServers: true };

describe('the way agents get tools', () => {
  it.each([
    ['auto', both, true, 'tools'],
    ['auto', { tools: false, mcpServers: true }, true, 'mcp'],
    ['auto', { tools: false, mcpServers: false }, true, 'off'],
    ['mcp', both, true, 'mcp'],
    ['mcp', { tools: true, mcpServers: false }, true, 'off'],
    ['tools', both, true, 'tools'],
    ['off', both, true, 'off'],
    ['auto', both, false, 'off'],
  ] as const)('with %s, %o, trusted %s is one: %s', (setting, support, trusted, mode) => {
    expect(agentMode(setting, support, trusted)).toBe(mode);
  });
});

describe('JSON-RPC in lines', () => {
  it('matches answers that come in any order and in pieces, and answers what it is asked', async () => {
    const sent: Record<string, unknown>[] = [];
    const rpc = new JsonRpc(
      (line) => sent.push(JSON.parse(line) as Record<string, unknown>),
      (method) => (method === 'roots/list' ? { roots: [] } : undefined),
    );
    const one = rpc.request('a', {});
    const other = rpc.request('b', {});
    rpc.receive('nonsense\n{"jsonrpc":"2.0","id":2,"resu');
    rpc.receive('lt":"B"}\n{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}\n');
    await expect(other).resolves.toBe('B');
    await expect(one).rejects.toThrow('no');
    rpc.receive('{"id":7,"method":"roots/list"}\n{"id":8,"method":"sampling/createMessage"}\n{"method":"log"}\n');
    expect(sent.slice(2)).toEqual([
      { jsonrpc: '2.0', id: 7, result: { roots: [] } },
      { jsonrpc: '2.0', id: 8, error: { code: -32601, message: 'no method sampling/createMessage' } },
    ]);
  });

  it('tells the other side of what is taken back, and everybody of its end', async () => {
    const sent: string[] = [];
    const rpc = new JsonRpc(
      (line) => sent.push(line),
      () => undefined,
    );
    const abort = new AbortController();
    const taken = rpc.request('a', {}, abort.signal);
    const waiting = rpc.request('b', {});
    abort.abort();
    await expect(taken).rejects.toThrow(/taken back/);
    expect(sent.at(-1)).toContain('"requestId":1');
    rpc.end(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });
});

/** A process that speaks just enough of the protocol; it dies when it is told to. */
const server = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const say = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize') say({ protocolVersion: params.protocolVersion });
  if (method === 'tools/call' && params.name === 'die') process.exit(3);
  if (method === 'tools/call' && params.name === 'refuse') say({ isError: true, content: [{ type: 'text', text: 'no' }] });
  if (method === 'tools/call') say({ content: [{ type: 'text', text: process.pid + ' ' + JSON.stringify(params) }] });
});`;

describe('the process behind the tools', () => {
  const made: ToolProcess[] = [];
  afterEach(() => {
    made.splice(0).forEach((one) => {
      one.dispose();
    });
  });
  const start = (): ToolProcess => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'helix-tools-'));
    writeFileSync(path.join(folder, 'server.cjs'), server);
    const launch = { command: process.execPath, args: ['server.cjs'], cwd: folder, env: process.env };
    const one = new ToolProcess({
      launch: () => Promise.resolve(launch),
      roots: () => [],
      log: () => undefined,
      version: '1',
    });
    made.push(one);
    return one;
  };

  it('is one for all calls, and its refusals are answers', async () => {
    const tools = start();
    const [one, other] = await Promise.all([tools.call('a', { q: 1 }), tools.call('a', { q: 2 })]);
    expect(one.text.split(' ')[0]).toBe(other.text.split(' ')[0]);
    expect(other.text).toContain('{"name":"a","arguments":{"q":2}}');
    expect(await tools.call('refuse', {})).toEqual({ isError: true, text: 'no' });
  });

  it('that dies says so to who waits, and is replaced for who asks next', async () => {
    const tools = start();
    const before = (await tools.call('a', {})).text.split(' ')[0];
    await expect(tools.call('die', {})).rejects.toThrow(/stopped \(status 3\); ask again/);
    expect((await tools.call('a', {})).text.split(' ')[0]).not.toBe(before);
  });

  it('that cannot start says why, each time', async () => {
    const tools = new ToolProcess({
      launch: () => Promise.reject(new Error('no Python')),
      roots: () => [],
      log: () => undefined,
      version: '1',
    });
    await expect(tools.call('a', {})).rejects.toThrow('no Python');
    await expect(tools.call('a', {})).rejects.toThrow('no Python');
  });
});

describe('an answer that is too long for its reader', () => {
  const count = (text: string): Promise<number> => Promise.resolve(Math.ceil(text.length / 4));
  it('is cut to fit, and says so', async () => {
    expect(await fitted('short', 100, count)).toBe('short');
    const cut = await fitted('x'.repeat(10_000), 100, count);
    expect(cut).toContain('cut to fit');
    expect(await count(cut)).toBeLessThanOrEqual(100);
  });
});

describe('the words of the tools', () => {
  it('name arguments as closed objects', () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
      contributes: { languageModelTools: { name: string; inputSchema: { properties: object } }[] };
    };
    for (const { name, inputSchema } of manifest.contributes.languageModelTools) {
      expect(name).toMatch(/^helix_/);
      expect(inputSchema.properties).not.toHaveProperty('workspace');
    }
  });
});
