/** What an answer in the chat is made of, as values: written to the editor's stream elsewhere. */
import type { LineSpan } from '../base/protocol';

/** Lines of a file of a workspace folder. */
export interface FilePlace extends LineSpan {
  readonly source_id: string;
}

export interface Button {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

export type ChatPart =
  /** Markdown; text of others in it has been made harmless. */
  | { readonly kind: 'text'; readonly text: string }
  /** A link in the text that opens at the lines, and an entry in the list of references. */
  | { readonly kind: 'place'; readonly place: FilePlace }
  | { readonly kind: 'button'; readonly button: Button };

export const text = (words: string): ChatPart => ({ kind: 'text', text: words });

export const place = ({ source_id, start_line, end_line }: FilePlace): ChatPart => ({
  kind: 'place',
  place: { source_id, start_line, end_line },
});

export const button = (title: string, command: string, ...given: readonly unknown[]): ChatPart => ({
  kind: 'button',
  button: { title, command, ...(given.length > 0 && { arguments: given }) },
});
