/** A packet, or one pointer of it, as Markdown to paste into a message or a review. Pure. */

import type { Contradiction, LineSpan, Packet, PacketMemory } from '../base/protocol';
import { linesOf, shown } from './shown';
import { currentSpan, type LiveItem } from './verdicts';
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
  verdictSigns,
} from './words';

const marks = verdictSigns;

/** The whole packet. `nowSeconds` dates the commits. */
export function packetMarkdown(packet: Packet, nowSeconds: number): string {
  const parts = [`# ${prose(packet.query)}`, headline(packet)];
  if (packet.known_empty) parts.push(nothing(packet));
  for (const status of groups) {
    if (packet[status].length === 0) continue;
    parts.push(`## ${marks[status]} ${groupNames[status]} – ${groupMeanings[status]}`);
    parts.push(...packet[status].map((item) => itemMarkdown(item, nowSeconds)));
  }
  const remembered = packet.memories ?? [];
  if (remembered.length > 0) parts.push('## Remembered', remembered.map(memory).join('\n'));
  if (packet.refresh_targets.length > 0) parts.push('## Read again first', plan(packet));
  if (packet.contradictions.length > 0) {
    parts.push('## Sources that contradict each other', packet.contradictions.map(contradiction).join('\n'));
  }
  if (packet.notes.length > 0) parts.push('## Notes', packet.notes.map((note) => `- ${prose(note)}`).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

/** One pointer: its place, its verdict, where it comes from, and what it says. */
export function itemMarkdown(item: LiveItem, nowSeconds: number): string {
  const span = currentSpan(item) ?? item;
  const symbol = item.symbol === '' ? '' : ` ${code(item.symbol)}`;
  const detail = item.detail === undefined || item.detail === '' ? '' : ` (${prose(item.detail)})`;
  const facts = [
    `${marks[item.status]} ${groupNames[item.status].toLowerCase()}: ${reasonWords(item.reason)}${detail}`,
  ];
  if (item.commit !== null)
    facts.push(
      `${changed(item.commit_of, item.uncommitted)} ${origin(item.commit, item.author, item.committed_at, nowSeconds)}`,
    );
  else if (item.uncommitted === true) facts.push(notCommitted);
  const head = `### ${place(item.source_id, span)}${symbol}\n\n${facts.join(' · ')}`;
  const lines = linesOf(item.quote);
  return lines.length === 0 ? head : `${head}\n\n${fenced(lines, item.language)}`;
}

function memory(one: PacketMemory): string {
  const cited = one.evidence.map((each) => place(each.source_id, each)).join(', ');
  const facts = `${one.kind}, by ${one.origin}${cited === '' ? '' : `, cites ${cited}`}`;
  return `- ${marks[one.status]} ${prose(one.text)} (${facts}; ${memoryReason(one.reason, one)})`;
}

function headline(packet: Packet): string {
  const confidence = `${packet.coordinate_confidence.toFixed(2)} (${confidenceWords(packet.coordinate_confidence)}, ${oftenRight(packet.coordinate_confidence)})`;
  const facts = [`task ${packet.task_type}`];
  if (!packet.known_empty) facts.push(`confidence ${confidence}`);
  if (packet.head !== '') facts.push(`HEAD ${code(packet.head.slice(0, 8))}`);
  facts.push(duration(packet.accounting.elapsed_ms));
  return facts.join(' · ');
}

function nothing(packet: Packet): string {
  const { searched, sources } = packet.accounting;
  const near = packet.nearest.length === 0 ? '' : `\n\nNearest: ${packet.nearest.map(code).join(', ')}`;
  return `${nothingWords(packet)} Searched ${count(searched, 'item')} of ${count(sources, 'file')}.${near}`;
}

function plan(packet: Packet): string {
  return packet.refresh_targets
    .map((target) => `- [ ] ${place(target.source_id, target)} – ${reasonWords(target.reason)}`)
    .join('\n');
}

function contradiction({ key, fresher, older, order_known: isOrderKnown }: Contradiction): string {
  const side = (claim: Contradiction['fresher']): string =>
    `${code(claim.value)} in ${place(claim.source_id, { start_line: claim.line, end_line: claim.line })}`;
  return isOrderKnown === false
    ? `- ${code(key)}: ${side(fresher)}, ${side(older)} (which changed last is not known)`
    : `- ${code(key)}: ${side(fresher)} (fresher), ${side(older)} (older)`;
}

function origin(commit: string, author: string | null, committedAt: number | null, nowSeconds: number): string {
  const when = committedAt === null ? [] : [ago(committedAt, nowSeconds)];
  return [code(commit.slice(0, 8)), ...(author === null ? [] : [prose(author)]), ...when].join(', ');
}

function place(sourceId: string, span: LineSpan): string {
  const lines = span.start_line === span.end_line ? `${span.start_line}` : `${span.start_line}-${span.end_line}`;
  return code(`${sourceId}:${lines}`);
}

/** Text of others as a code span: its own backticks cannot end it. */
export function code(text: string): string {
  const safe = shown(text);
  const fence = '`'.repeat(longestRun(safe) + 1);
  const pad = safe.startsWith('`') || safe.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${safe}${pad}${fence}`;
}

export function fenced(lines: readonly string[], language: string): string {
  const safe = lines.map((line) => shown(line, '\t'));
  const fence = '`'.repeat(Math.max(3, longestRun(safe.join('\n')) + 1));
  return `${fence}${/^[\w+#-]+$/.test(language) ? language : ''}\n${safe.join('\n')}\n${fence}`;
}

/** Text of others as prose: nothing in it becomes a link, an image, a heading or HTML. */
export function prose(text: string): string {
  return shown(text).replace(/[\\`*_{}[\]<>#|!&~]/g, (character) => `\\${character}`);
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
