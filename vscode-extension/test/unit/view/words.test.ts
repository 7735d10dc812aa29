import { describe, expect, it } from 'vitest';
import { taskTypes } from '../../../src/base/protocol';
import {
  ago,
  confidenceWords,
  count,
  duration,
  lineRange,
  memoryReason,
  oftenRight,
  reasonWords,
  spokenLines,
  tasks,
} from '../../../src/view/words';

describe('words', () => {
  it('name every task once, from the most forgiving on', () => {
    expect(tasks.map(({ name }) => name).sort()).toEqual([...taskTypes].sort());
    expect(tasks[0]?.name).toBe('plan');
    expect(tasks.at(-1)?.name).toBe('quote');
  });

  it('say a reason for people, and an unknown one as it is written', () => {
    expect(reasonWords('changed')).toBe('changed on disk since it was indexed');
    expect(reasonWords('changed', 'cited')).toBe('changed on disk since it was cited');
    expect(reasonWords('some_new_word')).toBe('some new word');
  });

  it('call only what the user said and has in force the words of the user', () => {
    const yours = 'said by you, and cites nothing that could be checked';
    expect(memoryReason('asserted', { origin: 'user', status: 'active' })).toBe(yours);
    expect(memoryReason('asserted', { origin: 'user' })).toBe(yours);
    const uncited = 'nothing in it could be checked';
    expect(memoryReason('asserted', { origin: 'agent', status: 'active' })).toBe(uncited);
    expect(memoryReason('asserted', { origin: 'user', status: 'quarantined' })).toBe(uncited);
    const adas = { origin: 'user', status: 'active', detail: 'signed by Ada' };
    expect(memoryReason('asserted', adas)).toBe(`${uncited} (signed by Ada)`);
    expect(memoryReason('changed', { origin: 'agent' })).toBe('changed on disk since it was cited');
  });

  it('say a probability as how often it holds, and never as certainty', () => {
    expect([0, 0.12, 0.62, 0.81, 1].map(oftenRight)).toEqual([
      'right less than once in 10 times',
      'right about once in 10 times',
      'right about 6 times in 10',
      'right about 8 times in 10',
      'right nearly every time',
    ]);
    expect(confidenceWords(0.29)).toBe('probably not the right place');
    expect(confidenceWords(0.3)).toBe('perhaps the right place');
  });

  it('say times, numbers and lines', () => {
    expect([30, 60, 7_200, 86_400 * 8, 86_400 * 800].map((age) => ago(0, age))).toEqual([
      'just now',
      '1 minute ago',
      '2 hours ago',
      '1 week ago',
      '2 years ago',
    ]);
    expect([count(1, 'file'), count(1234, 'file')]).toEqual(['1 file', '1,234 files']);
    expect([duration(41.4), duration(3210)]).toEqual(['41 ms', '3.2 s']);
    expect([lineRange({ start_line: 3, end_line: 3 }), lineRange({ start_line: 3, end_line: 9 })]).toEqual([
      '3',
      '3–9',
    ]);
    expect(spokenLines({ start_line: 3, end_line: 9 })).toBe('lines 3 to 9');
  });
});
