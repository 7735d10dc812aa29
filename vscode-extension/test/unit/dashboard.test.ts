import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { questionOf } from '../../src/dashboard/routes';
import { connect, LockedError, showWorkspace, shownWorkspace } from '../../src/dashboard/page/ask';
import { bytes, milliseconds, percent, quantile } from '../../src/dashboard/page/format';
import { failed } from '../../src/dashboard/page/load';
import { pageHtml } from '../../src/view/html';

const carried = '../helix_ls/proxy/dashboard/built';

describe('the page of the dashboard', () => {
  it('is in the Python package as a fresh build makes it: npm run dashboard', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'helix-page-'));
    try {
      // Of the tests' own environment, React would be built for development.
      const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'NODE_ENV'));
      const vite = path.resolve('node_modules/vite/bin/vite.js');
      execFileSync(process.execPath, [vite, 'build', '--logLevel', 'warn', '--outDir', folder, '--emptyOutDir'], {
        env: environment,
      });
      const names = (await readdir(folder)).sort();
      expect((await readdir(carried)).sort()).toEqual(names);
      for (const name of names) {
        const [made, kept] = await Promise.all([folder, carried].map((at) => readFile(path.join(at, name), 'utf8')));
        expect(made === kept, `${name} is stale`).toBe(true);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('never shows as all what is not all, and gives every number its unit', () => {
    expect(percent(2_999, 3_000)).toBe('99.9 %');
    expect(percent(9_999, 10_000)).toBe('99.9 %');
    expect([percent(3, 3), percent(0, 3), percent(0, 0)]).toEqual(['100 %', '0 %', '–']);
    expect([milliseconds(999), milliseconds(1_500)]).toEqual(['999 ms', '1.5 s']);
    expect([bytes(2_000), bytes(2_100_000), bytes(3e9)]).toEqual(['2 kB', '2.1 MB', '3.00 GB']);
  });

  it('takes quantiles by nearest rank', () => {
    expect(quantile([5, 1, 3], 0.5)).toBe(3);
    expect(quantile([1, 2, 3, 4], 0.95)).toBe(4);
    expect(quantile([], 0.5)).toBe(0);
  });
});

/** What the page finds around it in a browser's tab. */
function tab(hash: string): {
  location: { hash: string; pathname: string; reload: () => void };
  kept: Map<string, string>;
} {
  const kept = new Map<string, string>();
  const location = { hash, pathname: '/dashboard', reload: vi.fn() };
  vi.stubGlobal('location', location);
  vi.stubGlobal('history', { replaceState: () => (location.hash = '') });
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  });
  return { location, kept };
}

/** The window's events, which this process has not. */
function events(): EventTarget {
  const target = new EventTarget();
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
  return target;
}

const said = (status: number, body: object): Promise<Response> =>
  Promise.resolve(new Response(JSON.stringify(body), { status }));

describe('the page in a browser', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('takes a new link that is pasted into its tab, also where it is locked', async () => {
    const { location } = tab('#ticket=old');
    const target = events();
    vi.stubGlobal('fetch', () => said(401, { error: { message: 'used before' } }));
    await expect(connect()).rejects.toThrow(LockedError);
    location.hash = '#memory';
    target.dispatchEvent(new Event('hashchange'));
    expect(location.reload).not.toHaveBeenCalled();
    location.hash = '#ticket=new&workspace=%2Fa';
    target.dispatchEvent(new Event('hashchange'));
    expect(location.reload).toHaveBeenCalledOnce();
  });

  it('leaves a workspace that was closed, and keeps one that only failed', async () => {
    const { kept } = tab('');
    events();
    kept.set('helix-session', 'k');
    const { ask } = await connect();
    const asked: unknown[] = [];
    const answers = [
      said(503, { error: { code: 'busy', message: 'later' } }),
      said(404, { error: { code: 'unknown_workspace', message: 'not served' } }),
      said(200, {}),
    ];
    vi.stubGlobal('fetch', (path: unknown) => {
      asked.push(path);
      return answers.shift();
    });
    showWorkspace('/closed');
    await expect(ask('/stats')).rejects.toThrow('later');
    expect(shownWorkspace()).toBe('/closed');
    await expect(ask('/stats')).rejects.toThrow('not served');
    expect(shownWorkspace()).toBe('');
    await ask('/stats');
    expect(asked).toEqual(['/w/%2Fclosed/stats', '/w/%2Fclosed/stats', '/stats']);
  });

  it('keeps the earlier answer of the same workspace beside an error', () => {
    const before = { answer: 1, workspace: '/a', busy: true };
    expect(failed(before, '/a', 'no')).toEqual({ answer: 1, workspace: '/a', error: 'no', busy: false });
    expect(failed(before, '/b', 'no')).toEqual({ error: 'no', busy: false });
  });
});

describe('the page in an editor', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('takes no answer that was meant for the page before', async () => {
    const target = events();
    const posted: unknown[] = [];
    const html = pageHtml({ title: '', script: '', style: '', cspSource: '', nonce: '', page: 'new' });
    const page = /<div id="page" data-page="([^"]*)">/.exec(html)?.[1];
    vi.stubGlobal('acquireVsCodeApi', () => ({ postMessage: (message: unknown) => posted.push(message) }));
    vi.stubGlobal('document', { getElementById: () => ({ getAttribute: () => page }) });
    const { ask } = await connect();
    const answer = ask('/stats');
    expect(posted).toEqual([{ page: 'new', ask: 1, question: { route: '/stats', id: '', body: {} } }]);
    const reply = (data: object): boolean => target.dispatchEvent(Object.assign(new Event('message'), { data }));
    reply({ page: 'old', reply: 1, answer: 'of A' });
    reply({ page: 'new', reply: 1, answer: 'of B' });
    expect(await answer).toBe('of B');
  });
});

describe('what the page may ask in an editor', () => {
  const asked = (route: unknown, more: object = {}): unknown =>
    questionOf({ page: 'p', ask: 1, question: { route, ...more } }, { page: 'p', folder: '/projects/a b' })?.request;

  it('is the routes of its panels, of the folder that is shown', () => {
    expect(asked('/memory/graph', { body: { limit: 5 } })).toEqual({
      method: 'POST',
      path: '/w/%2Fprojects%2Fa%20b/memory/graph',
      body: '{"limit":5}',
    });
    expect(asked('/stats', { body: { a: 1 } })).toEqual({ method: 'GET', path: '/w/%2Fprojects%2Fa%20b/stats' });
    expect(asked('/context/sent/', { id: 'ab12' })).toEqual({
      method: 'GET',
      path: '/w/%2Fprojects%2Fa%20b/context/sent/ab12',
    });
    expect(
      questionOf({ page: 'p', ask: 1, question: { route: '/stats' } }, { page: 'p', folder: undefined })?.request.path,
    ).toBe('/stats');
  });

  it('is nothing else', () => {
    const routes = ['/v1/chat/completions', '/admin/refresh', '/memory/decide', '/../stats', '', '/context/sent', 7];
    expect(routes.map((route) => asked(route))).toEqual(routes.map(() => undefined));
    expect(asked('/context/sent/', { id: '../../admin' })).toBeUndefined();
    expect(asked('/context/sent/')).toBeUndefined();
    expect(asked('/stats', { id: 'x' })).toBeUndefined();
    expect(
      ['x', undefined, null, [], {}, { ask: '1' }].map((message) => questionOf(message, { page: 'p', folder: '/a' })),
    ).toEqual(Array.from({ length: 6 }, () => undefined));
  });

  it('is nothing of the page that the tab showed before', () => {
    const question = { route: '/stats' };
    const shown = { page: 'new', folder: '/b' };
    expect(questionOf({ page: 'old', ask: 1, question }, shown)).toBeUndefined();
    expect(questionOf({ ask: 1, question }, shown)).toBeUndefined();
    expect(questionOf({ page: 'new', ask: 1, question }, shown)?.request.path).toBe('/w/%2Fb/stats');
  });

  it('is the same in a browser and in an editor', async () => {
    const sessions = await readFile('../helix_ls/proxy/sessions.py', 'utf8');
    const reads = /READS = frozenset\(\s*\(([\s\S]*?)\n {4}\)/.exec(sessions)?.[1] ?? '';
    const routes = [...reads.matchAll(/"(\/[\w/]+)"/g)].map(([, route]) => route);
    expect(routes.length).toBeGreaterThan(5);
    expect(routes.filter((route) => asked(route) === undefined)).toEqual([]);
  });
});
