/**
 * Text of others made safe to look at: nothing in a name, a quote or a message may reorder, hide or imitate characters.
 *
 * Pure. The escapes are those of the command line, so that both surfaces show the same file name the same way.
 */

export interface Piece {
  readonly text: string;
  /** The text replaces an invisible character. */
  readonly escaped: boolean;
}

// Controls, formats, lone surrogates, unassigned and private characters, and letters that look like nothing.
const unseen = /[\p{C}\p{Zl}\p{Zp}\u2800]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}/gu;
const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text on one line as seen and unseen pieces. `keep` are characters left as they are. */
export function piecesOf(text: string, keep = ''): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(unseen)) {
    if (keep.includes(match[0])) continue;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), escaped: false });
    pieces.push({ text: escape(match[0]), escaped: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), escaped: false });
  return pieces;
}

/** The text on one line, unseen characters as escapes. */
export function shown(text: string, keep = ''): string {
  return text.replace(unseen, (character) => (keep.includes(character) ? character : escape(character)));
}

/** What ends a line in an editor. */
export const lineEnd = /\r\n|\n|\r/;

/** The lines of a quote, without the blank ones at its end; tabs stay. */
export function linesOf(quote: string): string[] {
  const lines = quote.split(lineEnd);
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop();
  return lines;
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return named[character] ?? `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
