/** The rows of “Where Is…”: places by name as they are typed, then what a search by meaning found. Pure. */
import type { NamesAnswer, SearchAnswer, VerdictStatus } from '../base/protocol';
import { shown } from '../view/shown';
import { verdictSigns } from '../view/words';

export interface PlaceRow {
  readonly kind: 'place';
  readonly label: string;
  readonly description: string;
  readonly sourceId: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** `separator`: a line between places. `message`: a sentence that can be chosen, and opens nothing. */
export type WhereRow =
  | PlaceRow
  | { readonly kind: 'separator'; readonly label: string }
  | { readonly kind: 'message'; readonly label: string; readonly detail: string };

/** The answers to what is typed now; undefined while one is awaited, or where it is not asked for. */
export interface WhereAnswers {
  readonly names?: NamesAnswer;
  readonly meaning?: SearchAnswer;
}

const icons: Readonly<Record<string, string>> = {
  function: 'symbol-function',
  method: 'symbol-method',
  class: 'symbol-class',
  struct: 'symbol-structure',
  interface: 'symbol-interface',
  enum: 'symbol-enum',
  constant: 'symbol-constant',
  variable: 'symbol-variable',
  field: 'symbol-field',
  property: 'symbol-property',
  key: 'symbol-key',
  entry: 'symbol-key',
  section: 'markdown',
  module: 'symbol-namespace',
  file: 'file',
};

/** Places by meaning below names, and where nothing answers: the rest is noise. */
const mostByMeaning = 10;
const mostNear = 5;

/** Names first, each place once; below a separator what answers by meaning, or that nothing does. */
export function whereRows({ names, meaning }: WhereAnswers): WhereRow[] {
  const named = (names?.items ?? []).map((item) => placeRow(item));
  if (!meaning) {
    return named;
  }
  const known = new Set(named.map(({ sourceId, startLine }) => `${sourceId}:${startLine}`));
  const others = meaning.items
    .map((item) => placeRow(item))
    .filter(({ sourceId, startLine }) => !known.has(`${sourceId}:${startLine}`));
  if (meaning.known_empty || meaning.items.length === 0) {
    return [
      ...named,
      ...(named.length > 0 ? [separator('By meaning')] : []),
      nothing(named.length > 0, others.length > 0 ? [] : meaning.nearest),
      ...(others.length > 0 ? [separator('What comes near'), ...others.slice(0, mostNear)] : []),
    ];
  }
  if (named.length === 0) {
    return others;
  }
  return others.length > 0 ? [...named, separator('By meaning'), ...others.slice(0, mostByMeaning)] : named;
}

function separator(label: string): WhereRow {
  return { kind: 'separator', label };
}

function nothing(hasNames: boolean, nearest: readonly string[]): WhereRow {
  return {
    kind: 'message',
    label: `$(circle-slash) Nothing ${hasNames ? 'else ' : ''}here answers that`,
    detail: nearest.length > 0 ? `Names that come near: ${nearest.map((name) => shown(name)).join(', ')}` : '',
  };
}

interface Shown {
  readonly source_id: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly symbol: string;
  readonly kind: string;
  readonly status?: VerdictStatus;
}

function placeRow(item: Shown): PlaceRow {
  const file = item.source_id.split('/').at(-1) ?? item.source_id;
  const mark = item.status === undefined ? '' : `${verdictSigns[item.status]} `;
  return {
    kind: 'place',
    label: `$(${icons[item.kind] ?? 'file'}) ${mark}${withoutIcons(shown(item.symbol || file))}`,
    description: withoutIcons(`${shown(item.source_id)}:${item.start_line}`),
    sourceId: item.source_id,
    startLine: item.start_line,
    endLine: item.end_line,
  };
}

/** A name that happens to read `$(x)` is not drawn as an icon. */
function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
}
