import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../../src/base/protocol';
import type { FromPage, ToPage } from '../../../src/view/messages';
import { h, type Described } from '../../../src/view/page/dom';
import { outgoing } from '../../../src/view/page/outgoing';
import { reduce, type Intent } from '../../../src/view/page/reduce';
import type { Act } from '../../../src/view/page/render/act';
import { shareBar, stackedBar } from '../../../src/view/page/render/bars';
import { here } from '../../../src/view/page/render/here';
import { rankers } from '../../../src/view/page/render/rankers';
import { placeVerdict } from '../../../src/view/page/render/why';
import { initial, isUnfolded, type State } from '../../../src/view/page/state';
import { percent, rankedAs, rankerClass, signed, vectorWords, weighty, worthShowing } from '../../../src/view/ranking';
import { itemKey } from '../../../src/view/verdicts';
import { explained, ranked } from './explained';
import { item, packet } from './packets';

const one = item();
const key = itemKey(one);
const told = explained([ranked(one)]);
const shown: ToPage = {
  type: 'shown',
  shown: { id: 'a', packet: packet([one]), judgedAt: 1, pinned: false, judged: 'now' },
};
const answered: ToPage = { type: 'ranked', id: 'a', ranking: told };

function after(...messages: readonly (ToPage | Intent)[]): State {
  return messages.reduce(reduce, initial);
}

function recording(): { act: Act; done: (FromPage | Intent | string)[] } {
  const done: (FromPage | Intent | string)[] = [];
  const note = (what: FromPage | Intent | string): void => {
    done.push(what);
  };
  return { act: { intend: note, send: note, goTo: note, goToPart: note }, done };
}

function all(node: Described, pick: (one: Described) => boolean): Described[] {
  const within = node.children.flatMap((child) => (typeof child === 'string' ? [] : all(child, pick)));
  return pick(node) ? [node, ...within] : within;
}

function words(node: Described): string {
  return node.children.map((child) => (typeof child === 'string' ? child : words(child))).join(' ');
}

const withClass = (name: string) => (node: Described) => (node.props.class ?? '').split(' ').includes(name);
const drawn = (state: State): Described => here(state, recording().act, one, true);

function press(node: Described | undefined): void {
  node?.props.on?.click?.({ stopPropagation: () => undefined } as Event);
}

describe('why here', () => {
  it('is asked for once an answer, when it is first opened, and not before', () => {
    const before = after(shown);
    expect(before.told).toBeNull();
    expect(outgoing(before, { type: 'here', key })).toEqual({ type: 'explainAnswer' });
    const opened = reduce(before, { type: 'here', key });
    expect([opened.here, opened.told?.state, isUnfolded(opened, key)]).toEqual([[key], 'asked', true]);
    const known = reduce(opened, answered);
    expect(outgoing(known, { type: 'here', key: 'another' })).toBeNull();
    expect(outgoing(known, { type: 'toggleRankers' })).toBeNull();
    expect(outgoing(opened, { type: 'here', key })).toBeNull();
  });

  it('is asked for again after a failure, whose words stand there meanwhile', () => {
    const failed = after(
      shown,
      { type: 'here', key },
      { type: 'notRanked', id: 'a', message: 'No server \u202eruns.' },
    );
    expect(words(drawn(failed))).toContain('\\u202e');
    const closed = reduce(failed, { type: 'here', key });
    expect(outgoing(closed, { type: 'here', key })).toEqual({ type: 'explainAnswer' });
  });

  it('of another answer is let go, and a new answer begins with nothing told', () => {
    expect(reduce(after(shown, { type: 'here', key }), { ...answered, id: 'b' }).told?.state).toBe('asked');
    const next = reduce(after(shown, { type: 'here', key }, answered), {
      ...shown,
      shown: { id: 'b', packet: packet([one]), judgedAt: 2, pinned: false, judged: 'now' },
    });
    expect([next.told, next.here, next.rankersOpen]).toEqual([null, [], false]);
  });

  it('folds away with its item', () => {
    const open = after(shown, { type: 'here', key }, answered);
    expect(reduce(open, { type: 'toggleItem', key }).here).toEqual([]);
  });

  it('is a button that says whether it is open, and nothing more while it is not', () => {
    const closed = drawn(after(shown));
    const button = all(closed, (node) => node.tag === 'button');
    expect(button.map((node) => node.props['aria-expanded'])).toEqual([false]);
    expect(words(closed)).toContain('Why here?');
    expect(all(closed, withClass('bar'))).toEqual([]);
  });

  it('shows the rankers as one bar with a label, and each with its rank and its share in words', () => {
    const open = drawn(after(shown, { type: 'here', key }, answered));
    const [bar] = all(open, withClass('stack'));
    expect(bar?.props['aria-label']).toBe('files 60 %, outlines 40 %');
    expect(bar?.props.attributes?.['role']).toBe('img');
    const rows = all(open, withClass('legend-rows')).flatMap((list) => list.children as Described[]);
    expect(rows.map((row) => words(row).replaceAll(/\s+/g, ' ').trim())).toEqual([
      'files words of the question in the whole file #7 60 %',
      'outlines the file’s outline is near in meaning #1 40 %',
    ]);
    expect(words(open)).toContain('Place 1 of 1');
    expect(words(open)).toContain('+1.6');
    expect(words(open)).toContain('−0.2');
    expect(words(open)).not.toContain('no macro');
  });

  it('names what the file’s role did, and what was only linked', () => {
    const told = explained([ranked(one, { priors: ['test x0.5', 'open x1.15'], related: true })]);
    const open = drawn(after(shown, { type: 'here', key }, { type: 'ranked', id: 'a', ranking: told }));
    expect(words(open)).toContain('test × 0.5, open × 1.15');
    expect(words(open)).toContain('No ranker found it');
  });

  it('says so when the answer is another one by now', () => {
    const open = drawn(after(shown, { type: 'here', key }, { type: 'ranked', id: 'a', ranking: explained([]) }));
    expect(words(open)).toContain('no longer in the answer');
  });

  it('leads to all lists', () => {
    const { act, done } = recording();
    const open = here(after(shown, { type: 'here', key }, answered), act, one, true);
    press(all(open, withClass('all-lists'))[0]);
    expect(done).toEqual([{ type: 'toggleRankers' }, 'rankers']);
  });
});

describe('the verdict of a place in the editor', () => {
  const explanation: Explanation = {
    schema: 'helix.explain/1',
    source_id: 'docs/api.md',
    start_line: 3,
    end_line: 9,
    symbol: 'API',
    status: 'stale_risk',
    reason: 'outdated_doc',
    detail: 'names refund, which changed later',
    observations: [
      { step: 'bytes', observation: 'Its SHA-256 is as when it was indexed.', finding: '', decides: false },
      { step: 'document', observation: 'refund changed later.', finding: 'outdated_doc', decides: true },
    ],
    refresh_targets: [
      { target_kind: 'file', source_id: 'src/pay.py', start_line: 1, end_line: 4, reason: 'changed', priority: 0.5 },
    ],
  };
  const asked: ToPage = {
    type: 'placeVerdict',
    verdict: { explanation, workspace: 'file:///w', observedAt: 1_000 },
  };
  const card = (state: State, act: Act = recording().act): Described =>
    h('div', {}, placeVerdict(state, act, 1_000 + 180));

  it('says every observation, which one decided, when it was looked at, and what to read again', () => {
    const state = after(asked);
    const said = words(card(state));
    expect(said).toMatch(/API.*docs\/.*api\.md.*:3–9.*looked at 3 minutes ago/);
    expect(said).toMatch(/Its SHA-256 is as when.*refund changed later\..*this decides.*Therefore.*stale risk/);
    expect(said).toMatch(/Read again first.*pay\.py.*:1–4.*changed on disk/);
    expect(state.announcement.text).toBe('API: stale risk – describes code that changed after it was written');
  });

  it('opens its places in its own folder, and stays beside an answer until it is closed', () => {
    const { act, done } = recording();
    press(all(card(after(asked), act), withClass('place')).at(1));
    const place = { source_id: 'src/pay.py', start_line: 1, end_line: 4, workspace: 'file:///w' };
    expect(done).toEqual([{ type: 'open', place, keepFocus: false }]);
    const beside = after(asked, shown);
    expect(words(card(beside))).toContain('API');
    press(all(card(beside, act), withClass('icon-button')).at(0));
    expect(done.at(-1)).toEqual({ type: 'closeVerdict' });
    expect(outgoing(beside, { type: 'closeVerdict' })).toEqual({ type: 'closeVerdict' });
    expect(words(card(reduce(beside, { type: 'closeVerdict' })))).toBe('');
  });
});

describe('how the answer came about', () => {
  const open = after(shown, { type: 'showRankers' }, answered);

  it('opens from outside too, and is then awaited', () => {
    expect(after(shown, { type: 'showRankers' })).toMatchObject({ rankersOpen: true, told: { state: 'asked' } });
    expect(reduce(open, { type: 'toggleRankers' }).rankersOpen).toBe(false);
  });

  it('shows each list with ranks, shares and files, those of the answer at their lines', () => {
    const section = rankers(open, recording().act, packet([one]));
    const lists = all(section, withClass('list'));
    expect(lists.map((list) => list.props['aria-label'])).toEqual(['The list of files', 'The list of outlines']);
    const entries = all(section, withClass('listed')).map((node) => words(node).replaceAll(/\s+/g, ' ').trim());
    expect(entries).toEqual(['#1 90 % core/ other.py', '#7 60 % core/ plan.py :12–14', '#1 40 % core/ plan.py :12–14']);
    expect(words(section)).toContain('Silent: claims (empty), names (off), similar (the time was over).');
  });

  it('shows how sure the answer is, sign by sign, and whose vectors served', () => {
    const said = words(rankers(open, recording().act, packet([one])));
    expect(said).toContain('Confidence 0.81');
    expect(said).toContain('0.98 (below 0.50: no)');
    expect(said).toContain('ahead of the next file');
    expect(said).toContain('The built-in vectors served (chunk, outline).');
  });

  it('leads from a place in the chart to its row, and from a list to the file', () => {
    const { act, done } = recording();
    const section = rankers(open, act, packet([one]));
    press(all(section, withClass('chart-place'))[0]);
    press(all(section, withClass('place'))[0]);
    expect(done).toEqual([
      `item ${key}`,
      { type: 'open', place: { source_id: 'core/other.py', start_line: 1, end_line: 1 }, keepFocus: false },
    ]);
  });

  it('can be told of an answer without a place', () => {
    const bare = after(shown, { type: 'showRankers' }, { type: 'ranked', id: 'a', ranking: explained([]) });
    expect(words(rankers(bare, recording().act, packet([])))).toContain('Confidence');
  });
});

describe('bars', () => {
  it('put shares one after the other, as long as they are', () => {
    const bar = stackedBar(ranked(one).signals);
    const places = all(bar, withClass('segment')).map((node) => node.props.attributes);
    expect(places).toEqual([
      { x: '0.00%', y: 0, width: '60.00%', height: '100%' },
      { x: '60.00%', y: 0, width: '40.00%', height: '100%' },
    ]);
  });

  it('use no inline style, which the page does not allow, and draw nothing of nothing', () => {
    expect(JSON.stringify([stackedBar(ranked(one).signals), shareBar(0.4, 'r-for')])).not.toContain('"style"');
    expect(all(shareBar(0, 'r-for'), withClass('segment'))).toEqual([]);
  });

  it('give a ranker its own colour, and one that is not known the quiet one, whatever it is called', () => {
    expect([rankerClass('files'), rankerClass('uses of'), rankerClass('x" onload')]).toEqual([
      'r-files',
      'r-other',
      'r-other',
    ]);
  });
});

describe('numbers of an explanation', () => {
  it('are short, and never nothing where there is something', () => {
    expect([percent(0.314), percent(0.001), percent(0)]).toEqual(['31 %', '< 1 %', '0 %']);
    expect([signed(1.64), signed(-0.44), signed(-0.01)]).toEqual(['+1.6', '−0.4', '0.0']);
    expect(weighty(ranked(one).place ?? [], 5)).toHaveLength(2);
  });

  it('belong to the item with the same text at the same lines, else with the same text', () => {
    const twice = explained([ranked(one, { start_line: 1, end_line: 2 }), ranked(one)]);
    expect(rankedAs(twice, one)).toBe(twice.items[1]);
    expect(rankedAs(twice, item({ start_line: 40, end_line: 41 }))).toBe(twice.items[0]);
    expect(rankedAs(twice, item({ gene_id: 'b' }))).toBeUndefined();
  });

  it('leave nothing of the answer out of a list', () => {
    const listed = told.lists['files'] ?? [];
    expect(worthShowing(listed, 1)).toEqual(listed);
    expect(worthShowing([...listed].reverse(), 1)).toEqual([...listed].reverse().slice(0, 1));
  });

  it('say whose vectors served, and what is not ready', () => {
    expect(vectorWords({ model: '', levels: [], unready: [] })).toBe('No vectors served.');
    expect(vectorWords({ model: 'minilm', levels: ['outline'], unready: ['minilm/chunk 40%'] })).toBe(
      'The vectors of minilm served (outline); not ready yet: minilm/chunk 40%.',
    );
  });
});
