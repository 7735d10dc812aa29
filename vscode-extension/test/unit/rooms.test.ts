/** Folders of `src` lie on floors: a file imports from its own folder and from folders below it. */
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const floors = [
  'base',
  'python',
  'server',
  'view',
  'proxy',
  'dashboard',
  'status',
  'hints',
  'memory',
  'commands',
  'chat',
  'agents',
  'model',
];

async function sources(): Promise<string[]> {
  const files = await readdir('src', { recursive: true });
  return files.filter((file) => /\.tsx?$/.test(file));
}

describe('the rooms of the extension', () => {
  it('hold every file but the one that wires them', async () => {
    const files = await sources();
    expect(files.filter((file) => !file.includes(sep))).toEqual(['extension.ts']);
    expect(new Set(files.filter((file) => file.includes(sep)).map((file) => file.split(sep)[0]))).toEqual(
      new Set(floors),
    );
  });

  it('import only from rooms below', async () => {
    const upward = [];
    for (const file of await sources()) {
      const own = floors.indexOf(file.split(sep)[0] ?? '');
      const text = await readFile(join('src', file), 'utf8');
      for (const [, path = ''] of text.matchAll(/from '(\.[^']*)'/g)) {
        const target = normalize(join(dirname(file), path)).split(sep)[0] ?? '';
        if (own >= 0 && floors.indexOf(target) > own) {
          upward.push(`${file} imports ${path}`);
        }
      }
    }
    expect(upward).toEqual([]);
  });
});
