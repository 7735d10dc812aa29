import { describe, expect, it } from 'vitest';
import { answerTo, type Answer, type ChatQuestion } from '../../../src/chat/answer';
import { followUps } from '../../../src/chat/followUps';
import { fullQuestion, lastMemory, type Memory } from '../../../src/chat/memory';
import { namedPlace, namedSymbol } from '../../../src/chat/places';
import { evidenceText, questionIn } from '../../../src/model/evidenceOnly';
import { itemMarkdown } from '../../../src/view/markdown';
import { item, packet, remembered } from '../view/packets';

const last: Memory = {
  question: 'How does a refund work?',
  task: 'explain',
  workspace: 'file:///w',
  places: [
    { source_id: 'a.py', start_line: 1, end_line: 2 },
    { source_id: 'b.py', start_line: 3, end_line: 4 },
  ],
};
const target = { target_kind: 'span', source_id: 'a.py', start_line: 1, end_line: 2, reason: 'changed', priority: 1 };

interface Asking {
  command: string;
  argument: Record<string, unknown>;
}

async function answer(
  asked: Partial<ChatQuestion>,
  replies: Record<string, unknown>,
): Promise<Answer & { asked: Asking[] }> {
  const calls: Asking[] = [];
  const whole: ChatQuestion = {
    command: undefined,
    prompt: '',
    last: undefined,
    workspace: 'file:///w',
    pointed: undefined,
    ...asked,
  };
  const made = await answerTo(whole, {
    ask: <T>(command: string, argument: object) => {
      calls.push({ command, argument: argument as Record<string, unknown> });
      return Promise.resolve(replies[command] as T);
    },
    progress: () => undefined,
    nowSeconds: () => 1_000,
  });
  return { ...made, asked: calls };
}

const words = ({ parts }: Answer): string =>
  parts
    .map((part) => (part.kind === 'text' ? part.text : part.kind === 'place' ? `<${part.place.source_id}>` : ''))
    .join('');

describe('a question that leans on the one before', () => {
  it.each([
    ['and its tests?', 'How does a refund work: tests'],
    ['what about the config', 'How does a refund work: the config'],
    ['who calls it?', 'How does a refund work: who calls'],
    ['and?', 'How does a refund work?'],
    ['where is a payment captured?', 'where is a payment captured?'],
    ['how is the session that a browser sends with each of its requests signed?', undefined],
  ])('%s', (prompt, full) => {
    expect(fullQuestion(prompt, last)).toBe(full ?? prompt);
  });

  it('finds nothing to lean on in a new chat', () => {
    expect(fullQuestion('and its tests?', undefined)).toBe('and its tests?');
    expect(lastMemory([undefined, { ...last }, { other: 1 }, { question: 1 }])).toEqual(last);
    expect(lastMemory([])).toBeUndefined();
  });
});

describe('a short prompt', () => {
  it('names a place by number or by path', () => {
    expect(namedPlace('2', last)).toEqual(last.places[1]);
    expect(namedPlace('7', last)).toBeUndefined();
    expect(namedPlace('ledger/refunds.py:12-20', undefined)).toEqual({
      source_id: 'ledger/refunds.py',
      start_line: 12,
      end_line: 20,
    });
    expect(namedPlace('how does it work', last)).toBeUndefined();
  });

  it.each([
    ['refund', 'refund'],
    ['how refund_payment works', 'refund_payment'],
    ['what is `Ledger.open()`?', 'Ledger.open'],
    ['where is HttpServer?', 'HttpServer'],
    ['how does it work', undefined],
  ])('%s names %s', (prompt, name) => {
    expect(namedSymbol(prompt)).toBe(name);
  });
});

describe('what answers while there is no model', () => {
  it('finds the question among what an editor sends, and says where a model comes from', () => {
    const messages = [
      { role: 3, content: [{ value: 'You are helpful.' }] },
      { role: 1, content: [{ value: '<workspace_info>…</workspace_info>' }] },
      { role: 1, content: [{ value: '<context>today</context>\n<userRequest>\nhow is it decided?\n</userRequest>' }] },
    ];
    expect(questionIn(messages)).toBe('how is it decided?');
    expect(questionIn([{ role: 1, content: [{ value: 'plain ' }] }])).toBe('plain');
    const text = evidenceText(packet([item()]), 1_000);
    expect(text).toContain('`core/plan.py:12-14`');
    expect(text).toContain('Helix: Choose Upstream');
  });
});

describe('@helix', () => {
  it('tells what was remembered, found in the code or not, and opens what that cites', async () => {
    for (const items of [[item()], []]) {
      const told = packet(items, { memories: [remembered] });
      const text = words(await answer({ prompt: 'do we retry' }, { 'helix.packet': told }));
      expect(text).toContain('- ~ We \\*never\\* retry (decision, by user; ');
      expect(text).toContain(' <a.py>\n');
    }
  });

  const found = packet([item(), item({ status: 'stale_risk', reason: 'outdated_doc', source_id: 'docs/plan.md' })]);

  it('answers with verdicts, places that open, quotes, and remembers what it said', async () => {
    const made = await answer({ prompt: 'how is it decided' }, { 'helix.packet': found });
    expect(made.asked.map(({ command }) => command)).toEqual(['helix.packet']);
    expect(words(made)).toContain('✓ 1 verified, ~ 1 stale risk');
    expect(words(made)).toContain('**1** <core/plan.py>');
    expect(words(made)).toContain('def decide()');
    expect(made.memory?.places.map(({ source_id: file }) => file)).toEqual(['core/plan.py', 'docs/plan.md']);
    expect(made.parts.some((part) => part.kind === 'button' && part.button.command === 'helix.ask.question')).toBe(
      true,
    );
    expect(followUps(undefined, made.memory)).toHaveLength(3);
  });

  it('says of a place what is wrong with it, and who changed its file last once, where all is asked for', async () => {
    const doubted = item({ symbol: 'Plans', status: 'stale_risk', reason: 'outdated_doc', source_id: 'docs/plan.md' });
    const moved = item({ symbol: 'later', reason: 'moved', start_line: 20 });
    const replies = { 'helix.packet': packet([item(), moved, doubted]) };
    const asked = words(await answer({ prompt: 'how is it decided' }, replies));
    expect(asked).toContain('**1** <core/plan.py> `decide`\n\n');
    expect(asked).toContain('**2** <core/plan.py> `later` – the same text, now on these lines\n\n');
    expect(asked).toContain('**3** <docs/plan.md> `Plans` – describes code that changed after it was written\n\n');
    expect(asked).not.toMatch(/unchanged since|last changed/);
    const whole = words(await answer({ prompt: 'how is it decided', command: 'packet' }, replies));
    const told = [...whole.matchAll(/\*\*(\d)\*\* .*? · file last changed `01234567`, Ledger Team/g)];
    expect(told.map(([, number]) => number)).toEqual(['1', '3']);
  });

  it('says of lines that are not committed that no commit has them', async () => {
    const edited = item({ uncommitted: true });
    const added = item({ symbol: 'added', commit: null, author: null, committed_at: null, uncommitted: true });
    const replies = { 'helix.packet': packet([edited, added]) };
    const whole = words(await answer({ prompt: 'how is it decided', command: 'packet' }, replies));
    expect(whole).toContain('`decide` · edited and not committed, file last committed `01234567`');
    expect(whole).toMatch(/`added` · edited and not committed\n/);
    expect(itemMarkdown(edited, 0)).toContain('edited and not committed, file last committed `01234567`');
    expect(itemMarkdown(added, 0)).toContain(' · edited and not committed');
  });

  it('says what it understood, and asks for that', async () => {
    const made = await answer({ prompt: 'and its tests?', last }, { 'helix.packet': found });
    expect(made.asked[0]?.argument['question']).toBe('How does a refund work: tests');
    expect(words(made)).toContain('Understood as: How does a refund work: tests');
  });

  it('says that nothing answers, and what is near', async () => {
    const made = await answer({ prompt: 'x' }, { 'helix.packet': packet([], { nearest: ['refund'] }) });
    expect(words(made)).toMatch(/Nothing here answers that.*Nearest: `refund`/s);
    expect(followUps(undefined, made.memory)).toEqual([]);
  });

  it('lets nothing of a repository become a link, a heading or a picture', async () => {
    const evil = item({
      symbol: 'a`b',
      detail: '![x](http://evil) <img>',
      author: '[click](command:x)',
      quote: '```\n# hi',
    });
    const text = words(await answer({ prompt: 'x', command: 'packet' }, { 'helix.packet': packet([evil]) }));
    expect(text).not.toMatch(/(^|[^\\])!\[|[^\\]\]\(|[^\\]<img/);
    expect(text).toContain('````');
  });

  it('/explain looks a name up, and falls back to places', async () => {
    const symbol = {
      name: 'decide',
      kind: 'function',
      symbol: 'decide',
      users_total: 9,
      overrides: [{ ...item({ source_id: 'core/fast.py', symbol: 'Fast.decide' }), detail: '' }],
      users: [],
      tests: [],
      documents: [],
    };
    const known = await answer(
      { command: 'explain', prompt: 'decide' },
      { 'helix.symbol': { ...symbol, definitions: [{ ...item(), detail: '' }] } },
    );
    expect(words(known)).toContain('1 definition, 9 users');
    expect(words(known)).toContain('**1** ✓ <core/plan.py> `decide` · file last changed');
    expect(words(known)).toMatch(/#### Overridden \(1\)\s+\*\*2\*\* ✓ <core\/fast\.py>/);
    expect(known.memory?.places.map((place) => place.source_id)).toEqual(['core/plan.py', 'core/fast.py']);
    const unknown = await answer(
      { command: 'explain', prompt: 'decide' },
      { 'helix.symbol': null, 'helix.packet': found },
    );
    expect(unknown.asked.map(({ command }) => command)).toEqual(['helix.symbol', 'helix.packet']);
  });

  it('/fresh judges what the chat said again, and says what left the answer', async () => {
    const made = await answer({ command: 'fresh', last }, { 'helix.packet': found });
    expect(made.asked[0]?.argument['question']).toBe(last.question);
    expect(words(made)).toContain('No longer part of the answer: `a.py`, `b.py`');
    expect(words(made)).toContain('**1** ✓ <core/plan.py> `decide`\n\n**2** ~ <docs/plan.md> `decide` – describes');
    const status = {
      workspace: '/w',
      fresh: true,
      pending: { changed_or_new: 0, gone: 0 },
      index: { files: 3, items: 9 },
      git: null,
    };
    expect(words(await answer({ command: 'fresh' }, { 'helix.status': status }))).toContain('says what the disk says');
  });

  it('/why explains the place with that number, the cursor’s in a new chat', async () => {
    const explanation = {
      ...{
        source_id: 'b.py',
        start_line: 3,
        end_line: 4,
        symbol: '',
        status: 'verified',
        reason: 'unchanged',
        detail: '',
      },
      observations: [{ step: 'x', observation: 'the bytes are the same', finding: 'unchanged', decides: true }],
      refresh_targets: [],
    };
    const replies = { 'helix.explain': explanation };
    const made = await answer({ command: 'why', prompt: '2', last }, replies);
    expect(made.asked[0]?.argument).toMatchObject({ source_id: 'b.py', start_line: 3 });
    expect(words(made)).toContain('the bytes are the same → **unchanged**, which decided');
    const pointed = { uri: 'file:///w/c.py', position: { line: 4, character: 0 }, attached: false, words: 'c' };
    expect((await answer({ command: 'why', pointed }, replies)).asked[0]?.argument).toEqual({
      uri: pointed.uri,
      position: pointed.position,
    });
    expect(words(await answer({ command: 'why' }, replies))).toContain('Say which place');
  });

  it('/refresh brings the index up to date, then lists what to read again', async () => {
    const report = { files: 3, added: 1, changed: 0, removed: 0, elapsed_ms: 12 };
    const plan = { refresh_targets: [target] };
    const made = await answer(
      { command: 'refresh', last },
      { 'helix.index.refresh': report, 'helix.refreshPlan': plan },
    );
    expect(made.asked.map(({ command }) => command)).toEqual(['helix.index.refresh', 'helix.refreshPlan']);
    expect(words(made)).toContain('3 files, 1 of them new, changed or gone');
    expect(words(made)).toContain('- <a.py> changed on disk since it was indexed');
    expect(made.memory).toEqual(last);
  });
});
