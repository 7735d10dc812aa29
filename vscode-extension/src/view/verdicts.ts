/**
 * A packet whose verdicts change while it is looked at. Pure: a packet and what the server tells give the next packet.
 */

import type { ItemName, LineSpan, Packet, PacketItem, VerdictsParams, VerdictStatus } from '../base/protocol';
import { groups } from './words';

/** An item, and its current place if a later verdict gave one. */
export interface LiveItem extends PacketItem {
  /** `null`: it is nowhere any more. Absent: where the packet said. */
  readonly now?: LineSpan | null;
}

export interface VerdictMove {
  readonly key: string;
  readonly item: LiveItem;
  readonly from: VerdictStatus;
}

type Pointer = Pick<PacketItem, 'source_id' | 'gene_id' | 'start_line' | 'end_line'>;

/** What names an item within its packet. */
export function itemKey(item: Pointer): string {
  return `${item.source_id}:${item.start_line}-${item.end_line}:${item.gene_id}`;
}

export function itemsOf(packet: Packet): LiveItem[] {
  return groups.flatMap((status) => [...packet[status]]);
}

/**
 * The items in the order in which they were first shown: a verdict that changes moves nothing. Where one of them is new,
 * the best first. `order` are their keys.
 */
export function inOrder(packet: Packet, order: readonly string[]): LiveItem[] {
  const best = itemsOf(packet).sort((a, b) => b.relevance_score - a.relevance_score);
  const places = new Map(order.map((key, place) => [key, place]));
  const placeOf = (item: LiveItem): number => places.get(itemKey(item)) ?? -1;
  return best.some((item) => placeOf(item) < 0) ? best : best.sort((a, b) => placeOf(a) - placeOf(b));
}

/** The lines to open: the current ones of the item, in the unsaved buffer if there is one. Null: nowhere. */
export function currentSpan(item: LiveItem): LineSpan | null {
  if (item.buffer !== undefined) return item.buffer;
  return item.now === undefined ? item : item.now;
}

/**
 * The packet with the verdicts of now, or the answer of now with its own, and the items whose status or reason is
 * another one than before.
 */
export function withVerdicts(packet: Packet, told: VerdictsParams): { packet: Packet; moves: VerdictMove[] } {
  const shown = told.packet ?? packet;
  const before = new Map(itemsOf(packet).map((item) => [itemKey(item), item]));
  const news = new Map(told.items.map((change) => [changeKey(change), change]));
  const moves: VerdictMove[] = [];
  const items = itemsOf(shown).map((item): LiveItem => {
    const key = itemKey(item);
    const change = news.get(changeKey(item)) ?? news.get(key);
    if (change === undefined) return item;
    // The buffer's span belongs to the verdict `unsaved` and leaves with it.
    const { buffer, ...kept } = item;
    const judged: LiveItem = {
      ...kept,
      ...(change.reason === 'unsaved' && change.now !== null ? { buffer: change.now } : {}),
      ...(change.reason === 'unsaved' && change.now === null && buffer !== undefined ? { buffer } : {}),
      status: change.status,
      reason: change.reason,
      detail: change.detail,
      now: change.now,
    };
    const was = before.get(key);
    if (was !== undefined && (was.status !== judged.status || was.reason !== judged.reason))
      moves.push({ key, item: judged, from: was.status });
    return judged;
  });
  return { packet: { ...shown, ...grouped(items), refresh_targets: told.refresh_targets }, moves };
}

/** The keys of the items of `packet` that came with the answer of now. */
export function arrivals(packet: Packet, came: readonly ItemName[]): string[] {
  const names = new Set(came.map(nameKey));
  return itemsOf(packet)
    .filter((item) => names.has(nameKey(item)))
    .map(itemKey);
}

function nameKey({ source_id, gene_id, symbol }: Pick<ItemName, 'source_id' | 'gene_id' | 'symbol'>): string {
  return `${source_id}:${gene_id}:${symbol}`;
}

/** Two items of equal text in one place differ by their symbol alone, where a verdict says it. */
function changeKey(change: Pointer & { readonly symbol?: string }): string {
  return change.symbol === undefined ? itemKey(change) : `${itemKey(change)}:${change.symbol}`;
}

function grouped(items: readonly LiveItem[]): Record<VerdictStatus, LiveItem[]> {
  const best = [...items].sort((a, b) => b.relevance_score - a.relevance_score);
  return {
    verified: best.filter((item) => item.status === 'verified'),
    stale_risk: best.filter((item) => item.status === 'stale_risk'),
    needs_refresh: best.filter((item) => item.status === 'needs_refresh'),
  };
}
