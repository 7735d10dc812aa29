/** A streamed chat completion: its events in, text and whole tool calls out, in the order they came. Pure. */
import { eventData } from './eventStream';
import { ToolCalls, type ToolCall, type ToolCallPiece } from './toolCalls';

export type AnswerPart = { readonly text: string } | { readonly call: ToolCall };

interface Chunk {
  readonly error?: { readonly message?: unknown } | string | null;
  readonly choices?: readonly {
    readonly delta?: { readonly content?: unknown; readonly tool_calls?: readonly ToolCallPiece[] | null } | null;
  }[];
}

/** Rejects with the sentence of an error frame, and when the answer ends before its end. */
export async function* answerParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<AnswerPart, void, undefined> {
  const calls = new ToolCalls();
  for await (const data of eventData(bytes)) {
    if (data.trim() === '[DONE]') {
      for (const call of calls.finish()) {
        yield { call };
      }
      return;
    }
    const chunk = read(data);
    if (chunk.error !== undefined && chunk.error !== null) {
      throw new Error(sentenceOf(chunk.error));
    }
    const delta = chunk.choices?.[0]?.delta;
    if (typeof delta?.content === 'string' && delta.content !== '') {
      yield { text: delta.content };
    }
    calls.add(delta?.tool_calls ?? []);
  }
  throw new Error('The answer stopped before its end; ask again.');
}

function read(data: string): Chunk {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    throw new Error(
      'The answer holds something that is not valid JSON; ask again, and look at the model server’s log.',
    );
  }
}

function sentenceOf(error: NonNullable<Chunk['error']>): string {
  const said = typeof error === 'string' ? error : error.message;
  return typeof said === 'string' && said.trim() ? said.trim() : 'The model server reported an error without a reason.';
}
