/** How an answer came about, to test with: as the server would tell it of the given items. */
import type { AnswerExplanation, PacketItem, RankedItem } from '../../../src/base/protocol';

export function ranked(of: PacketItem, more: Partial<RankedItem> = {}): RankedItem {
  const { source_id, gene_id, start_line, end_line, symbol, kind } = of;
  return {
    source_id,
    gene_id,
    start_line,
    end_line,
    symbol,
    kind,
    score: 3.3,
    signals: [
      { ranker: 'files', rank: 7, share: 0.6 },
      { ranker: 'outlines', rank: 1, share: 0.4 },
    ],
    place: [
      { sign: 'text', says: 'the question’s words', value: 0.5, effect: 1.64 },
      { sign: 'nested', says: 'not nested in a function', value: 0, effect: -0.2 },
      { sign: 'macro', says: 'no macro', value: 0, effect: 0.01 },
    ],
    ...more,
  };
}

export function explained(items: readonly RankedItem[], more: Partial<AnswerExplanation> = {}): AnswerExplanation {
  return {
    schema: 'helix.explain/1',
    query: 'how is it decided',
    task_type: 'edit',
    items,
    known_empty: items.length === 0,
    confidence: 0.81,
    rankers: { files: 'used', outlines: 'used', claims: 'empty', names: 'off', similar: 'the time was over' },
    lists: {
      files: [
        { source_id: 'core/other.py', rank: 1, share: 0.9, part: 1.8, shown: false },
        ...items.map((item) => ({ source_id: item.source_id, rank: 7, share: 0.6, part: 1.2, shown: true })),
      ],
      outlines: items.map((item) => ({ source_id: item.source_id, rank: 1, share: 0.4, part: 0.8, shown: true })),
      claims: [],
      names: [],
      similar: [],
    },
    weights: {
      files: { weight: 1.88, files: 86, says: 'words of the question in the whole file' },
      outlines: { weight: 1.35, files: 249, says: 'the file’s outline is near in meaning' },
    },
    vectors: { model: 'static', levels: ['chunk', 'outline'], unready: [] },
    certainty: {
      presence: 0.98,
      floor: 0.5,
      presence_signs: [{ sign: 'covered', says: 'of what the words tell is here', value: 1, effect: 6.3 }],
      place: 0.83,
      place_signs: [{ sign: 'gap', says: 'ahead of the next file', value: 0.2, effect: 0.4 }],
    },
    ...more,
  };
}
