/** Memories as rows: grouped, marked, counted, cited, and why each is believed. */
import { expect, test } from 'vitest';

import type { CitedLines, MemoryItem, MemoryLog, NamedMemory, RecallAnswer, ReviewItem } from '../../src/base/protocol';
import {
  citationsNow,
  citedMemory,
  citeOf,
  confirmation,
  contextOf,
  firstPlace,
  kindChoices,
  memoryCount,
  memoryDescription,
  memoryGroups,
  memoryLabel,
  proposalCount,
  recallRows,
  selectedLines,
  spokenMemory,
} from '../../src/memory/memoryList';
import { related, whyBelieved } from '../../src/memory/whyBelieved';

const workspace = 'file:///w';
const verified = { status: 'verified', reason: 'unchanged', detail: '' } as const;
const changed = { status: 'needs_refresh', reason: 'changed', detail: '' } as const;

const lines = (more: Partial<CitedLines> = {}): CitedLines => ({
  source_id: 'app/pay.py',
  start_line: 12,
  end_line: 14,
  symbol: 'refund',
  commit: '0fd718ce0fd718ce',
  at: 0,
  ...verified,
  ...more,
});
const memory = (text: string, more: Partial<MemoryItem> = {}): MemoryItem => ({
  id: `m_${text}`,
  uuid: text,
  kind: 'decision',
  text,
  status: 'active',
  scope: 'workspace',
  origin: 'user',
  at: 0,
  verdict: verified,
  evidence: [lines()],
  ...more,
});
const waiting = (item: MemoryItem, why: ReviewItem['why']): ReviewItem => ({
  ...item,
  why,
  replaces: null,
  rivals: [],
});
const proposal = memory('Refunds end', { status: 'quarantined', origin: 'agent' });

test('what waits for review comes first, then the kinds in their order, unknown ones last', () => {
  const items = [memory('a', { kind: 'zeal' }), memory('b', { kind: 'fact' }), memory('c'), memory('d')];
  const groups = memoryGroups([{ workspace, items, review: [waiting(proposal, 'proposed')] }]);
  expect(groups.map(({ label, memories }) => [label, memories.map(({ item }) => item.text)])).toEqual([
    ['To review', ['Refunds end']],
    ['Decisions', ['c', 'd']],
    ['Facts', ['b']],
    ['Zeal', ['a']],
  ]);
  expect(memoryGroups([{ workspace, items: [], review: [] }])).toEqual([]);
});

test('the badge counts proposals alone, and what all folders share is listed once', () => {
  const shared = memory('shared', { scope: 'global' });
  const stale = memory('stale', { verdict: changed });
  const review = [waiting(proposal, 'proposed'), waiting(stale, 'stale')];
  const groups = memoryGroups([
    { workspace, items: [shared, stale], review },
    { workspace: 'file:///other', items: [shared], review: [] },
  ]);
  expect(groups.map(({ label, memories }) => [label, memories.length])).toEqual([
    ['To review', 2],
    ['Decisions', 2],
  ]);
  expect(proposalCount(groups)).toBe(1);
  // What is stale stands in both groups and is one memory.
  expect(memoryCount(groups)).toBe(3);
});

test('a row has the mark of the command line, the text on one line, and its first place', () => {
  const item = memory('Refunds\n end  \u202eafter', {
    verdict: changed,
    evidence: [lines(), lines({ source_id: 'b' })],
  });
  expect(memoryLabel(item)).toBe('! Refunds end \\u202eafter');
  expect(memoryDescription({ item })).toBe('app/pay.py:12–14 and 1 place more');
  expect(memoryDescription({ item: { ...item, evidence: [], scope: 'global' }, why: 'stale' })).toBe(
    'its cited lines changed · all workspaces',
  );
});

test('a screen reader hears the verdict in words, not the mark', () => {
  const said = spokenMemory({ item: memory('Refunds end', { verdict: changed }), why: 'stale' });
  expect(said).toBe(
    'Needs refresh, changed on disk since it was cited: Refunds end. Decision. its cited lines changed. cites app/pay.py, lines 12 to 14',
  );
});

test('only a proposal is accepted or rejected', () => {
  expect(contextOf({ item: proposal, why: 'proposed' })).toBe('proposal');
  expect(contextOf({ item: memory('x', { status: 'contested' }), why: 'contested' })).toBe('memory');
});

test('a selection that ends before the first character of a line leaves that line out', () => {
  const selection = (end: { line: number; character: number }) => selectedLines({ start: { line: 4 }, end });
  expect(selection({ line: 6, character: 0 })).toEqual({ start_line: 5, end_line: 6 });
  expect(selection({ line: 6, character: 2 })).toEqual({ start_line: 5, end_line: 7 });
  expect(selection({ line: 4, character: 0 })).toEqual({ start_line: 5, end_line: 5 });
  expect(citeOf('a b/c.py', selection({ line: 4, character: 3 }))).toBe('a b/c.py:5-5');
});

test('who confirms cites what is still found, and is asked about what changed', () => {
  const gone = lines({ source_id: 'gone.py', status: 'needs_refresh', reason: 'gone' });
  const edited = lines({ ...changed, start_line: 40 });
  const renamed = lines({ status: 'stale_risk', reason: 'renamed', start_line: 20, end_line: 21 });
  const { found, lost } = citationsNow([renamed, edited, gone]);
  expect(found).toEqual(['app/pay.py:20-21']);
  expect(lost).toEqual([edited, gone]);
  expect(firstPlace([gone, edited])).toBe(edited);
  expect(firstPlace([gone])).toBeUndefined();
});

test('to confirm is to say it again, to cite it anew, to decide between two, or to let go of what it rested on', () => {
  const done = (item: MemoryItem, rivals: NamedMemory[] = []) =>
    confirmation({ workspace, item, rivals }, ['a.py:1-2']).map(({ command, argument }) => [command, argument]);
  const user = { text: 'x', origin: 'user', workspace };
  const again = { ...user, kind: 'decision', scope: 'workspace', force: true };
  expect(done(memory('x'))).toEqual([['helix.memory.remember', again]]);
  expect(done(memory('x', { verdict: changed }))).toEqual([
    ['helix.memory.edit', { ...user, id: 'm_x', cites: ['a.py:1-2'] }],
  ]);
  expect(done(memory('x', { status: 'contested', verdict: changed }), [{ id: 'm_y', text: 'y' }])).toEqual([
    ['helix.memory.relate', { id: 'm_x', relation: 'supersedes', other: 'm_y', workspace }],
  ]);
  const orphan = memory('x', { verdict: { status: 'stale_risk', reason: 'superseded', detail: '' } });
  expect(done(orphan)).toEqual([['helix.memory.remember', { ...again, supersedes: ['m_x'], cites: ['a.py:1-2'] }]]);
});

test('the kind that the text reads as is offered first', () => {
  expect(kindChoices('fact').slice(0, 2)).toEqual(['fact', 'decision']);
  expect(kindChoices('rumor')[0]).toBe('rumor');
  expect(new Set(kindChoices('fact')).size).toBe(kindChoices('fact').length);
});

test('a search lists what answers in all folders, best first and marked, or says that nothing does', () => {
  const answer = (score: number, text: string): RecallAnswer => {
    const { verdict, status, ...rest } = memory(text, { verdict: changed });
    return {
      schema: 'helix.recall/1',
      items: [{ ...rest, ...verdict, state: status, score }],
      known_empty: false,
    };
  };
  const rows = recallRows([
    { workspace, answer: answer(0.4, 'less') },
    { workspace: 'file:///other', answer: answer(0.9, 'costs $(x)') },
  ]);
  expect(rows.map(({ label }) => label)).toEqual(['! costs $\u200b(x)', '! less']);
  expect(rows[0]?.memory?.workspace).toBe('file:///other');
  expect(rows[0]?.memory?.item.verdict).toEqual(changed);
  const nothing = recallRows([{ workspace, answer: { schema: 'helix.recall/1', items: [], known_empty: true } }]);
  expect(nothing.map(({ label, memory: one }) => [label, one])).toEqual([
    ['$(circle-slash) Nothing here answers that', undefined],
  ]);
});

const op = (kind: string, more: Partial<MemoryLog['ops'][number]> = {}): MemoryLog['ops'][number] => ({
  at: 0,
  actor: 'user:ann',
  kind,
  id: 'm_new',
  uuid: 'new',
  text: 'new',
  status: 'active',
  links: [],
  ...more,
});

test('what a memory replaced is read from the log, and not what replaced it', () => {
  const ops = [
    op('remember', {
      links: [
        ['new', 'supersedes', 'old'],
        ['newest', 'supersedes', 'new'],
      ],
    }),
  ];
  expect(related('new', 'supersedes', ops)).toEqual(['old']);
});

test('why a memory is believed: verdict, cited lines with links, who said it when, and what it replaced', () => {
  const item = memory('Refunds end\nafter [30](x) days', { evidence: [lines(), lines({ ...changed, symbol: '' })] });
  const history = { ops: [op('support', { at: 3_600 }), op('remember')], superseded: ['Refunds never end'] };
  const text = whyBelieved({ workspace, item }, history, 7_200, (id) => `file:///w/${id}(1)`);
  expect(text).toContain('**✓ Verified** – true on disk right now (unchanged since it was cited)');
  expect(text).toContain('> Refunds end\n> after \\[30\\](x) days');
  expect(text).toContain('- ✓ [app/pay.py:12–14](file:///w/app/pay.py%281%29#L12) refund');
  expect(text).toContain('- ! [app/pay.py:12–14]');
  expect(text).toContain('cited at 0fd718ce0f');
  expect(text).toContain('**Replaced**\n\n- Refunds never end');
  expect(text).toContain('- said again 1 hour ago by user:ann\n- remembered 2 hours ago by user:ann');
});

test('a memory that cites nothing says so, and a proposal names what it would replace', () => {
  const item = memory('x', { evidence: [], scope: 'global' });
  const rivals = [{ id: 'm_z', text: 'not\nx' }];
  const text = whyBelieved({ workspace, item, replaces: 'y', rivals }, { ops: [], superseded: [] }, 0, (id) => id);
  expect(text).toContain('It cites no code');
  expect(text).toContain('about all workspaces');
  expect(text).toContain('**Contradicted by**\n\n- not x');
  expect(text).toContain('**Would replace**\n\n> y');
  expect(text).not.toContain('Who said it');
});

test('the quick fix of a line knows the memory that cites it, and no other diagnostic has one', () => {
  const message = 'Memory m_k3xq7a2b cites this: “Refunds are posted once”; is it still so? (changed)';
  expect(citedMemory({ source: 'helix', code: 'stale_memory', message })).toBe('m_k3xq7a2b');
  expect(citedMemory({ source: 'helix', code: { value: 'stale_memory' }, message })).toBe('m_k3xq7a2b');
  for (const other of [
    { source: 'helix', code: 'outdated_doc', message },
    { source: 'other', code: 'stale_memory', message },
    { source: 'helix', code: 'stale_memory', message: 'no id' },
    { message },
  ]) {
    expect(citedMemory(other)).toBeUndefined();
  }
});
