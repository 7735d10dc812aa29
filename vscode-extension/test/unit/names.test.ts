/** A type that other files import has a name of its own: no other file of `src` declares the same one. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as ts from 'typescript';
import { describe, expect, it } from 'vitest';

interface Declared {
  readonly name: string;
  readonly file: string;
  readonly isExported: boolean;
}

/** The classes, interfaces, types and enumerations that a file declares, inside functions too. */
function declaredIn(file: string, text: string): Declared[] {
  const found: Declared[] = [];
  const visit = (node: ts.Node): void => {
    if (
      (ts.isClassDeclaration(node) ||
        ts.isInterfaceDeclaration(node) ||
        ts.isTypeAliasDeclaration(node) ||
        ts.isEnumDeclaration(node)) &&
      node.name
    ) {
      const isExported = (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) !== 0;
      found.push({ name: node.name.text, file, isExported });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return found;
}

/** The names that one file exports and another declares too, each with all its files. */
function shared(declared: readonly Declared[]): Record<string, string[]> {
  const exported = new Set(declared.filter((one) => one.isExported).map((one) => one.name));
  const files = new Map<string, Set<string>>();
  for (const { name, file } of declared.filter((one) => exported.has(one.name))) {
    files.set(name, (files.get(name) ?? new Set()).add(file));
  }
  return Object.fromEntries(
    [...files].filter(([, places]) => places.size > 1).map(([name, places]) => [name, [...places]]),
  );
}

describe('the name of a type', () => {
  it('means one thing in all rooms', async () => {
    const listed = await readdir('src', { recursive: true });
    const files = listed.filter((file) => /\.tsx?$/.test(file));
    const texts = await Promise.all(files.map((file) => readFile(join('src', file), 'utf8')));
    expect(shared(files.flatMap((file, at) => declaredIn(file, texts[at] ?? '')))).toEqual({});
  });

  it('is seen wherever it is declared twice', () => {
    const first = declaredIn('a.ts', 'export interface Row {}\nexport class Table {}\ntype Own = string;');
    const second = declaredIn('b.ts', 'function f() { interface Row {} }\nenum Table { a }\ntype Own = number;');
    expect(shared([...first, ...second])).toEqual({ Row: ['a.ts', 'b.ts'], Table: ['a.ts', 'b.ts'] });
    expect(shared(first)).toEqual({});
  });
});
