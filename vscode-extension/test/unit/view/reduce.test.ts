import { describe, expect, it } from 'vitest';
import type { HistoryRow, ShownPacket, ToPage } from '../../../src/view/messages';
import { outgoing } from '../../../src/view/page/outgoing';
import { reduce, type Intent } from '../../../src/view/page/reduce';
import { initial, kept, revived, type State } from '../../../src/view/page/state';
import { itemKey } from '../../../src/view/verdicts';
import { item, packet, remembered, told, verdict } from './packets';

const one = item();
const key = itemKey(one);

function after(...messages: readonly (ToPage | Intent)[]): State {
  return messages.reduce(reduce, initial);
}

function showing(more: Partial<ShownPacket> = {}): ToPage {
  return {
    type: 'shown',
    shown: { id: 'a', packet: packet([one]), judgedAt: 1, pinned: false, judged: 'now', ...more },
  };
}

function row(id: string, question: string, askedAt: number): HistoryRow {
  return {
    id,
    question,
    askedAt,
    task: 'explain',
    folder: 'w',
    pinned: false,
    verified: 1,
    staleRisk: 0,
    needsRefresh: 0,
  };
}

describe('asking', () => {
  it('keeps the question in the box, says that it is being asked, and asks the extension', () => {
    const typed = after({ type: 'typed', text: '  where is it \n' }, { type: 'choseTask', task: 'debug' });
    expect(outgoing(typed, { type: 'ask' })).toEqual({ type: 'ask', question: 'where is it', task: 'debug' });
    const asking = reduce(typed, { type: 'ask' });
    expect(asking.asking).toEqual({ question: 'where is it', task: 'debug' });
    expect(asking.draft.text).toBe('where is it');
  });

  it('does nothing without a question', () => {
    const typed = after({ type: 'typed', text: ' \n ' });
    expect(outgoing(typed, { type: 'ask' })).toBeNull();
    expect(reduce(typed, { type: 'ask' })).toBe(typed);
  });

  it('names the folder that was chosen', () => {
    const chosen = after({ type: 'choseFolder', workspace: 'file:///w' });
    expect(outgoing(chosen, { type: 'ask', question: 'x' })).toMatchObject({ workspace: 'file:///w' });
  });

  it('keeps the packet on the page until the answer comes', () => {
    const asking = after(showing(), { type: 'ask', question: 'something else' });
    expect(asking.shown?.id).toBe('a');
    expect(asking.asking).not.toBeNull();
    expect(reduce(asking, showing({ id: 'b' })).asking).toBeNull();
  });

  it('can be stopped, and only then the extension hears of it', () => {
    const asking = after({ type: 'ask', question: 'x' });
    expect(outgoing(asking, { type: 'stop' })).toEqual({ type: 'cancel' });
    expect(outgoing(initial, { type: 'stop' })).toBeNull();
    expect(reduce(asking, { type: 'stop' }).asking).toBeNull();
  });

  it('that failed for want of a server is no longer a failure when one runs', () => {
    const missing = { title: 'Set up Helix', text: 'No Python', actions: ['setUp'], isBusy: false } as const;
    const failed = after(
      { type: 'missing', missing },
      { type: 'ask', question: 'x' },
      { type: 'failed', message: 'No Python', actions: ['setUp'] },
    );
    expect([failed.missing, failed.failure?.actions]).toEqual([missing, ['setUp']]);
    const running = reduce(failed, { type: 'missing', missing: null });
    expect([running.missing, running.failure]).toEqual([null, null]);
  });

  it('says what failed and what can be done, until the next question', () => {
    const failed = after(
      { type: 'ask', question: 'x' },
      { type: 'failed', message: 'No server runs.', actions: ['restart'] },
    );
    expect(failed).toMatchObject({ asking: null, failure: { message: 'No server runs.', actions: ['restart'] } });
    expect(reduce(failed, { type: 'ask' }).failure).toBeNull();
  });
});

describe('earlier questions', () => {
  const rows = [row('p', 'pinned and old', 1), row('c', 'third', 30), row('b', 'second', 20), row('d', 'second', 10)];
  const writing = after({ type: 'history', rows }, { type: 'typed', text: 'half a thou' });

  it('come back with arrow up, newest first and each once, and what was being written with arrow down', () => {
    const texts: string[] = [];
    let state = writing;
    for (const type of ['older', 'older', 'older', 'older', 'newer', 'newer', 'newer', 'newer'] as const) {
      state = reduce(state, { type });
      texts.push(state.draft.text);
    }
    expect(texts).toEqual([
      'third',
      'second',
      'pinned and old',
      'pinned and old',
      'second',
      'third',
      'half a thou',
      'half a thou',
    ]);
  });

  it('can be changed, and are then the user’s own', () => {
    const changed = reduce(reduce(writing, { type: 'older' }), { type: 'typed', text: 'third, but better' });
    expect(changed.draft).toEqual({ text: 'third, but better', recalled: -1, own: 'third, but better' });
  });
});

describe('verdicts that change', () => {
  const change = verdict(one, { status: 'needs_refresh', reason: 'changed' });

  it('move the item, count the turn for the highlight, and are announced in words', () => {
    const before = after(showing());
    const state = reduce(before, { type: 'verdicts', told: told([change]) });
    expect(state.shown?.packet.needs_refresh).toHaveLength(1);
    expect(state.changes[key]).toBe(1);
    expect(state.announcement.text).toBe('plan.py changed: now needs refresh – changed on disk since it was indexed');
    expect(state.announcement.serial).toBe(before.announcement.serial + 1);
  });

  it('move no row: what changed stays where it was, until another answer comes', () => {
    const [best, equal, least] = [
      item({ gene_id: 'best', start_line: 1, relevance_score: 1 }),
      item({ gene_id: 'equal', start_line: 2, relevance_score: 1 }),
      item({ gene_id: 'least', start_line: 3, relevance_score: 0.5 }),
    ];
    const before = after(showing({ packet: packet([best, equal, least]) }));
    expect(before.order).toEqual([best, equal, least].map(itemKey));
    const stale = verdict(best, { status: 'needs_refresh', reason: 'changed' });
    const state = reduce(before, { type: 'verdicts', told: told([stale]) });
    expect(state.order).toEqual(before.order);
    const renewed = reduce(state, showing({ packet: packet([least, item({ gene_id: 'new', relevance_score: 2 })]) }));
    expect(renewed.order.map((each) => each.split(':').at(-1))).toEqual(['new', 'least']);
  });

  it('are announced once when they were told twice', () => {
    const state = after(
      showing(),
      { type: 'verdicts', told: told([change]) },
      { type: 'verdicts', told: told([change]) },
    );
    expect(state.changes[key]).toBe(1);
  });

  it('are announced in few words when they are many', () => {
    const many = Array.from({ length: 9 }, (_, line) => item({ start_line: line + 1, title: `file${line}.py` }));
    const changes = many.map((each) => verdict(each, { status: 'needs_refresh', reason: 'gone' }));
    const state = after(showing({ packet: packet(many) }), { type: 'verdicts', told: told(changes) });
    expect(state.announcement.text.split('. ')).toHaveLength(4);
    expect(state.announcement.text).toContain('and 6 more');
  });

  it('of another packet are left alone', () => {
    const state = after(showing());
    expect(reduce(state, { type: 'verdicts', told: told([change], { packet_id: 'other' }) })).toBe(state);
    expect(reduce(initial, { type: 'verdicts', told: told([change]) })).toBe(initial);
  });

  it('take away an explanation that is of the verdict before', () => {
    const state = after(showing(), { type: 'why', key }, { type: 'verdicts', told: told([change]) });
    expect(state.explained).toEqual({});
  });

  it('show hidden characters of a name as escapes when announced', () => {
    const odd = item({ title: 'a\u202eb.py' });
    const state = after(showing({ packet: packet([odd]) }), {
      type: 'verdicts',
      told: told([verdict(odd, { status: 'needs_refresh', reason: 'gone' })]),
    });
    expect(state.announcement.text).toContain('a\\u202eb.py changed');
  });
});

describe('a packet that comes', () => {
  it('is announced with its counts and its confidence', () => {
    expect(after(showing()).announcement.text).toBe('1 verified. very likely the right place.');
    expect(after(showing({ packet: packet([]) })).announcement.text).toBe('Nothing here answers that.');
    const known = packet([], { memories: [remembered] });
    expect(after(showing({ packet: known })).announcement.text).toBe('Nothing in the files answers that.');
  });

  it('begins with no row unfolded; the same packet, pinned, stays as it was', () => {
    const unfolded = after(showing(), { type: 'toggleItem', key });
    const pinned = reduce(unfolded, showing({ pinned: true }));
    expect([pinned.unfolded, pinned.shown?.pinned]).toEqual([[key], true]);
    expect(pinned.announcement).toEqual(unfolded.announcement);
    expect(reduce(unfolded, showing({ id: 'b' })).unfolded).toEqual([]);
  });

  it('of the past keeps its rows while it is judged again, and is announced when that is done', () => {
    const recalled = after(showing({ judged: 'again' }), { type: 'toggleItem', key });
    expect(recalled.announcement.serial).toBe(0);
    const judged = reduce(recalled, showing());
    expect(judged.unfolded).toEqual([key]);
    expect(judged.announcement.serial).toBe(1);
  });

  it('of the past says that it is of the past when it cannot be judged again', () => {
    const failed = after(showing({ judged: 'again' }), { type: 'failed', message: 'x', actions: [] });
    expect(failed.shown?.judged).toBe('then');
    expect(after(showing({ judged: 'again' }), { type: 'cancelled' }).shown?.judged).toBe('then');
  });
});

describe('explanations', () => {
  it('are asked for once, shown where they belong, and asked for again after a failure', () => {
    const asked = reduce(after(showing()), { type: 'why', key });
    expect(outgoing(after(showing()), { type: 'why', key })).toEqual({ type: 'explain', key });
    expect(outgoing(asked, { type: 'why', key })).toBeNull();
    expect(reduce(asked, { type: 'why', key }).explained).toEqual({});
    const failed = reduce(asked, { type: 'notExplained', key, message: 'No server runs.' });
    expect(outgoing(failed, { type: 'why', key })).toEqual({ type: 'explain', key });
    expect(reduce(failed, { type: 'why', key }).explained[key]?.state).toBe('asked');
  });

  it('fold away with their item', () => {
    const state = after(showing(), { type: 'why', key }, { type: 'toggleItem', key });
    expect([state.explained, state.unfolded]).toEqual([{}, []]);
  });
});

describe('a page that was hidden', () => {
  const before = after(
    showing(),
    { type: 'typed', text: 'half a thou' },
    { type: 'toggleItem', key },
    { type: 'tick', key: 't' },
  );

  it('comes back with its draft, and with its rows once the packet is there again', () => {
    const { state, scroll } = revived(JSON.parse(JSON.stringify(kept(before, 120))));
    expect(scroll).toBe(120);
    const shown = reduce(state, showing());
    expect([shown.draft.text, shown.unfolded, shown.ticked]).toEqual(['half a thou', [key], ['t']]);
  });

  it('comes back with nothing unfolded when another packet is shown by then', () => {
    expect(reduce(revived(kept(before, 0)).state, showing({ id: 'b' })).unfolded).toEqual([]);
  });

  it('begins anew where nothing, or something else, was kept', () => {
    for (const stored of [undefined, null, 7, {}, { version: 0 }]) expect(revived(stored).state).toBe(initial);
  });
});

describe('a packet that asked itself again', () => {
  const later = item({ gene_id: 'later', symbol: 'late', start_line: 50, end_line: 60 });
  const told_ = told([verdict(later, {})], { packet: packet([later]), came: [later], went: [one] });

  it('shows the answer of now, what came and what went, and says so', () => {
    const state = after(showing(), { type: 'verdicts', told: told_ });
    expect(state.shown?.packet.verified.map(({ gene_id }) => gene_id)).toEqual(['later']);
    expect(state.came).toEqual([itemKey(later)]);
    expect(state.went).toEqual([one]);
    expect(state.changes[itemKey(later)]).toBe(1);
    expect(state.announcement.text).toContain('1 place came, 1 went');
  });

  it('forgets what came and went when another packet is shown', () => {
    const state = after(showing(), { type: 'verdicts', told: told_ }, showing({ id: 'b' }));
    expect([state.came, state.went]).toEqual([[], []]);
  });

  it('says nothing aloud where only the confidence is another one', () => {
    const quiet = told([], { packet: packet([one], { coordinate_confidence: 0.5 }), came: [], went: [] });
    const before = after(showing());
    const state = reduce(before, { type: 'verdicts', told: quiet });
    expect(state.announcement).toEqual(before.announcement);
    expect(state.shown?.packet.coordinate_confidence).toBe(0.5);
  });
});
