import { describe, expect, it } from 'vitest';
import * as past from '../../../src/view/history';
import { item, packet } from './packets';

function asked(id: string, more: Partial<past.HistoryEntry> & { query?: string } = {}): past.HistoryEntry {
  const at = Number(id.replace(/\D/g, '')) || 1;
  const { query = `question ${id}`, ...rest } = more;
  return { id, askedAt: at, judgedAt: at, pinned: false, workspace: '', packet: packet([item()], { query }), ...rest };
}

describe('the packets asked for before', () => {
  it('come newest first, and a question asked again takes the place and the pin of its former answer', () => {
    let history: past.History = [];
    for (const id of ['1', '2']) history = past.remember(history, asked(id));
    history = past.pin(history, '1', true);
    history = past.remember(history, asked('3', { query: 'question 1' }));
    expect(history.map(({ id, pinned }) => [id, pinned])).toEqual([
      ['3', true],
      ['2', false],
    ]);
  });

  it('are the same question only for the same task and folder', () => {
    const other = asked('2', { query: 'question 1' });
    const history = past.remember([asked('1')], { ...other, packet: { ...other.packet, task_type: 'quote' } });
    expect(history).toHaveLength(2);
  });

  it('are bounded in number, and pinned ones stay', () => {
    let history = past.pin(past.remember([], asked('1')), '1', true);
    for (let number = 2; number < 60; number++) history = past.remember(history, asked(String(number)));
    expect(history).toHaveLength(31);
    expect(history.at(-1)).toMatchObject({ id: '1', pinned: true });
  });

  it('are bounded in size when written down', () => {
    const big = Array.from({ length: 80 }, (_, line) =>
      item({ start_line: line, quote: `${'x'.repeat(99)}\n`.repeat(90) }),
    );
    let history: past.History = [];
    for (let number = 1; number < 20; number++) {
      history = past.remember(history, {
        ...asked(String(number)),
        packet: packet(big, { query: `question ${number}` }),
      });
    }
    expect(JSON.stringify(past.saved(history)).length).toBeLessThan(1_600_000);
    expect(history[0]?.id).toBe('19');
  });

  it('keep whole lines of a long quote', () => {
    const long = item({ quote: `${'x'.repeat(99)}\n`.repeat(90) });
    const [saved] = past.saved([{ ...asked('1'), packet: packet([long]) }]);
    const quote = saved?.packet.verified[0]?.quote ?? '';
    expect(quote.length).toBeLessThanOrEqual(4_000);
    expect(quote.endsWith('\n')).toBe(true);
    expect(quote.startsWith('x'.repeat(99))).toBe(true);
  });

  it('survive being written down and read again', () => {
    const history = [asked('2'), asked('1', { pinned: true })];
    expect(past.restored(JSON.parse(JSON.stringify(past.saved(history))))).toEqual(history);
  });

  it('are read only as far as they can be understood', () => {
    const broken = [null, 7, {}, { id: 'x' }, { ...asked('1'), packet: { schema: 'helix.packet/2' } }];
    expect(past.restored([...broken, asked('2')]).map(({ id }) => id)).toEqual(['2']);
    expect(past.restored(undefined)).toEqual([]);
    expect(past.restored('text')).toEqual([]);
  });

  it('are listed pinned first, with what was found then', () => {
    const [first, second] = past.rowsOf([asked('2'), asked('1', { pinned: true })]);
    expect(first).toMatchObject({ id: '1', pinned: true, folder: 'w', verified: 1, staleRisk: 0, needsRefresh: 0 });
    expect(second).toMatchObject({ id: '2', question: 'question 2', task: 'edit' });
  });

  it('can be forgotten, one or all that are not pinned', () => {
    const history = [asked('3'), asked('2', { pinned: true }), asked('1')];
    expect(past.forget(history, '3').map(({ id }) => id)).toEqual(['2', '1']);
    expect(past.forgetUnpinned(history).map(({ id }) => id)).toEqual(['2']);
  });
});
