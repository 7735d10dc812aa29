/**
 * The editor's messages and tools as those of the OpenAI wire. Pure: parts are known by their shape, so that nothing of
 * the editor is needed; what no model understands is left out and reported.
 */

import { withoutFooters } from './footer';

export type WireContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export interface WireToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type WireMessage =
  | { readonly role: 'system' | 'user'; readonly content: string | readonly WireContent[]; readonly name?: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly WireToolCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface EditorMessage {
  /** 1 user, 2 assistant, 3 system. */
  readonly role: number;
  readonly content: readonly unknown[];
  readonly name?: string | undefined;
}

export interface EditorTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: object | undefined;
}

const assistant = 2;
const system = 3;

/** The same conversation in the same order; results of tools come right after the calls they answer. */
export function wireMessages(messages: readonly EditorMessage[], leftOut: (what: string) => void): WireMessage[] {
  return messages.flatMap((message) => {
    const parts = message.content.map(read);
    for (const part of parts) {
      if (part.kind === 'unknown') {
        leftOut(part.what);
      }
    }
    return message.role === assistant ? assistantMessage(parts) : userMessages(message, parts);
  });
}

export function wireTools(tools: readonly EditorTool[]): object[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema ?? { type: 'object', properties: {} } },
  }));
}

/** The text of one message, for counting. */
export function messageText(message: EditorMessage): string {
  return message.content
    .map(read)
    .map((part) => {
      switch (part.kind) {
        case 'text':
        case 'result':
          return part.text;
        case 'call':
          return `${part.call.function.name} ${part.call.function.arguments}`;
        case 'image':
        case 'unknown':
          return '';
      }
    })
    .join('\n');
}

/** How many pictures a message holds, for counting. */
export function imageCount(message: EditorMessage): number {
  return message.content.map(read).filter((part) => part.kind === 'image').length;
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly url: string }
  | { readonly kind: 'call'; readonly call: WireToolCall }
  | { readonly kind: 'result'; readonly id: string; readonly text: string }
  | { readonly kind: 'unknown'; readonly what: string };

function assistantMessage(parts: readonly Part[]): WireMessage[] {
  const text = withoutFooters(textOf(parts));
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [part.call] : []));
  if (text === '' && calls.length === 0) {
    return [];
  }
  return [{ role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls: calls }) }];
}

function userMessages(message: EditorMessage, parts: readonly Part[]): WireMessage[] {
  const results = parts.flatMap((part): WireMessage[] =>
    part.kind === 'result' ? [{ role: 'tool', tool_call_id: part.id, content: part.text }] : [],
  );
  const images = parts.flatMap((part): WireContent[] =>
    part.kind === 'image' ? [{ type: 'image_url', image_url: { url: part.url } }] : [],
  );
  const text = textOf(parts);
  if (text === '' && images.length === 0) {
    return results;
  }
  const said: WireMessage = {
    role: message.role === system ? 'system' : 'user',
    content: images.length === 0 ? text : [...(text ? [{ type: 'text' as const, text }] : []), ...images],
    ...(message.name && { name: message.name }),
  };
  return [...results, said];
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}

function read(part: unknown): Part {
  if (typeof part === 'string') {
    return { kind: 'text', text: part };
  }
  const fields = (typeof part === 'object' && part !== null ? part : {}) as Readonly<Record<string, unknown>>;
  const { callId, name, input, content, value, mimeType, data } = fields;
  if (typeof callId === 'string' && typeof name === 'string') {
    const call = { name, arguments: JSON.stringify(input ?? {}) };
    return { kind: 'call', call: { id: callId, type: 'function', function: call } };
  }
  if (typeof callId === 'string' && Array.isArray(content)) {
    return { kind: 'result', id: callId, text: content.map(resultText).join('\n') };
  }
  if (typeof value === 'string') {
    return { kind: 'text', text: value };
  }
  if (typeof mimeType === 'string' && data instanceof Uint8Array) {
    return mimeType.startsWith('image/')
      ? { kind: 'image', url: `data:${mimeType};base64,${Buffer.from(data).toString('base64')}` }
      : { kind: 'unknown', what: mimeType };
  }
  return { kind: 'unknown', what: Object.keys(fields).join(', ') || typeof part };
}

/** What a tool answered: its text, and of anything else what can be said of it as text. */
function resultText(part: unknown): string {
  const known = read(part);
  switch (known.kind) {
    case 'text':
      return known.text;
    case 'image':
      return '(a picture)';
    case 'call':
    case 'result':
    case 'unknown':
      return dataText(part) ?? JSON.stringify((part as { value?: unknown } | null)?.value ?? null);
  }
}

function dataText(part: unknown): string | undefined {
  const { mimeType, data } = (part ?? {}) as { mimeType?: unknown; data?: unknown };
  const isText = typeof mimeType === 'string' && /^text\/|json/.test(mimeType);
  return isText && data instanceof Uint8Array ? Buffer.from(data).toString('utf8') : undefined;
}
