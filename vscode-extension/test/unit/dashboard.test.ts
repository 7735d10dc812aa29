import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
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
