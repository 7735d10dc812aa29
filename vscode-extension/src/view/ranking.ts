/** How an answer came about, said for people. Pure. */

import type { AnswerExplanation, ListedFile, PacketItem, RankedItem, RankingSign } from '../base/protocol';

const known = new Set([
  ...['chunks', 'files', 'phrases', 'outlines', 'passages', 'names', 'similar', 'exact', 'paths', 'claims'],
  ...['tests', 'tested'],
]);

/** The class that gives a ranker its colour. */
export function rankerClass(ranker: string): string {
  return known.has(ranker) ? `r-${ranker}` : 'r-other';
}

/** `31 %`; what counts at all is never `0 %`. */
export function percent(share: number): string {
  return share > 0 && share < 0.005 ? '< 1 %' : `${Math.round(share * 100)} %`;
}

/** `+1.6`, `−0.4`, or `0.0` where it rounds to nothing. */
export function signed(effect: number): string {
  const size = Math.abs(effect).toFixed(1);
  if (size === '0.0') return size;
  return effect < 0 ? `−${size}` : `+${size}`;
}

/** Speaks it for, against, or for nothing? */
export function leaning(effect: number): 'for' | 'against' | '' {
  if (signed(effect) === '0.0') return '';
  return effect < 0 ? 'against' : 'for';
}

/** The item of the explanation that an item of the packet is; nothing where the answer is another one by now. */
export function rankedAs(told: AnswerExplanation, item: PacketItem): RankedItem | undefined {
  const same = told.items.filter((one) => one.source_id === item.source_id && one.gene_id === item.gene_id);
  return same.find((one) => one.start_line === item.start_line && one.end_line === item.end_line) ?? same[0];
}

/** The signs that weigh something, the weightiest first. */
export function weighty(signs: readonly RankingSign[], most: number): RankingSign[] {
  return signs.filter((one) => signed(one.effect) !== '0.0').slice(0, most);
}

/** The first files of a list, and those of the answer from further down. */
export function worthShowing(listed: readonly ListedFile[], most: number): ListedFile[] {
  return [...listed.slice(0, most), ...listed.slice(most).filter((one) => one.shown)];
}

/** Whose vectors served. */
export function vectorWords({ model, levels, unready }: AnswerExplanation['vectors']): string {
  if (model === '') return 'No vectors served.';
  const name = model === 'static' ? 'The built-in vectors' : `The vectors of ${model}`;
  const later = unready.length === 0 ? '' : `; not ready yet: ${unready.join(', ')}`;
  return `${name} served (${levels.join(', ')})${later}.`;
}
