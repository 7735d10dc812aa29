/** What is outdated, contradicted or dead in a workspace, as a list: grouped, counted, walked, exported. Pure. */
import type { Hint, HintKind } from '../base/protocol';
import { shown } from '../view/shown';
import { count } from '../view/words';

export interface HintFile {
  readonly uri: string;
  readonly sourceId: string;
  readonly hints: readonly Hint[];
}

export const kindNames: Readonly<Record<HintKind, string>> = {
  contradicted: 'Contradicted',
  outdated: 'Outdated',
  dead: 'Dead reference',
};

export const kindIcons: Readonly<Record<HintKind, string>> = {
  contradicted: 'git-compare',
  outdated: 'history',
  dead: 'debug-disconnect',
};

/** Hints by file in path order, by line within a file; ignored ones only where they are wanted. */
export function hintFiles(hints: readonly Hint[], withIgnored: boolean): HintFile[] {
  const files = new Map<string, Hint[]>();
  for (const hint of hints) {
    if (withIgnored || !hint.ignored) {
      const known = files.get(hint.uri);
      if (known) known.push(hint);
      else files.set(hint.uri, [hint]);
    }
  }
  return [...files.values()]
    .map((own) => own.sort((one, other) => one.start_line - other.start_line))
    .map((own) => ({ uri: own[0]?.uri ?? '', sourceId: own[0]?.source_id ?? '', hints: own }))
    .sort((one, other) => (one.sourceId < other.sourceId ? -1 : 1));
}

/** The hints that count: those not ignored. */
export function hintCount(hints: readonly Hint[]): number {
  return hints.filter(({ ignored }) => !ignored).length;
}

/** The hint after a line of a file (1-based), in the order of the tree; after the last comes the first. */
export function nextHint(files: readonly HintFile[], uri: string, line: number): Hint | undefined {
  const every = files.flatMap(({ hints }) => hints).filter(({ ignored }) => !ignored);
  const sourceId = files.find((file) => file.uri === uri)?.sourceId;
  if (sourceId === undefined) return every[0];
  const isAfter = (hint: Hint): boolean =>
    hint.source_id > sourceId || (hint.source_id === sourceId && hint.start_line > line);
  return every.find(isAfter) ?? every[0];
}

/** One hint is another when its file, its rule and its text are the same. */
export function hintKey(hint: Hint): string {
  return [hint.uri, hint.code, hint.text_hash].join('\0');
}

/** What a row says: the statement without the advice that the tooltip gives. */
export function hintLabel(hint: Hint): string {
  const said = shown(hint.message);
  const end = said.search(
    /, since this text was last committed|, which changed later|, and which of the two changed last|; (?:bring|open) /,
  );
  return end < 0 ? said : said.slice(0, end);
}

/** A list for people, with a checkbox each. */
export function asMarkdown(workspace: string, files: readonly HintFile[]): string {
  const total = files.reduce((sum, file) => sum + file.hints.length, 0);
  const lines = [`# Hints of Helix: ${inline(workspace)}`, '', `${total} in ${count(files.length, 'file')}.`];
  for (const file of files) {
    lines.push('', `## ${inline(file.sourceId)}`, '');
    for (const hint of file.hints) {
      const other = hint.other ? ` See ${inline(`${hint.other.source_id}:${hint.other.start_line}`)}.` : '';
      const ignored = hint.ignored ? ' (ignored)' : '';
      lines.push(
        `- [ ] ${inline(`${hint.source_id}:${hint.start_line}`)} **${kindNames[hint.kind]}**${ignored}: ${escaped(hint.message)}${other}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The same for programs. */
export function asJson(workspace: string, files: readonly HintFile[]): string {
  const hints = files.flatMap((file) =>
    file.hints.map(({ kind, source_id, start_line, end_line, code, message, other, ignored }) => ({
      kind,
      source_id,
      start_line,
      end_line,
      code,
      message,
      other: other && { source_id: other.source_id, start_line: other.start_line },
      ignored,
    })),
  );
  return `${JSON.stringify({ workspace, hints }, undefined, 2)}\n`;
}

function inline(text: string): string {
  const said = shown(text);
  return said.includes('`') ? `\`\` ${said} \`\`` : `\`${said}\``;
}

/** Text of others in a line of Markdown. */
export function escaped(text: string): string {
  return shown(text).replace(/[\\`*{}[\]<>#|!~$&]|(?<!\w)_|_(?!\w)/g, String.raw`\$&`);
}
