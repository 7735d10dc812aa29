/** “Where Was I?”: rows of places with marks, what changed there since, past moments like now, and consent. */
import { expect, test } from 'vitest';

import type { TrailAnswer, TrailPlace } from '../../src/base/protocol';
import { changeSince, isWholeFile, openingText, trailRows } from '../../src/memory/trailRows';

const now = 10_000;
const place = (more: Partial<TrailPlace> = {}): TrailPlace => ({
  source_id: 'app/pay.py',
  start_line: 12,
  end_line: 14,
  was: { start_line: 12, end_line: 14 },
  symbol: 'refund',
  at: now - 3_700,
  status: 'verified',
  reason: 'unchanged',
  detail: '',
  commit: null,
  ...more,
});
const answer = (more: Partial<TrailAnswer> = {}): TrailAnswer => ({
  schema: 'helix.trail/1',
  recording: true,
  last: [place()],
  moments: [],
  notes: [],
  ...more,
});
const whole = place({ symbol: null, start_line: 1, end_line: 90, was: { start_line: 1, end_line: 80 } });

test('a place has its mark, its lines, when it was opened, and no word where nothing changed', () => {
  expect(trailRows(answer(), now)[1]).toMatchObject({
    kind: 'place',
    label: '✓ refund',
    description: 'app/pay.py:12–14 · 1 hour ago',
    detail: '',
  });
});

test('what changed there since is said, and where it was', () => {
  const moved = place({ start_line: 20, end_line: 22 });
  expect(changeSince(moved, now)).toBe('Was at 12–14');
  expect(changeSince(place({ status: 'needs_refresh', reason: 'gone' }), now)).toBe('No longer there');
  const commit = { commit: 'ab12', author: 'Ada', committed_at: now - 120 };
  expect(changeSince(place({ commit }), now)).toBe('Committed 2 minutes ago by Ada');
  const renamed = place({ status: 'needs_refresh', reason: 'renamed', detail: 'repay', start_line: 20, end_line: 22 });
  expect(changeSince(renamed, now)).toBe('The same text, now under another name: repay, was at 12–14');
});

test('a whole file has no lines, and one that grew has not moved', () => {
  expect(isWholeFile(whole)).toBe(true);
  expect(isWholeFile(place())).toBe(false);
  expect(changeSince(whole, now)).toBe('');
  expect(trailRows(answer({ last: [whole] }), now)[1]).toMatchObject({
    label: '✓ pay.py',
    description: 'app/pay.py · 1 hour ago',
  });
});

test('past moments like now follow the last places, each below a line that says when it was', () => {
  const moments = [1, 2, 3].map((hours) => ({
    at: now - hours * 3_600,
    score: 0.5,
    places: [place({ symbol: `s${hours}` })],
  }));
  expect(trailRows(answer({ moments }), now).map(({ label }) => label)).toEqual([
    'Opened last',
    '✓ refund',
    'A moment like now, 1 hour ago',
    '✓ s1',
    'A moment like now, 2 hours ago',
    '✓ s2',
    'A moment like now, 3 hours ago',
    '✓ s3',
  ]);
});

test('while nothing is recorded the list says so, and offers to record', () => {
  expect(trailRows(answer({ last: [], recording: true }), now)).toEqual([
    { kind: 'message', label: '$(circle-slash) No place was opened since recording began' },
  ]);
  const kinds = trailRows(answer({ recording: false }), now).map(({ kind }) => kind);
  expect(kinds).toEqual(['separator', 'place', 'separator', 'consent']);
});

test('a name that reads like an icon is not drawn as one', () => {
  const [, row] = trailRows(answer({ last: [place({ symbol: '$(trash)' })] }), now);
  expect(row?.label).not.toContain('$(trash)');
});

test('a folder that is opened says where one was before, and how many places changed', () => {
  const began = now - 100;
  const gone = place({ source_id: 'b.py', status: 'needs_refresh', reason: 'gone' });
  const opened = place({ source_id: 'open.py', at: now - 5 });
  expect(openingText(answer({ last: [opened, place(), gone] }), began, now)).toBe(
    'Helix: you were last at app/pay.py:12–14, 1 hour ago. 1 of 2 places changed since.',
  );
  expect(openingText(answer({ last: [whole] }), began, now)).toBe('Helix: you were last at app/pay.py, 1 hour ago.');
  expect(openingText(answer({ last: [opened] }), began, now)).toBeUndefined();
  expect(openingText(answer({ last: [place()], recording: false }), began, now)).toBeUndefined();
  expect(openingText(answer({ last: [] }), began, now)).toBeUndefined();
});

test('a path that reads as a link is not a link', () => {
  const link = place({ source_id: '[x](command:y).py' });
  expect(openingText(answer({ last: [link] }), now, now)).not.toContain('](');
});
