/**
 * The packets asked for before: newest first, bounded in number and in size, pinned ones kept longest.
 *
 * Pure; where it is kept is the caller's. Says nothing about whether an old verdict still holds: that is judged again
 * whenever a packet is shown.
 */

import { taskTypes, type CheckAnswer, type GivenItem, type Packet } from '../base/protocol';
import type { HistoryRow } from './messages';

export interface HistoryEntry {
  readonly id: string;
  readonly askedAt: number;
  /** When its verdicts were last judged, in Unix seconds. */
  readonly judgedAt: number;
  readonly pinned: boolean;
  /** Uri of the workspace folder asked, or empty for the server's choice. */
  readonly workspace: string;
  readonly packet: Packet;
  /** The places were given, as those that a model was sent, and not searched for. */
  readonly given?: readonly GivenItem[];
  /** What of the model's answer is wrong. */
  readonly check?: CheckAnswer;
}

export type History = readonly HistoryEntry[];

const mostUnpinned = 30;
const mostPinned = 30;
const mostCharacters = 1_500_000;
const mostQuote = 4_000;

/** The history with this packet first. The same question for the same task takes the place of its former answer. */
export function remember(history: History, asked: HistoryEntry): History {
  const former = history.find((one) => sameQuestion(one, asked));
  const rest = history.filter((one) => one.id !== asked.id && one !== former);
  return bounded([{ ...asked, pinned: asked.pinned || (former?.pinned ?? false) }, ...rest]);
}

/** The history with another answer in the place of `id`, which keeps its pin and its place. */
export function replace(history: History, id: string, packet: Packet, judgedAt: number): History {
  return history.map((one) => (one.id === id ? { ...one, packet, judgedAt } : one));
}

export function pin(history: History, id: string, pinned: boolean): History {
  return bounded(history.map((one) => (one.id === id ? { ...one, pinned } : one)));
}

export function forget(history: History, id: string): History {
  return history.filter((one) => one.id !== id);
}

/** Only what is pinned. */
export function forgetUnpinned(history: History): History {
  return history.filter((one) => one.pinned);
}

/** Within the bounds: number of packets, and size when written down. Unpinned and old ones go first. */
export function bounded(history: History): History {
  const pinned = history.filter((one) => one.pinned).slice(0, mostPinned);
  const unpinned = history.filter((one) => !one.pinned).slice(0, mostUnpinned);
  let characters = 0;
  const kept = new Set(
    [...pinned, ...unpinned].filter((one) => {
      characters += JSON.stringify(withShortQuotes(one)).length;
      return characters <= mostCharacters;
    }),
  );
  return history.filter((one) => kept.has(one));
}

/** As written down: long quotes shortened to whole lines. */
export function saved(history: History): History {
  return history.map(withShortQuotes);
}

/** What was written down, or what of it can be read: another version may have written it. */
export function restored(stored: unknown): History {
  if (!Array.isArray(stored)) return [];
  return stored.filter(isAsked);
}

/** As the page lists it: pinned first, newest first. */
export function rowsOf(history: History): HistoryRow[] {
  const rows = history.map(({ id, askedAt, pinned, packet }): HistoryRow => ({
    id,
    askedAt,
    pinned,
    question: packet.query,
    task: packet.task_type,
    folder: packet.workspace.replace(/^.*[\\/](?=.)/, ''),
    verified: packet.verified.length,
    staleRisk: packet.stale_risk.length,
    needsRefresh: packet.needs_refresh.length,
  }));
  return rows.sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.askedAt - a.askedAt);
}

function sameQuestion(a: HistoryEntry, b: HistoryEntry): boolean {
  return (
    a.packet.query === b.packet.query &&
    a.packet.task_type === b.packet.task_type &&
    a.packet.workspace === b.packet.workspace &&
    (a.given === undefined) === (b.given === undefined)
  );
}

function withShortQuotes(asked: HistoryEntry): HistoryEntry {
  const { packet } = asked;
  const short = (items: Packet['verified']): Packet['verified'] =>
    items.map((item) => (item.quote.length > mostQuote ? { ...item, quote: wholeLines(item.quote) } : item));
  return {
    ...asked,
    packet: {
      ...packet,
      verified: short(packet.verified),
      stale_risk: short(packet.stale_risk),
      needs_refresh: short(packet.needs_refresh),
    },
  };
}

function wholeLines(quote: string): string {
  return quote.slice(0, Math.max(quote.lastIndexOf('\n', mostQuote), quote.lastIndexOf('\r', mostQuote)) + 1);
}

function isAsked(value: unknown): value is HistoryEntry {
  const asked = value as Partial<HistoryEntry> | null;
  const packet = asked?.packet as Partial<Packet> | undefined;
  return (
    typeof asked === 'object' &&
    typeof asked?.id === 'string' &&
    typeof asked.askedAt === 'number' &&
    typeof asked.judgedAt === 'number' &&
    typeof asked.pinned === 'boolean' &&
    typeof asked.workspace === 'string' &&
    packet?.schema === 'helix.packet/1' &&
    typeof packet.query === 'string' &&
    typeof packet.workspace === 'string' &&
    taskTypes.some((task) => task === packet.task_type) &&
    [packet.verified, packet.stale_risk, packet.needs_refresh, packet.contradictions].every(Array.isArray) &&
    [packet.refresh_targets, packet.nearest, packet.notes].every(Array.isArray) &&
    typeof packet.accounting === 'object'
  );
}
