/** A packet as an answer in the chat: verdicts, places that open, quotes, and what can be done next. Pure. */
import type { Packet, PacketItem, VerdictStatus } from '../base/protocol';
import { code, fenced, prose } from '../view/markdown';
import { linesOf } from '../view/shown';
import {
  ago,
  changed,
  notCommitted,
  confidenceWords,
  count,
  duration,
  groupMeanings,
  groupNames,
  groups,
  nothingWords,
  oftenRight,
  memoryReason,
  reasonWords,
  saysMore,
  verdictSigns,
} from '../view/words';
import { button, place, text, type ChatPart } from './parts';

export const marks = verdictSigns;

export interface Detail {
  /** How many places get a quote, and how many lines of it. */
  readonly quotes: number;
  readonly lines: number;
  /** Contradictions, what to read again, and notes too. */
  readonly everything: boolean;
}

export const brief: Detail = { quotes: 3, lines: 12, everything: false };
export const whole: Detail = { quotes: 50, lines: 40, everything: true };

/** The items in the order in which an answer numbers them. */
export function itemsOf(packet: Packet): PacketItem[] {
  return groups.flatMap((status) => packet[status]);
}

export function packetParts(packet: Packet, detail: Detail, nowSeconds: number): ChatPart[] {
  if (packet.known_empty) {
    return [text(nothing(packet)), ...memories(packet), ...notes(packet)];
  }
  const parts: ChatPart[] = [text(`${headline(packet)}\n\n`)];
  const origin = detail.everything ? oncePerFile(nowSeconds) : () => '';
  let number = 0;
  for (const status of groups) {
    if (packet[status].length > 0) {
      parts.push(text(`#### ${marks[status]} ${groupNames[status]} – ${groupMeanings[status]}\n\n`));
    }
    for (const item of packet[status]) {
      number += 1;
      const lines = number <= detail.quotes ? detail.lines : 0;
      parts.push(text(`**${number}** `), place(item), text(`${facts(item)}${origin(item)}\n\n${quote(item, lines)}`));
    }
  }
  parts.push(...memories(packet));
  if (detail.everything) {
    parts.push(...contradictions(packet), ...refreshTargets(packet), ...notes(packet));
  }
  parts.push(button('Show in Packet View', 'helix.ask.question', packet.query));
  if (packet.refresh_targets.length > 0) {
    parts.push(button('Refresh Index', 'helix.refreshIndex'));
  }
  return parts;
}

/** What must be read again, most pressing first; no parts where nothing must. */
export function refreshTargets({ refresh_targets: targets }: Pick<Packet, 'refresh_targets'>): ChatPart[] {
  if (targets.length === 0) {
    return [];
  }
  const rows = targets.flatMap((target) => [text('- '), place(target), text(` ${reasonWords(target.reason)}\n`)]);
  return [text('#### ! Read again first\n\n'), ...rows, text('\n')];
}

/** `3 verified, 1 stale risk`. */
export function verdictCounts(packet: Pick<Packet, VerdictStatus>): string {
  return groups
    .filter((status) => packet[status].length > 0)
    .map((status) => `${marks[status]} ${packet[status].length} ${groupNames[status].toLowerCase()}`)
    .join(', ');
}

function headline(packet: Packet): string {
  const confidence = packet.coordinate_confidence;
  const about = `${confidenceWords(confidence)} (${oftenRight(confidence)})`;
  return `**${verdictCounts(packet)}** – ${about}, ${duration(packet.accounting.elapsed_ms)}`;
}

/** Its symbol, and what is wrong with it: the mark of the verdict is above or before it. */
export function facts(item: ItemVerdict): string {
  const symbol = item.symbol ? ` ${code(item.symbol)}` : '';
  const detail = item.detail ? ` (${prose(item.detail)})` : '';
  return saysMore(item) ? `${symbol} – ${reasonWords(item.reason)}${detail}` : symbol;
}

/** Who changed a place last; of a whole file that is said once. */
export function oncePerFile(nowSeconds: number): (item: ItemVerdict) => string {
  const said = new Set<string>();
  return ({ source_id, commit, commit_of, uncommitted, author, committed_at }) => {
    if (commit === null || said.has(source_id)) return uncommitted === true ? ` · ${notCommitted}` : '';
    if (commit_of !== 'lines') said.add(source_id);
    const when = committed_at === null ? '' : `, ${ago(committed_at, nowSeconds)}`;
    return ` · ${changed(commit_of, uncommitted)} ${code(commit.slice(0, 8))}${author ? `, ${prose(author)}` : ''}${when}`;
  };
}

/** What a packet's items and a symbol's places have in common. */
type ItemVerdict = Pick<
  PacketItem,
  | 'source_id'
  | 'symbol'
  | 'status'
  | 'reason'
  | 'detail'
  | 'commit'
  | 'commit_of'
  | 'uncommitted'
  | 'author'
  | 'committed_at'
>;

function quote(item: PacketItem, most: number): string {
  const lines = linesOf(item.quote);
  if (lines.length === 0 || most === 0) {
    return '';
  }
  return `${fenced(lines.slice(0, most), item.language)}\n\n`;
}

function nothing(packet: Packet): string {
  const { searched, sources } = packet.accounting;
  const near = packet.nearest.length > 0 ? `\n\nNearest: ${packet.nearest.map(code).join(', ')}` : '';
  return `**${nothingWords(packet)}** Searched ${count(searched, 'item')} of ${count(sources, 'file')}.${near}\n\n`;
}

function memories(packet: Packet): ChatPart[] {
  const found = packet.memories ?? [];
  if (found.length === 0) {
    return [];
  }
  return [
    text('#### Remembered\n\n'),
    ...found.flatMap((one) => [
      text(
        `- ${verdictSigns[one.status]} ${prose(one.text)} (${one.kind}, by ${one.origin}; ${memoryReason(one.reason, one)})`,
      ),
      ...one.evidence.flatMap((each) => [text(' '), place(each)]),
      text('\n'),
    ]),
    text('\n'),
  ];
}

function contradictions(packet: Packet): ChatPart[] {
  if (packet.contradictions.length === 0) {
    return [];
  }
  const side = (claim: Packet['contradictions'][number]['fresher']): ChatPart[] => [
    text(`${code(claim.value)} in `),
    place({ source_id: claim.source_id, start_line: claim.line, end_line: claim.line }),
  ];
  return [
    text('#### Sources that contradict each other\n\n'),
    ...packet.contradictions.flatMap((one) => [
      text(`- ${code(one.key)}: `),
      ...side(one.fresher),
      text(one.order_known === false ? ', ' : ' (fresher), '),
      ...side(one.older),
      text(one.order_known === false ? ' (which changed last is not known)\n' : ' (older)\n'),
    ]),
    text('\n'),
  ];
}

function notes(packet: Packet): ChatPart[] {
  return packet.notes.length === 0 ? [] : [text(`${packet.notes.map((note) => `- ${prose(note)}`).join('\n')}\n\n`)];
}
