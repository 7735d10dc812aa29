/** “Where Is…”: rows of names and meaning, and what is asked while somebody types. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { NamesAnswer, SearchAnswer } from '../../src/base/protocol';
import { debounceMs, Typing } from '../../src/commands/typing';
import { whereRows, type WhereAnswers } from '../../src/commands/whereRows';

const place = (symbol: string, source_id: string, start_line: number, kind = 'function') => ({
  symbol,
  source_id,
  start_line,
  end_line: start_line + 3,
  kind,
  status: 'verified' as const,
  reason: 'unchanged',
});
const names = (...items: ReturnType<typeof place>[]): NamesAnswer => ({
  schema: 'helix.names/1',
  typed: '',
  items,
  indexed_share: 1,
  notes: [],
});
const meaning = (items: ReturnType<typeof place>[], known_empty = false, nearest: string[] = []): SearchAnswer => ({
  schema: 'helix.search/1',
  query: '',
  items: items.map((item) => ({ ...item, score: 1, signals: [] })),
  known_empty,
  confidence: 1,
  elapsed_ms: 1,
  nearest,
});
const shown = (answers: WhereAnswers): string[] =>
  whereRows(answers).map((row) => (row.kind === 'separator' ? `--- ${row.label}` : row.label));

const write = place('WritePacket', 'wire/packets.py', 1, 'class');
const read = place('ReadPacket', 'wire/packets.py', 6, 'class');

test('a row shows the mark, the name, and the file with its line', () => {
  const [row] = whereRows({ names: names(write) });
  expect(row).toMatchObject({ label: '$(symbol-class) ✓ WritePacket', description: 'wire/packets.py:1' });
  const [stale] = whereRows({ names: names({ ...write, status: 'needs_refresh' as never }) });
  expect(stale?.label).toBe('$(symbol-class) ! WritePacket');
});

test('what answers by meaning comes below names and repeats none of them', () => {
  expect(shown({ names: names(write), meaning: meaning([write, read]) })).toEqual([
    '$(symbol-class) ✓ WritePacket',
    '--- By meaning',
    '$(symbol-class) ✓ ReadPacket',
  ]);
  expect(shown({ names: names(), meaning: meaning([read]) })).toEqual(['$(symbol-class) ✓ ReadPacket']);
});

test('nothing is said to be nothing, with and without names', () => {
  const [row] = whereRows({ names: names(), meaning: meaning([], true, ['billing']) });
  expect(row).toMatchObject({ kind: 'message', label: '$(circle-slash) Nothing here answers that' });
  expect(row).toMatchObject({ detail: 'Names that come near: billing' });
  expect(shown({ names: names(), meaning: meaning([read], true) })).toEqual([
    '$(circle-slash) Nothing here answers that',
    '--- What comes near',
    '$(symbol-class) ✓ ReadPacket',
  ]);
  expect(shown({ names: names(write), meaning: meaning([], true) })).toEqual([
    '$(symbol-class) ✓ WritePacket',
    '--- By meaning',
    '$(circle-slash) Nothing else here answers that',
  ]);
});

test('a name of somebody else draws no icon and hides nothing', () => {
  const [row] = whereRows({ names: names(place('$(trash)\u202eevil', 'a\nb.py', 1)) });
  expect(row?.label).not.toContain('$(trash)');
  expect(row?.label).not.toContain('\u202e');
  expect(row).toMatchObject({ description: 'a\\nb.py:1' });
});

interface Pending<T> {
  readonly text: string;
  readonly signal: AbortSignal;
  readonly answer: (value: T) => void;
  readonly fail: (error: Error) => void;
}

function desk() {
  const asked = { names: [] as Pending<NamesAnswer>[], meaning: [] as Pending<SearchAnswer>[] };
  const lists: { answers: WhereAnswers; busy: boolean }[] = [];
  const failures: unknown[] = [];
  const pend =
    <T>(into: Pending<T>[]) =>
    (text: string, signal: AbortSignal) =>
      new Promise<T>((answer, fail) => into.push({ text, signal, answer, fail }));
  const typing = new Typing({
    names: pend(asked.names),
    meaning: pend(asked.meaning),
    show: (answers, busy) => lists.push({ answers, busy }),
    failed: (error) => failures.push(error),
  });
  return { typing, asked, lists, failures };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('names are asked at the key itself, meaning once typing rests', async () => {
  const { typing, asked, lists } = desk();
  typing.typed('pkt');
  expect(asked.names.map(({ text }) => text)).toEqual(['pkt']);
  asked.names[0]?.answer(names(write));
  await vi.advanceTimersByTimeAsync(debounceMs - 1);
  expect(lists).toEqual([{ answers: { names: names(write) }, busy: true }]);
  expect(asked.meaning).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  asked.meaning[0]?.answer(meaning([read]));
  await vi.advanceTimersByTimeAsync(0);
  expect(lists.at(-1)).toEqual({ answers: { names: names(write), meaning: meaning([read]) }, busy: false });
});

test('an answer to what is no longer typed is taken back and never shown over a newer one', async () => {
  const { typing, asked, lists } = desk();
  typing.typed('p');
  typing.typed('pk');
  expect(asked.names[0]?.signal.aborted).toBe(true);
  asked.names[1]?.answer(names(write));
  await vi.advanceTimersByTimeAsync(0);
  asked.names[0]?.answer(names(read));
  await vi.advanceTimersByTimeAsync(debounceMs);
  expect(lists).toEqual([{ answers: { names: names(write) }, busy: true }]);
  expect(asked.meaning.map(({ text }) => text)).toEqual(['pk']);
  typing.typed('');
  asked.meaning[0]?.answer(meaning([read]));
  await vi.advanceTimersByTimeAsync(debounceMs);
  expect(lists.at(-1)).toEqual({ answers: {}, busy: false });
});

test('where names cannot be asked the meaning still is', async () => {
  const { typing, asked, lists, failures } = desk();
  typing.typed('pkt');
  asked.names[0]?.fail(new Error('there is no command helix.names'));
  await vi.advanceTimersByTimeAsync(debounceMs);
  asked.meaning[0]?.answer(meaning([read]));
  await vi.advanceTimersByTimeAsync(0);
  expect(failures).toHaveLength(1);
  expect(lists.at(-1)?.answers).toEqual({ meaning: meaning([read]) });
});
