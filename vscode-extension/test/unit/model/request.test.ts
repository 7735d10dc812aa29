import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../src/model/failure';
import { offeredModels } from '../../../src/model/offered';
import { chatBody } from '../../../src/model/request';
import { estimatedTokens, messageTokens } from '../../../src/model/tokens';

const text = (value: string): object => ({ value });
const bodyOf = (messages: { role: number; content: unknown[] }[], leftOut: string[] = []): Record<string, unknown> =>
  JSON.parse(
    chatBody('m', messages, { mustCall: false }, (what) => {
      leftOut.push(what);
    }),
  ) as Record<string, unknown>;

describe('a chat on the wire', () => {
  it('keeps roles and order, and puts results right behind the calls they answer', () => {
    const leftOut: string[] = [];
    const body = bodyOf(
      [
        { role: 3, content: [text('be brief')] },
        { role: 1, content: [text('what '), text('is it?')] },
        { role: 2, content: [text('I look'), { callId: 'c1', name: 'look', input: { a: 1 } }] },
        { role: 1, content: [text('and now?'), { callId: 'c1', content: [text('found')] }] },
        { role: 2, content: [{ mimeType: 'cache_control', data: new Uint8Array(1) }] },
      ],
      leftOut,
    );
    expect(body['messages']).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'what is it?' },
      {
        role: 'assistant',
        content: 'I look',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'found' },
      { role: 'user', content: 'and now?' },
    ]);
    expect(leftOut).toEqual(['cache_control']);
    expect(body).not.toHaveProperty('tools');
  });

  it('carries pictures, tools and the options a model server knows', () => {
    const image = { mimeType: 'image/png', data: new Uint8Array([1, 2]) };
    const options = {
      mustCall: true,
      tools: [{ name: 'look', description: 'Looks.' }],
      modelOptions: { temperature: 0, model: 'another', secret: 'x' },
    };
    const body = JSON.parse(
      chatBody('m', [{ role: 1, content: [text('see'), image] }], options, () => undefined),
    ) as Record<string, unknown>;
    expect(body).toEqual({
      model: 'm',
      stream: true,
      temperature: 0,
      tool_choice: 'required',
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
        },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AQI=' } },
          ],
        },
      ],
    });
  });
});

describe('the models that are offered', () => {
  it('are those that chat, each once, with room left for what the proxy adds', () => {
    const listed = {
      data: [{ id: 'llama3:8b', max_model_len: 8192 }, { id: 'llama3:8b' }, { id: 'nomic-embed-text' }, 7, {}],
    };
    const [model, ...more] = offeredModels(listed, ['127.0.0.1:11434']);
    expect(more).toEqual([]);
    expect(model).toMatchObject({ id: 'llama3:8b', detail: '127.0.0.1:11434', capabilities: { toolCalling: true } });
    expect(model?.maxInputTokens).toBeLessThan(8192);
  });

  it('call tools only where their server says nothing else, and none come of nonsense', () => {
    const listed = {
      data: [
        { id: 'plain', capabilities: ['completion'] },
        { id: 'sees', capabilities: ['tools', 'vision'] },
      ],
    };
    expect(offeredModels(listed, []).map(({ capabilities }) => capabilities)).toEqual([
      { toolCalling: false, imageInput: false },
      { toolCalling: true, imageInput: true },
    ]);
    expect(offeredModels('nonsense', [])).toEqual([]);
  });
});

describe('a refusal', () => {
  it.each([
    [401, '{"error":{"message":"wrong key"}}', undefined, 'forbidden', /^wrong key\. Check/],
    [404, '{"error":"no such model"}', undefined, 'missing', /^no such model\. Choose another model/],
    [429, '{"error":{"message":"too fast."}}', '7', 'blocked', /^too fast\. Ask again in 7 s\.$/],
    [500, '<html>oh</html>', undefined, 'other', /status 500\. See whether/],
    [400, '{"error":{"message":"a\\nb"}}', undefined, 'other', /^a b\. /],
  ] as const)(
    'with %i says what the upstream says, then what to do, in one line',
    (status, body, after, kind, line) => {
      const failure = failureOf(status, body, after);
      expect(failure.kind).toBe(kind);
      expect(failure.sentence).toMatch(line);
      expect(failure.sentence).not.toContain('\n');
    },
  );
});

describe('the count of tokens', () => {
  const known = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../fixtures/tokens.json'), 'utf8')) as {
    readonly text: string;
    readonly tokens: number;
  }[];

  it.each(known)("is the server's: $tokens for $text", ({ text: said, tokens }) => {
    expect(estimatedTokens(said)).toBe(tokens);
  });

  it('grows with the text, is the same each time, and counts what a message holds', () => {
    expect(estimatedTokens('')).toBeGreaterThan(0);
    expect(estimatedTokens('def refund(payment):\n    return 1\n')).toBe(
      estimatedTokens('def refund(payment):\n    return 1\n'),
    );
    expect(estimatedTokens('word '.repeat(100))).toBeGreaterThanOrEqual(100);
    expect(estimatedTokens('字'.repeat(10))).toBeGreaterThanOrEqual(20);
    expect(
      messageTokens({ role: 1, content: [text('a'), { mimeType: 'image/png', data: new Uint8Array(1) }] }),
    ).toBeGreaterThan(900);
  });
});
