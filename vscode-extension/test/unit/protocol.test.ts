/** What the extension reads of an answer is what the server's OpenAPI document describes: no key is made up. */
import { readFile } from 'node:fs/promises';
import * as ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

const protocol = 'src/base/protocol.ts';
/** Answers that only the language server gives: the document of the HTTP API does not describe them. */
const editorOnly = ['helix.doctor/1', 'helix.explain/1', 'helix.hints/1', 'helix.live/1', 'helix.names/1'];

/** Keys that the document leaves out: unsaved edits are the editor's alone. */
const undescribed = ['needs_refresh', 'stale_risk', 'verified'].map((group) => `Packet.${group}[].buffer`);

/** All schemas that a value may have, references resolved. */
function flat(schema: Schema, components: Readonly<Record<string, Schema>>): readonly Schema[] {
  const named = schema.$ref === undefined ? undefined : components[schema.$ref.split('/').at(-1) ?? ''];
  const parts = [
    ...(named ? [named] : []),
    ...[schema.oneOf, schema.anyOf, schema.allOf].flatMap((each) => each ?? []),
  ];
  return parts.length > 0 ? parts.flatMap((each) => flat(each, components)) : [schema];
}

/** The keys of `type` that none of `schemas` has, with those of its members, as paths; a schema without keys has any. */
function unknown(
  checker: ts.TypeChecker,
  type: ts.Type,
  schemas: readonly Schema[],
  components: Readonly<Record<string, Schema>>,
  path: string,
): string[] {
  const bare = checker.getNonNullableType(type);
  if (bare.isUnion()) return bare.types.flatMap((each) => unknown(checker, each, schemas, components, path));
  if (checker.isArrayType(bare)) {
    const items = schemas.flatMap((each) => (each.items ? flat(each.items, components) : []));
    const element = checker.getTypeArguments(bare as ts.TypeReference)[0];
    return element ? unknown(checker, element, items, components, `${path}[]`) : [];
  }
  const described = schemas.filter((each) => each.properties !== undefined);
  if ((bare.flags & ts.TypeFlags.Object) === 0 || described.length === 0) return [];
  return checker.getPropertiesOfType(bare).flatMap((key) => {
    const below = described.flatMap((each) => each.properties?.[key.name] ?? []);
    if (below.length === 0) return [`${path}.${key.name}`];
    const found = below.flatMap((each) => flat(each, components));
    return unknown(checker, checker.getTypeOfSymbol(key), found, components, `${path}.${key.name}`);
  });
}

/** The exported interfaces of a file that have a `schema`, by its name. */
function answersOf(checker: ts.TypeChecker, source: ts.SourceFile): readonly (readonly [string, string, ts.Type])[] {
  return source.statements.filter(ts.isInterfaceDeclaration).flatMap((node) => {
    const type = checker.getTypeAtLocation(node);
    const schema = checker.getPropertyOfType(type, 'schema');
    const literal = schema && checker.getTypeOfSymbol(schema);
    return literal?.isStringLiteral() ? [[node.name.text, literal.value, type] as const] : [];
  });
}

describe('the answers that the extension reads', () => {
  let components: Readonly<Record<string, Schema>> = {};
  let program: ts.Program;

  beforeAll(async () => {
    const golden = JSON.parse(await readFile('../tests/golden/http.json', 'utf8')) as {
      'GET /openapi.json': { body: { components: { schemas: Record<string, Schema> } } };
    };
    components = golden['GET /openapi.json'].body.components.schemas;
    program = ts.createProgram([protocol], { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022 });
  }, 60_000);

  function described(name: string): readonly Schema[] {
    return Object.values(components).filter((each) => each.properties?.['schema']?.const === name);
  }

  it('have only keys that the OpenAPI document describes', () => {
    const checker = program.getTypeChecker();
    const source = program.getSourceFile(protocol);
    const answers = source ? answersOf(checker, source) : [];
    expect(answers.length).toBeGreaterThan(15);
    const missing = answers.map(([, schema]) => schema).filter((schema) => described(schema).length === 0);
    expect([...new Set(missing)].sort()).toEqual(editorOnly);
    const found = answers.flatMap(([name, schema, type]) =>
      unknown(checker, type, described(schema), components, name),
    );
    expect(found.sort()).toEqual(undescribed.sort());
  }, 60_000);

  it('are told where one has a key too many', () => {
    const text =
      "export interface Made { schema: 'helix.packet/1'; made_up: string; refresh_targets: { nothing: 1 }[] }";
    const host = ts.createCompilerHost({});
    const read = host.getSourceFile.bind(host);
    host.getSourceFile = (file, target) =>
      file === 'made.ts' ? ts.createSourceFile(file, text, target) : read(file, target);
    const made = ts.createProgram(['made.ts'], { strict: true }, host);
    const source = made.getSourceFile('made.ts');
    const checker = made.getTypeChecker();
    const [answer] = source ? answersOf(checker, source) : [];
    expect(answer && unknown(checker, answer[2], described(answer[1]), components, answer[0])).toEqual([
      'Made.made_up',
      'Made.refresh_targets[].nothing',
    ]);
  }, 60_000);
});
