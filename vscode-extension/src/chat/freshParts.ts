/** Whether earlier answers are still true, and the state of the index, as answers in the chat. Pure. */
import type { IndexReport, Packet, StatusAnswer } from '../base/protocol';
import { code } from '../view/markdown';
import { count, duration } from '../view/words';
import { facts, itemsOf, marks, refreshTargets, verdictCounts } from './packetParts';
import { button, place, text, type ChatPart, type FilePlace } from './parts';

/** Each place with its verdict of this moment; those that an earlier answer named and that are gone from it come last. */
export function freshParts(packet: Packet, before: readonly FilePlace[]): ChatPart[] {
  const items = itemsOf(packet);
  if (items.length === 0) {
    return [text(`**Nothing answers ${code(packet.query)} any more.**\n\n`)];
  }
  const rows = items.flatMap((item, number) => [
    text(`**${number + 1}** ${marks[item.status]} `),
    place(item),
    text(`${facts(item)}\n\n`),
  ]);
  const gone = before.filter((one) => !items.some((item) => item.source_id === one.source_id));
  return [
    text(`**${verdictCounts(packet)}** – looked at just now, for ${code(packet.query)}\n\n`),
    ...rows,
    ...(gone.length > 0
      ? [text(`No longer part of the answer: ${gone.map((one) => code(one.source_id)).join(', ')}\n\n`)]
      : []),
    ...refreshTargets(packet),
    ...(packet.refresh_targets.length > 0 ? [button('Refresh Index', 'helix.refreshIndex')] : []),
  ];
}

/** How far the index of a folder is from the disk. */
export function statusParts(name: string, status: StatusAnswer): ChatPart[] {
  const waiting = status.pending.changed_or_new + status.pending.gone;
  const head = status.git ? `, on ${code(status.git.branch || status.git.head.slice(0, 8))}` : '';
  const state = status.fresh
    ? '✓ the index says what the disk says'
    : `! ${count(waiting, 'file')} changed since ${waiting === 1 ? 'it was' : 'they were'} indexed`;
  return [
    text(
      `**${code(name)}** ${state}: ${count(status.index.files, 'file')}, ${count(status.index.items, 'item')}${head}\n\n`,
    ),
    ...(status.fresh ? [] : [button('Refresh Index', 'helix.refreshIndex')]),
  ];
}

/** What a refresh found. */
export function refreshedParts(report: IndexReport): ChatPart[] {
  const changed = report.added + report.changed + report.removed;
  const what = changed === 0 ? 'no changes' : `${changed} of them new, changed or gone`;
  return [
    text(`The index is up to date: ${count(report.files, 'file')}, ${what} (${duration(report.elapsed_ms)}).\n\n`),
  ];
}

/** What a refresh plan asks for. */
export function planParts(plan: Pick<Packet, 'refresh_targets'>, question: string): ChatPart[] {
  const rows = refreshTargets(plan);
  return rows.length > 0
    ? [text(`For ${code(question)}:\n\n`), ...rows]
    : [text(`For ${code(question)} nothing has to be read again.\n\n`)];
}
