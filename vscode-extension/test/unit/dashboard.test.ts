import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { questionOf } from '../../src/dashboard/routes';
import { bytes, milliseconds, percent, quantile } from '../../src/dashboard/page/format';

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

describe('what the page may ask in an editor', () => {
  const asked = (route: unknown, more: object = {}): unknown =>
    questionOf({ ask: 1, question: { route, ...more } }, '/work/a b')?.request;

  it('is the routes of its panels, of the folder that is shown', () => {
    expect(asked('/memory/graph', { body: { limit: 5 } })).toEqual({
      method: 'POST',
      path: '/w/%2Fwork%2Fa%20b/memory/graph',
      body: '{"limit":5}',
    });
    expect(asked('/stats', { body: { a: 1 } })).toEqual({ method: 'GET', path: '/w/%2Fwork%2Fa%20b/stats' });
    expect(asked('/context/sent/', { id: 'ab12' })).toEqual({
      method: 'GET',
      path: '/w/%2Fwork%2Fa%20b/context/sent/ab12',
    });
    expect(questionOf({ ask: 1, question: { route: '/stats' } }, undefined)?.request.path).toBe('/stats');
  });

  it('is nothing else', () => {
    const routes = ['/v1/chat/completions', '/admin/refresh', '/memory/decide', '/../stats', '', '/context/sent', 7];
    expect(routes.map((route) => asked(route))).toEqual(routes.map(() => undefined));
    expect(asked('/context/sent/', { id: '../../admin' })).toBeUndefined();
    expect(asked('/context/sent/')).toBeUndefined();
    expect(asked('/stats', { id: 'x' })).toBeUndefined();
    expect(['x', undefined, null, [], {}, { ask: '1' }].map((message) => questionOf(message, '/a'))).toEqual(
      Array.from({ length: 6 }, () => undefined),
    );
  });

  it('is the same in a browser and in an editor', async () => {
    const sessions = await readFile('../helix_ls/proxy/dashboard/sessions.py', 'utf8');
    const reads = /READS = frozenset\(\s*\(([\s\S]*?)\n {4}\)/.exec(sessions)?.[1] ?? '';
    const routes = [...reads.matchAll(/"(\/[\w/]+)"/g)].map(([, route]) => route);
    expect(routes.length).toBeGreaterThan(5);
    expect(routes.filter((route) => asked(route) === undefined)).toEqual([]);
  });
});
