/** Hints of a workspace: grouped, counted, walked, exported, and looked for page by page. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { Hint, HintsAnswer } from '../../src/base/protocol';
import { asJson, asMarkdown, hintCount, hintFiles, hintLabel, nextHint } from '../../src/hints/hintList';
import { HintScan, leastRestMs } from '../../src/hints/hintScan';

const hint = (source_id: string, start_line: number, more: Partial<Hint> = {}): Hint => ({
  kind: 'outdated',
  source_id,
  uri: `file:///w/${source_id}`,
  code: 'outdated_doc',
  message: `f(a) is f(a, b) now (app/f.py:3), since this text was last committed (0fd718ce, 2026-11-23); bring it up to date.`,
  start_line,
  end_line: start_line,
  text_hash: `${source_id}-${start_line}`,
  mention: 'f',
  other: { uri: 'file:///w/app/f.py', source_id: 'app/f.py', start_line: 3, end_line: 3 },
  ignored: false,
  ...more,
});
const page = (hints: Hint[], next: string | null = null): HintsAnswer => ({
  schema: 'helix.hints/1',
  hints,
  done: next === null ? 4 : 2,
  total: 4,
  next,
  partial: [],
});

test('hints are grouped by file in path order, and ignored ones count for nothing', () => {
  const hints = [hint('b.md', 9), hint('a.md', 5, { ignored: true }), hint('b.md', 2)];
  expect(
    hintFiles(hints, false).map(({ sourceId, hints: own }) => [sourceId, own.map((one) => one.start_line)]),
  ).toEqual([['b.md', [2, 9]]]);
  expect(hintFiles(hints, true).map(({ sourceId }) => sourceId)).toEqual(['a.md', 'b.md']);
  expect(hintCount(hints)).toBe(2);
});

test('the next hint is the one after the cursor, and after the last comes the first', () => {
  const files = hintFiles([hint('a.md', 5), hint('b.md', 2), hint('b.md', 9)], false);
  const after = (file: string, line: number) => {
    const next = nextHint(files, `file:///w/${file}`, line);
    return next && `${next.source_id}:${next.start_line}`;
  };
  expect(after('a.md', 1)).toBe('a.md:5');
  expect(after('a.md', 5)).toBe('b.md:2');
  expect(after('b.md', 9)).toBe('a.md:5');
  expect(after('elsewhere.py', 3)).toBe('a.md:5');
  expect(nextHint([], '', 1)).toBeUndefined();
});

test('a row says what is wrong, the advice is for the tooltip', () => {
  expect(hintLabel(hint('a.md', 1))).toBe('f(a) is f(a, b) now (app/f.py:3)');
  expect(hintLabel(hint('a.md', 1, { message: 'x\u202ey' }))).toBe('x\\u202ey');
});

test('an export in Markdown keeps text of others as text, and one in JSON can be read', () => {
  const files = hintFiles([hint('a`b.md', 1, { message: '<img src=x> [a](b) **c**\n# d' })], true);
  const text = asMarkdown('w', files);
  expect(text).toContain('1 in 1 file.\n');
  expect(text).toContain('- [ ] `` a`b.md:1 `` **Outdated**: \\<img src=x\\> \\[a\\](b) \\*\\*c\\*\\*\\\\n\\# d');
  expect(text.split('\n').filter((line) => line.startsWith('- ['))).toHaveLength(1);
  const read = JSON.parse(asJson('w', files)) as { workspace: string; hints: { source_id: string }[] };
  expect(read.hints.map(({ source_id }) => source_id)).toEqual(['a`b.md']);
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function scanning(answers: (after: string) => HintsAnswer) {
  const asked: string[] = [];
  const signals: AbortSignal[] = [];
  const failures: unknown[] = [];
  const scan = new HintScan('file:///w', {
    page: (_, after, signal) => {
      asked.push(after);
      signals.push(signal);
      return new Promise<void>((resolve) => setTimeout(resolve, 100)).then(() => answers(after));
    },
    changed: () => undefined,
    failed: (error) => failures.push(error),
    now: () => Date.now(),
  });
  return { scan, asked, signals, failures };
}

test('a look goes page by page to the end, once more since git is read beside it, and then rests', async () => {
  const { scan, asked } = scanning((after) =>
    after === '' ? page([hint('a.md', 1)], 'b.md') : page([hint('c.md', 1)]),
  );
  scan.touched();
  await vi.advanceTimersByTimeAsync(250);
  expect(asked).toEqual(['', 'b.md']);
  expect(scan.hints.map(({ source_id }) => source_id)).toEqual(['a.md', 'c.md']);
  expect(scan.isComplete).toBe(true);
  await vi.advanceTimersByTimeAsync(leastRestMs + 250);
  expect(asked).toHaveLength(4);
  scan.touched();
  scan.touched();
  await vi.advanceTimersByTimeAsync(leastRestMs - 500);
  expect(asked).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toHaveLength(6);
});

test('what was found behind a page stays until the look has reached it', async () => {
  let round = 0;
  const { scan } = scanning((after) => {
    if (after === '') round += 1;
    if (after === '') return page(round === 1 ? [hint('a.md', 1)] : [], 'b.md');
    return page([hint('c.md', 1)]);
  });
  await Promise.all([scan.look(), vi.advanceTimersByTimeAsync(250)]);
  void scan.look();
  await vi.advanceTimersByTimeAsync(150);
  expect(scan.hints.map(({ source_id }) => source_id)).toEqual(['c.md']);
  scan.stop();
});

test('a look that failed says so and keeps what it had, and one that is stopped shows nothing', async () => {
  let isBroken = false;
  const { scan, failures, signals } = scanning(() => {
    if (isBroken) throw new Error('gone');
    return page([hint('a.md', 1)]);
  });
  await Promise.all([scan.look(), vi.advanceTimersByTimeAsync(150)]);
  isBroken = true;
  await Promise.all([scan.look(), vi.advanceTimersByTimeAsync(150)]);
  expect(failures).toHaveLength(1);
  expect(scan.hints).toHaveLength(1);
  void scan.look();
  scan.stop();
  expect(signals.at(-1)?.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(150);
  expect(failures).toHaveLength(1);
});

test('a hint that is ignored is shown so at once', async () => {
  const { scan } = scanning(() => page([hint('a.md', 1), hint('a.md', 2)]));
  await Promise.all([scan.look(), vi.advanceTimersByTimeAsync(150)]);
  const [first] = scan.hints;
  if (first) scan.mark(first, true);
  expect(scan.hints.map(({ ignored }) => ignored)).toEqual([true, false]);
});

test('a look that began before a hint was ignored does not bring it back', async () => {
  let isIgnored = false;
  const scan = new HintScan('file:///w', {
    page: async () => {
      const made = page([{ ...hint('a.md', 1), ignored: isIgnored }]);
      await new Promise<void>((resolve) => setTimeout(resolve, 100));
      return made;
    },
    changed: () => undefined,
    failed: () => undefined,
    now: () => Date.now(),
  });
  await Promise.all([scan.look(), vi.advanceTimersByTimeAsync(150)]);
  void scan.look();
  const [first] = scan.hints;
  isIgnored = true;
  if (first) scan.mark(first, true);
  await vi.advanceTimersByTimeAsync(300);
  expect(scan.hints.map(({ ignored }) => ignored)).toEqual([true]);
  scan.stop();
});

test('a hint stays while its file is looked at in part, and the file is looked at again after longer and longer rests', async () => {
  const both = [hint('a.md', 1), hint('a.md', 5)];
  const answers = [page(both), { ...page(both.slice(0, 1)), partial: ['a.md'] }];
  const { scan, asked } = scanning(() => answers[Math.min(asked.length, 2) - 1] ?? page([]));
  scan.touched();
  await vi.advanceTimersByTimeAsync(leastRestMs + 500);
  expect(asked).toHaveLength(2);
  expect(scan.hints).toEqual(both);
  await vi.advanceTimersByTimeAsync(2 * leastRestMs);
  expect(asked).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(2 * leastRestMs);
  expect(asked).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(2 * leastRestMs);
  expect(asked).toHaveLength(4);
  expect(scan.hints).toEqual(both);
  scan.stop();
});

test('a hint is gone when its file was looked at as a whole without it', async () => {
  const answers = [page([hint('a.md', 1)]), page([])];
  const { scan, asked } = scanning(() => answers[asked.length - 1] ?? page([]));
  scan.touched();
  await vi.advanceTimersByTimeAsync(leastRestMs + 500);
  expect(scan.hints).toEqual([]);
  scan.stop();
});
