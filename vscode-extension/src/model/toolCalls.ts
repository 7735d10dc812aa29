/** Puts streamed tool calls together: one of these for each answer, so that two answers never mix. Pure. */

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

/** As the wire has it: the first piece names the call, all bring some of its arguments. */
export interface ToolCallPiece {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null;
}

interface Unfinished {
  readonly index: number | undefined;
  id: string;
  name: string;
  text: string;
}

export class ToolCalls {
  private readonly calls: Unfinished[] = [];

  add(pieces: readonly ToolCallPiece[]): void {
    for (const piece of pieces) {
      const call = this.callOf(piece);
      call.id ||= piece.id ?? '';
      call.name ||= piece.function?.name ?? '';
      call.text += piece.function?.arguments ?? '';
    }
  }

  /** All calls of the answer. Throws where arguments are not a JSON object: half a call must not be made. */
  finish(): ToolCall[] {
    return this.calls.map(({ id, name, text }, number) => {
      const input = parsed(text.trim() === '' ? '{}' : text);
      if (name === '' || input === undefined) {
        throw new Error(
          `The model called ${name || 'a tool without a name'} with arguments that are not a JSON object; ask again.`,
        );
      }
      return { id: id || `call_${number + 1}`, name, input };
    });
  }

  /** By index; where a server sends none, a new id begins a new call. */
  private callOf(piece: ToolCallPiece): Unfinished {
    const index = piece.index ?? undefined;
    const last = this.calls.at(-1);
    const found =
      index === undefined
        ? (this.calls.find((call) => piece.id && call.id === piece.id) ?? (piece.id ? undefined : last))
        : this.calls.find((call) => call.index === index);
    if (found) {
      return found;
    }
    const made: Unfinished = { index, id: '', name: '', text: '' };
    this.calls.push(made);
    return made;
  }
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
