import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createVSIX, listFiles, PackageManager } from '@vscode/vsce';
import { describe, expect, it } from 'vitest';

const most = 1_000_000;
const carried =
  /^(dist\/(extension|view)\.js|dist\/dashboard\.(js|css)|bundled\/([\w.-]+\.whl|requirements(-proxy|-models)?\.lock)|media\/[\w./-]+|README\.md|LICENSE|CHANGELOG\.md|package\.json)$/;

async function sources(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.name.endsWith('.ts')).map((one) => path.join(one.parentPath, one.name));
}

describe('the package', () => {
  it('is at most 1 MB without wheels, and carries only what it needs', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'helix-vsix-'));
    try {
      const packagePath = path.join(folder, 'helix.vsix');
      await createVSIX({ cwd: '.', packagePath, dependencies: false, allowMissingRepository: true });
      const files = await listFiles({ cwd: '.', packageManager: PackageManager.None });
      expect(files.filter((file) => !carried.test(file.replaceAll('\\', '/')))).toEqual([]);
      expect(files).toEqual(
        expect.arrayContaining([
          'package.json',
          'README.md',
          'LICENSE',
          'CHANGELOG.md',
          'dist/extension.js',
          'media/icon.png',
        ]),
      );
      const wheels = files.filter((file) => file.endsWith('.whl'));
      const wheelBytes = await Promise.all(wheels.map(async (file) => (await stat(file)).size));
      const { size } = await stat(packagePath);
      expect(size - wheelBytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(most);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('has the version of the SDK beside it', async () => {
    const versions = ['package.json', 'sdk/package.json'].map(async (file) => {
      return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
    });
    expect(new Set(await Promise.all(versions)).size).toBe(1);
  });

  it('opens a connection in one place, and there only to this machine', async () => {
    const connects = /from 'node:(http|https|http2|net|tls|dgram|dns)'|\bfetch\(|XMLHttpRequest|WebSocket|EventSource/;
    const found = [];
    for (const file of await sources('src')) {
      if (connects.test(await readFile(file, 'utf8'))) {
        found.push(file.replaceAll('\\', '/'));
      }
    }
    // The dashboard's page asks the server that it came from, and in an editor nobody.
    expect(found.sort()).toEqual(['src/dashboard/page/ask.ts', 'src/proxy/http.ts']);
    const page = await readFile('src/dashboard/page/ask.ts', 'utf8');
    expect([...page.matchAll(/fetch\(\s*([^,]+),/g)].map(([, address]) => address)).toEqual([
      "'/dashboard/session'",
      'path',
    ]);
    const text = await readFile('src/proxy/http.ts', 'utf8');
    expect([...text.matchAll(/\bhost(?:name)?: ([^,\n]+)/g)].map(([, host]) => host)).toEqual(["'127.0.0.1'"]);
  });
});
