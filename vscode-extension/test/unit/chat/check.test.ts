import { describe, expect, it } from 'vitest';
import type { CheckAnswer } from '../../../src/base/protocol';
import { answerTo, type ChatQuestion } from '../../../src/chat/answer';
import { checkParts } from '../../../src/chat/checkParts';
import type { ChatPart } from '../../../src/chat/parts';

const found: CheckAnswer = {
  schema: 'helix.check/1',
  findings: [
    {
      line: 1,
      reference: 'Basket.totals()',
      kind: 'symbol',
      rule: 'member-missing',
      verdict: 'stale_risk',
      reason: 'renamed',
      message: 'Basket has no such member; nearest is Basket.total',
      now: { source_id: 'shop/basket.py', start_line: 20, symbol: 'Basket.total' },
    },
  ],
  checked: 3,
  wrong: 1,
  unknown: 2,
  notes: [],
};
const words = (parts: readonly ChatPart[]): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
const asked = (about: Partial<ChatQuestion>): ChatQuestion => ({
  command: 'check',
  prompt: '',
  last: undefined,
  workspace: 'file:///w',
  pointed: undefined,
  ...about,
});

async function answered(about: Partial<ChatQuestion>): Promise<{ said: string; checked: unknown[] }> {
  const checked: unknown[] = [];
  const { parts } = await answerTo(asked(about), {
    ask: <T>(command: string, argument: object): Promise<T> => {
      checked.push({ command, ...argument });
      return Promise.resolve(found as T);
    },
    progress: () => undefined,
    nowSeconds: () => 0,
  });
  return { said: words(parts), checked };
}

describe('@helix /check', () => {
  it('lists what is wrong with the place it means now', () => {
    const parts = checkParts(found);
    expect(words(parts)).toContain('**1 of 3 references is wrong.** 2 others cannot be compared');
    expect(parts).toContainEqual({
      kind: 'place',
      place: { source_id: 'shop/basket.py', start_line: 20, end_line: 20 },
    });
  });

  it('checks an attached selection first, then what is written, then the last answer of a model', async () => {
    const all = { attachedText: 'attached', prompt: 'written', modelAnswer: 'answered' };
    expect((await answered(all)).checked).toEqual([
      { command: 'helix.check', text: 'attached', workspace: 'file:///w' },
    ]);
    expect((await answered({ ...all, attachedText: undefined })).checked).toMatchObject([{ text: 'written' }]);
    expect((await answered({ modelAnswer: 'answered' })).checked).toMatchObject([{ text: 'answered' }]);
  });

  it('says what to do where there is nothing to check', async () => {
    const { said, checked } = await answered({});
    expect(checked).toEqual([]);
    expect(said).toMatch(/No model of Helix has answered/);
  });

  it('says that nothing is wrong, and that nothing could be compared', () => {
    expect(words(checkParts({ ...found, findings: [], wrong: 0 }))).toContain('3 references checked**, none wrong');
    expect(words(checkParts({ ...found, findings: [], wrong: 0, checked: 0 }))).toMatch(/^Nothing in it names/);
  });
});
