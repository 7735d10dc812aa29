import { describe, expect, it } from 'vitest';
import { answerParts, type AnswerPart } from '../../../src/model/answer';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const event = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const call = (index: number | undefined, id: string | undefined, name: string | undefined, text: string): object => ({
  tool_calls: [{ index, id, function: { name, arguments: text } }],
});
const done = 'data: [DONE]\n\n';

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = encode(text);
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.slice(at, at + size));
  }
}

async function all(text: string, size = 7): Promise<AnswerPart[]> {
  const parts: AnswerPart[] = [];
  for await (const part of answerParts(pieces(text, size))) {
    parts.push(part);
  }
  return parts;
}

const textOf = (parts: readonly AnswerPart[]): string =>
  parts.map((part) => ('text' in part ? part.text : '')).join('');

describe('an answer that streams', () => {
  it.each([1, 2, 3, 1000])('is read whole from pieces of %i bytes, whatever the line ends are', async (size) => {
    const stream = `: hello\r\n\r\n${event({ content: 'žluť ' })}${event({ content: '🐎' }).replaceAll('\n', '\r\n')}${done}`;
    expect(textOf(await all(stream, size))).toBe('žluť 🐎');
  });

  it('gives tool calls whole, in their order, at its end', async () => {
    const stream = [
      event({ content: 'look' }),
      event(call(0, 'a', 'helix_search', '{"ques')),
      event(call(1, 'b', 'helix_open', '')),
      event(call(0, undefined, undefined, 'tion":"x"}')),
      event(call(1, undefined, undefined, '{"source_id":"y"}')),
      done,
    ].join('');
    expect(await all(stream)).toEqual([
      { text: 'look' },
      { call: { id: 'a', name: 'helix_search', input: { question: 'x' } } },
      { call: { id: 'b', name: 'helix_open', input: { source_id: 'y' } } },
    ]);
  });

  it('knows calls apart where a server numbers none, and takes no arguments for none', async () => {
    const stream = [event(call(undefined, 'a', 'one', '{}')), event(call(undefined, 'b', 'two', '')), done].join('');
    expect(await all(stream)).toEqual([
      { call: { id: 'a', name: 'one', input: {} } },
      { call: { id: 'b', name: 'two', input: {} } },
    ]);
  });

  it('of two answers at once never mixes their calls', async () => {
    const chat = (name: string): string =>
      [event(call(0, name, 'look', `{"who":`)), event(call(0, undefined, undefined, `"${name}"}`)), done].join('');
    const [one, other] = await Promise.all([all(chat('one'), 1), all(chat('other'), 1)]);
    expect(one).toEqual([{ call: { id: 'one', name: 'look', input: { who: 'one' } } }]);
    expect(other).toEqual([{ call: { id: 'other', name: 'look', input: { who: 'other' } } }]);
  });

  it.each([
    [`${event({ content: 'a' })}data: {"error":{"message":"the model ran away"}}\n\n${done}`, /the model ran away/],
    [event({ content: 'a' }), /before its end/],
    [`data: {"choices": [\n\n${done}`, /not valid JSON/],
    [`${event(call(0, 'a', 'look', '{"half'))}${done}`, /look with arguments/],
  ])('that goes wrong says how (%#)', async (stream, sentence) => {
    await expect(all(stream)).rejects.toThrow(sentence);
  });
});
