import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PromptCache, ProxyAnswer } from '../../../src/proxy/protocol';
import { ask, bodyOf, headerText } from '../../../src/proxy/http';
import { proxyText } from '../../../src/proxy/proxyText';
import { offersTheSame, proxyState, upstreamName } from '../../../src/proxy/state';
import { refusedAddress, withKeptChats, withUpstream } from '../../../src/proxy/upstreamSetting';

const up = { name: 'default', url: 'http://127.0.0.1:11434/v1', state: 'up' } as const;
const answer: ProxyAnswer = {
  schema: 'helix.proxy/1',
  running: true,
  url: 'http://127.0.0.1:11437',
  port: 11437,
  api_key: 'k',
  upstreams: [up],
  models: [{ id: 'm', upstream: 'default' }],
  last_request: null,
};
const last = { at: 1000, model: 'm', upstream: 'default', context: 'added', status: 200, ttft_ms: 41.4 };

describe('the state of the proxy', () => {
  it('is ready with an address of this machine and an upstream', () => {
    expect(proxyState(answer)).toEqual({
      kind: 'ready',
      endpoint: { port: 11437, key: 'k' },
      upstreams: [up],
      models: ['m'],
      last: undefined,
    });
  });

  it.each(['http://example.com:80', 'https://127.0.0.1:1', 'http://127.0.0.1.example.com:1', 'http://localhost:1', ''])(
    'gives no key to %s',
    (url) => {
      expect(proxyState({ ...answer, url }).kind).toBe('off');
    },
  );

  it('waits, lacks an upstream, or is unknown', () => {
    expect(proxyState({ ...answer, running: false }).kind).toBe('waiting');
    expect(proxyState({ ...answer, upstreams: [] }).kind).toBe('noUpstream');
    expect(proxyState({} as ProxyAnswer).kind).toBe('off');
  });

  it('offers the same models after one more chat, and others when one has come', () => {
    const ready = proxyState(answer);
    expect(offersTheSame(ready, proxyState({ ...answer, last_request: last }))).toBe(true);
    expect(offersTheSame(ready, proxyState({ ...answer, models: [] }))).toBe(false);
    expect(offersTheSame(ready, { kind: 'noUpstream' })).toBe(false);
  });

  it('in words names the upstream, the last request and its first token, or what to do', () => {
    expect(proxyText(proxyState(answer), 1060).line).toBe('to 127.0.0.1:11434 · no request yet');
    expect(proxyText(proxyState({ ...answer, last_request: last }), 1120).line).toBe(
      'to 127.0.0.1:11434 · last request to m 2 minutes ago, first token after 41 ms',
    );
    const none = { answers: 0, prompt_tokens: 0, cached_tokens: 0 };
    const some = { answers: 2, prompt_tokens: 3000, cached_tokens: 1999 };
    const cache = (prompt_cache: PromptCache) => proxyText(proxyState({ ...answer, prompt_cache }), 0).line;
    expect(cache({ with_evidence: some, without_evidence: none })).toBe(
      "to 127.0.0.1:11434 · no request yet · from the upstream's cache: 67 % of the prompts with evidence",
    );
    expect(cache({ with_evidence: some, without_evidence: some })).toContain(
      'with evidence, 67 % of the prompts without',
    );
    expect(cache({ with_evidence: none, without_evidence: none })).not.toContain('cache');
    expect(proxyText({ kind: 'noUpstream' }, 0)).toMatchObject({
      line: expect.stringContaining('no upstream') as string,
      action: { command: 'helix.chooseUpstream' },
    });
    const down = proxyText(proxyState({ ...answer, upstreams: [{ ...up, state: 'down' }] }), 0);
    expect(down.line).toContain('(does not answer)');
    expect(down.action?.command).toBe('helix.chooseUpstream');
    expect(upstreamName({ ...up, name: 'work' })).toBe('work');
  });
});

describe('the setting of the upstream', () => {
  it.each([
    ['', '[proxy]\nupstream = "http://a"\n'],
    ['cache_dir = "x"\n', 'cache_dir = "x"\n\n[proxy]\nupstream = "http://a"\n'],
    ['[proxy]\nupstream = "http://old" # mine\nport = 1\n', '[proxy]\nupstream = "http://a"\nport = 1\n'],
    [
      '[proxy]\nport = 1\n\n[index]\nworkers = 1\n',
      '[proxy]\nupstream = "http://a"\nport = 1\n\n[index]\nworkers = 1\n',
    ],
    ['[index]\nupstream = 1\r\n', '[index]\nupstream = 1\r\n\r\n[proxy]\r\nupstream = "http://a"\r\n'],
  ])('goes into %j and leaves the rest', (before, after) => {
    expect(withUpstream(before, 'http://a')).toBe(after);
  });

  it.each([
    ['', true, '[memory]\nlearn = true\n'],
    ['[memory]\nco_use = true # mine\n', true, '[memory]\nlearn = true\nco_use = true # mine\n'],
    ['[memory]\nlearn = true\n[proxy]\nlearn = 1\n', false, '[memory]\nlearn = false\n[proxy]\nlearn = 1\n'],
  ])('answers in %j whether chats are kept', (before, keeps, after) => {
    expect(withKeptChats(before, keeps)).toBe(after);
  });

  it.each(['memory.co_use = true\n', 'memory = { co_use = true }\n'])('leaves %j to its writer', (text) => {
    expect(() => withKeptChats(text, true)).toThrow('[memory]');
  });

  it('takes whole addresses without keys', () => {
    expect(refusedAddress('http://127.0.0.1:11434')).toBeUndefined();
    expect(refusedAddress('https://models.example.com/v1')).toBeUndefined();
    for (const wrong of ['localhost:11434', 'ftp://a', 'http://me:key@a', 'https://a/v1?key=1', 'x']) {
      expect(refusedAddress(wrong), wrong).toBeTruthy();
    }
  });
});

describe('a request to the proxy', () => {
  const seen: http.IncomingHttpHeaders[] = [];
  let port = 0;
  let left: Promise<void>;
  const server = http.createServer((request, response) => {
    seen.push(request.headers);
    if (request.url === '/slow') {
      left = new Promise((resolve) => request.once('close', resolve));
      response.writeHead(200).write('data: a\n\n');
    } else {
      response.end('{}');
    }
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => server.close());

  it('carries the key and the folder, whatever its letters', async () => {
    const headers = { 'x-helix-workspace': headerText('/home/žluť') };
    const answered = await ask({ port, key: 'k' }, { method: 'POST', path: '/', body: '"č"', headers });
    expect(await bodyOf(answered)).toBe('{}');
    expect(seen.at(-1)).toMatchObject({ authorization: 'Bearer k', 'content-length': '4' });
    expect(Buffer.from(String(seen.at(-1)?.['x-helix-workspace']), 'latin1').toString('utf8')).toBe('/home/žluť');
  });

  it('that is aborted hangs up', async () => {
    const abort = new AbortController();
    const answered = await ask({ port, key: 'k' }, { method: 'GET', path: '/slow', signal: abort.signal });
    answered.on('error', () => undefined);
    abort.abort();
    await left;
  });

  it('that nobody answers says what to do', async () => {
    await expect(ask({ port: 9, key: 'k' }, { method: 'GET', path: '/' })).rejects.toThrow(/Helix: Restart/);
  });
});
