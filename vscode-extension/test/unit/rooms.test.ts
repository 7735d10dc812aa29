/** The rooms of `src` lie on floors: a file imports from its own room and from rooms below it, and nothing in a circle. */
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { preProcessFile } from 'typescript';
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

/** The files of `src`, each with the files it imports: types, exports passed on and imports at run time included. */
async function imports(): Promise<ReadonlyMap<string, readonly string[]>> {
  const listed = await readdir('src', { recursive: true });
  const files = listed.filter((file) => /\.tsx?$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join('src', file), 'utf8')));
  return new Map(files.map((file, at) => [file, importedBy(file, texts[at] ?? '', new Set(files))]));
}

function importedBy(file: string, text: string, files: ReadonlySet<string>): string[] {
  return preProcessFile(text)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.') && !/\.(css|json)$/.test(fileName))
    .map(({ fileName }) => {
      const place = normalize(join(dirname(file), fileName));
      const found = [`${place}.ts`, `${place}.tsx`, join(place, 'index.ts')].find((name) => files.has(name));
      if (found === undefined) throw new Error(`${file} imports ${fileName}, which is not a file of src`);
      return found;
    });
}

function roomOf(file: string): string | undefined {
  return file.includes(sep) ? file.split(sep)[0] : undefined;
}

function upward(graph: ReadonlyMap<string, readonly string[]>): string[] {
  // The file that wires the rooms has none: it stands above them all.
  const floor = (file: string): number => floors.indexOf(roomOf(file) ?? '') + 1 || floors.length + 1;
  return [...graph].flatMap(([file, targets]) =>
    targets.filter((target) => floor(target) > floor(file)).map((target) => `${file} imports ${target}`),
  );
}

/** The first circle that is met, as the files along it, the first one again at the end; empty where there is none. */
function circle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const follow = (file: string, path: readonly string[]): readonly string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const target of graph.get(file) ?? []) {
      const found = follow(target, [...path, file]);
      if (found.length > 0) return found;
    }
    done.add(file);
    return [];
  };
  for (const file of graph.keys()) {
    const found = follow(file, []);
    if (found.length > 0) return found;
  }
  return [];
}

describe('the rooms of the extension', () => {
  it('hold every file but the one that wires them', async () => {
    const files = [...(await imports()).keys()];
    expect(files.filter((file) => roomOf(file) === undefined)).toEqual(['extension.ts']);
    expect(new Set(files.flatMap((file) => roomOf(file) ?? []))).toEqual(new Set(floors));
  });

  it('import only from rooms below', async () => {
    expect(upward(await imports())).toEqual([]);
  });

  it('hold no files that import each other in a circle', async () => {
    expect(circle(await imports())).toEqual([]);
  });

  it.each([
    ['a type', "import type { A } from '../model/a';"],
    ['one type among values', "import { type A } from '../model/a';"],
    ['a type in place', "let a: import('../model/a').A;"],
    ['an export passed on', "export { a } from '../model/a';"],
    ['an import at run time', "const { a } = await import('../model/a');"],
    ['an import for its effect', 'import "../model/a";'],
  ])('see %s', (_, text) => {
    const a = join('model', 'a.ts');
    const b = join('base', 'b.ts');
    const files = new Set([a, b]);
    const graph = new Map([
      [b, importedBy(b, text, files)],
      [a, importedBy(a, "import '../base/b';", files)],
    ]);
    expect(upward(graph)).toEqual([`${b} imports ${a}`]);
    expect(circle(graph)).toEqual([b, a, b]);
  });
});
