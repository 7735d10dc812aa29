/** A model server that speaks the OpenAI wire, and answers as the model's name tells it to. It keeps what it was asked. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

import { pause } from './until.ts';

interface Message {
  role: string;
  content?: unknown;
  tool_call_id?: string;
}

export interface Asked {
  model: string;
  messages: Message[];
  tools?: { function: { name: string } }[];
  /** The client hung up before the answer's end. */
  left: boolean;
}

export const PLAIN = 'plain-words';
const PLAIN_ANSWER = 'A refund gives a payment back, or a part of it.';
export const CALLER = 'tool-caller';
export const ENDLESS = 'never-ends';
export const REFUSING = 'refuses';
export const CITER = 'cites-places';
/** One reference that is right, and one line that is not there. */
export const CITED = 'Refunds are in `ledger/refunds.py:3`. See `ledger/refunds.py:9000` too.';
const MODELS = [PLAIN, CALLER, CITER, ENDLESS, REFUSING];
const QUESTION = 'How does a refund work?';

export class Upstream {
  readonly asked: Asked[] = [];
  readonly #server = http.createServer((request, response) => void this.#answer(request, response));

  static async start(): Promise<Upstream> {
    const upstream = new Upstream();
    await new Promise<void>((resolve) => upstream.#server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    if (request.method === 'GET') {
      const data = MODELS.map((id) => ({ id, object: 'model', max_model_len: 131_072 }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }));
      return;
    }
    const asked: Asked = { ...(JSON.parse(Buffer.concat(parts).toString('utf8')) as Asked), left: false };
    this.asked.push(asked);
    response.once('close', () => (asked.left = !response.writableFinished));
    if (asked.model === REFUSING) {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end(JSON.stringify({ error: { message: 'the model is busy', type: 'rate_limit' } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const delta of deltasFor(asked)) {
      response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [delta] })}\n\n`);
      await pause(5); // so that two answers at once run side by side
    }
    if (asked.model !== ENDLESS) response.end('data: [DONE]\n\n');
  }
}

interface Choice {
  index: 0;
  delta: object;
  finish_reason: string | null;
}

function deltasFor(asked: Asked): Choice[] {
  const say = (...words: string[]): Choice[] => words.map((content) => choice({ content }));
  const tool = asked.tools?.map((one) => one.function.name).find((name) => name.endsWith('helix_context_packet'));
  const result = asked.messages.findLast(({ role }) => role === 'tool');
  if (asked.model === CITER) return [...say(...(CITED.match(/.{1,7}/gs) ?? [])), choice({}, 'stop')];
  if (asked.model !== CALLER) return [...say(...(PLAIN_ANSWER.match(/.{1,9}/g) ?? [])), choice({}, 'stop')];
  if (result !== undefined) {
    const found = /ledger\/[a-z_]+\.py/.exec(JSON.stringify(result.content))?.[0] ?? 'nothing';
    return [...say('The tool ', `found ${found}.`), choice({}, 'stop')];
  }
  if (tool === undefined) return [...say('No tool of Helix is here.'), choice({}, 'stop')];
  return [...toolCall(tool, JSON.stringify({ question: questionIn(asked) ?? QUESTION })), choice({}, 'tool_calls')];
}

/** The arguments come in pieces of three characters. */
function toolCall(name: string, text: string): Choice[] {
  const pieces = text.match(/.{1,3}/gs) ?? [];
  const first = { index: 0, id: `call_${text.length}`, type: 'function', function: { name, arguments: '' } };
  const more = pieces.map((piece) => choice({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
  return [choice({ role: 'assistant', tool_calls: [first] }), ...more];
}

/** What stands between double angle quotes in the last message of the user's. */
function questionIn({ messages }: Asked): string | undefined {
  return /«(.+?)»/.exec(JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content))?.[1];
}

function choice(delta: object, finish_reason: string | null = null): Choice {
  return { index: 0, delta, finish_reason };
}
