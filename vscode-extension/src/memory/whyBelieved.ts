/** Why a memory is believed: its verdict, the lines that it cites, who said it when, and what it replaced. Pure. */
import type { MemoryItem, MemoryLog } from '../base/protocol';
import { escaped } from '../hints/hintList';
import { shown } from '../view/shown';
import { ago, count, groupMeanings, groupNames, memoryReason, reasonWords, verdictSigns } from '../view/words';
import { kindWords, placeOf, type Remembered } from './memoryList';

/** What the log says of a memory: the operations on it, the last first, and the texts that it replaced. */
export interface MemoryHistory {
  readonly ops: MemoryLog['ops'];
  readonly superseded: readonly string[];
}

const deeds: Readonly<Record<string, string>> = {
  remember: 'remembered',
  propose: 'proposed',
  support: 'said again',
  forget: 'forgotten',
  restore: 'restored',
  approve: 'accepted',
  archive: 'archived',
  heal: 'its citation followed lines that moved',
  merge: 'imported',
};
const mostDeeds = 6;

/** The uuids of the memories that one names in a relation, by the log of it. */
export function related(uuid: string, relation: string, ops: MemoryLog['ops']): string[] {
  const links = ops.flatMap((op) => op.links).filter(([, name]) => name === relation);
  const others = links.flatMap(([from, , to]) => (from === uuid ? [to] : []));
  return [...new Set(others)];
}

/** The answer to “why do I believe this?” as Markdown; `addressOf` gives a file's address, where it can be opened. */
export function whyBelieved(
  memory: Remembered,
  history: MemoryHistory,
  nowSeconds: number,
  addressOf: (sourceId: string) => string,
): string {
  const { item, replaces, rivals = [] } = memory;
  const { verdict } = item;
  const isSigned = verdict.reason === 'asserted';
  const words = memoryReason(verdict.reason, { ...item, detail: verdict.detail });
  const reason = [words, ...(verdict.detail && !isSigned ? [verdict.detail] : [])].join(': ');
  const scope = item.scope === 'global' ? ', about all workspaces' : '';
  return [
    `**${verdictSigns[verdict.status]} ${groupNames[verdict.status]}** – ${groupMeanings[verdict.status]} (${escaped(reason)})`,
    '',
    quoted(item.text),
    '',
    `${escaped(kindWords(item.kind).one)} \`${item.id}\`${scope}`,
    '',
    ...citations(item, addressOf),
    ...(rivals.length > 0 ? ['', '**Contradicted by**', '', ...rivals.map(({ text }) => asItem(text))] : []),
    ...(replaces === undefined ? [] : ['', '**Would replace**', '', quoted(replaces)]),
    ...(history.superseded.length > 0 ? ['', '**Replaced**', '', ...history.superseded.map(asItem)] : []),
    ...authorLines(history.ops, nowSeconds),
    '',
  ].join('\n');
}

function citations({ evidence }: MemoryItem, addressOf: (sourceId: string) => string): string[] {
  if (evidence.length === 0) return ['It cites no code, so it is as good as who said it.'];
  return [
    '**Cites**',
    '',
    ...evidence.map((one) => {
      const place = `[${escaped(placeOf(one))}](${linkTo(addressOf(one.source_id), one.start_line)})`;
      const symbol = one.symbol ? ` ${escaped(one.symbol)}` : '';
      const detail = one.detail ? `: ${escaped(one.detail)}` : '';
      const commit = one.commit ? `, cited at ${shown(one.commit.slice(0, 10))}` : '';
      return `- ${verdictSigns[one.status]} ${place}${symbol} – ${escaped(reasonWords(one.reason, 'cited'))}${detail}${commit}`;
    }),
  ];
}

function authorLines(ops: MemoryLog['ops'], nowSeconds: number): string[] {
  if (ops.length === 0) return [];
  const authors = ops.slice(0, mostDeeds).map((op) => {
    return `- ${deeds[op.kind] ?? escaped(op.kind)} ${ago(op.at, nowSeconds)} by ${escaped(op.actor)}`;
  });
  const more = ops.length > mostDeeds ? [`- and ${count(ops.length - mostDeeds, 'time')} before`] : [];
  return ['', '**Who said it, and when**', '', ...authors, ...more];
}

function linkTo(address: string, line: number): string {
  return `${address.replaceAll('(', '%28').replaceAll(')', '%29')}#L${line}`;
}

function quoted(text: string): string {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => `> ${escaped(line)}`)
    .join('\n');
}

function asItem(text: string): string {
  return `- ${escaped(text.replace(/\s+/g, ' ').trim())}`;
}
