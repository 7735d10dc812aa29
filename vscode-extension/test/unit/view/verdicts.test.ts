import { describe, expect, it } from 'vitest';
import { arrivals, currentSpan, itemKey, itemsOf, withVerdicts } from '../../../src/view/verdicts';
import { item, packet, told, verdict } from './packets';

const first = item({ gene_id: 'first', relevance_score: 0.9 });
const second = item({ gene_id: 'second', relevance_score: 0.4, start_line: 30, end_line: 40 });

describe('verdicts that change while a packet is looked at', () => {
  it('move an item to its new group, with the reason and the place of now', () => {
    const change = verdict(first, {
      status: 'needs_refresh',
      reason: 'changed',
      now: { start_line: 15, end_line: 17 },
    });
    const { packet: next, moves } = withVerdicts(packet([first, second]), told([change]));
    expect(next.verified.map(({ gene_id }) => gene_id)).toEqual(['second']);
    expect(next.needs_refresh[0]).toMatchObject({ gene_id: 'first', status: 'needs_refresh', reason: 'changed' });
    expect(moves).toEqual([expect.objectContaining({ key: itemKey(first), from: 'verified' })]);
    expect(itemsOf(next).map(currentSpan)).toContainEqual({ start_line: 15, end_line: 17 });
  });

  it('are not a move when status and reason stay, though the place may be new', () => {
    const change = verdict(first, { now: { start_line: 20, end_line: 22 } });
    const { packet: next, moves } = withVerdicts(packet([first]), told([change]));
    expect(moves).toEqual([]);
    expect(currentSpan(itemsOf(next)[0] ?? item())).toEqual({ start_line: 20, end_line: 22 });
  });

  it('leave items alone that nothing is told about, and bring the new plan', () => {
    const target = {
      target_kind: 'code',
      source_id: 'core/plan.py',
      start_line: 12,
      end_line: 14,
      reason: 'changed',
      priority: 0.8,
    };
    const { packet: next } = withVerdicts(packet([first, second]), told([], { refresh_targets: [target] }));
    expect(next.verified).toEqual([first, second]);
    expect(next.refresh_targets).toEqual([target]);
  });

  it('tell two items of equal text apart by their place', () => {
    const here = item({ start_line: 1, end_line: 3 });
    const there = item({ start_line: 8, end_line: 10 });
    const { packet: next } = withVerdicts(
      packet([here, there]),
      told([verdict(there, { status: 'stale_risk', reason: 'unsaved' })]),
    );
    expect(next.verified).toEqual([here]);
    expect(next.stale_risk).toHaveLength(1);
  });

  it('keep a group in order of relevance, whatever came into it last', () => {
    const late = { ...first, status: 'needs_refresh' as const, reason: 'changed' };
    const { packet: next } = withVerdicts(
      packet([second, late]),
      told([verdict(late, { status: 'verified', reason: 'reingested' })]),
    );
    expect(next.verified.map(({ gene_id }) => gene_id)).toEqual(['first', 'second']);
  });

  it('point into the unsaved buffer while there is one, and back to disk after it was saved', () => {
    const buffer = { start_line: 3, end_line: 5 };
    const unsaved = withVerdicts(
      packet([first]),
      told([verdict(first, { status: 'stale_risk', reason: 'unsaved', now: buffer })]),
    ).packet;
    expect(unsaved.stale_risk[0]?.buffer).toEqual(buffer);
    const saved = withVerdicts(
      unsaved,
      told([verdict(first, { status: 'verified', reason: 'moved', now: buffer })]),
    ).packet;
    expect(saved.verified[0]?.buffer).toBeUndefined();
  });

  it('say that an item stands nowhere any more', () => {
    const gone = withVerdicts(
      packet([first]),
      told([verdict(first, { status: 'needs_refresh', reason: 'gone', now: null })]),
    ).packet;
    expect(itemsOf(gone).map(currentSpan)).toEqual([null]);
  });

  it('give way to the answer of now where the server asked again, and say what came', () => {
    const later = item({ gene_id: 'later', symbol: 'late', start_line: 50, end_line: 60, relevance_score: 0.7 });
    const again = packet([first, later], { coordinate_confidence: 0.9 });
    const change = told([verdict(first, {}), verdict(later, {}), verdict(second, { status: 'needs_refresh' })], {
      packet: again,
      came: [later],
      went: [second],
    });
    const { packet: next, moves } = withVerdicts(packet([first, second]), change);
    expect(next.verified.map(({ gene_id }) => gene_id)).toEqual(['first', 'later']);
    expect(next.needs_refresh).toEqual([]);
    expect(next.coordinate_confidence).toBe(0.9);
    expect(moves).toEqual([]);
    expect(arrivals(next, change.came ?? [])).toEqual([itemKey(later)]);
  });

  it('tell an item from the one that stood there under another name', () => {
    const renamed = item({ symbol: 'New.decide' });
    const change = told([
      verdict(renamed, { symbol: 'New.decide' }),
      verdict(renamed, { symbol: 'Old.decide', status: 'stale_risk', reason: 'renamed' }),
    ]);
    const { packet: next } = withVerdicts(packet([renamed]), change);
    expect(next.verified).toHaveLength(1);
    expect(next.stale_risk).toEqual([]);
  });
});
