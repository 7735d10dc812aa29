/** What an answer in the chat is made of, as values: written to the editor's stream elsewhere. */
import type { LineSpan } from '../base/protocol';

/** Lines of a file of a workspace folder. */
export interface Place extends LineSpan {
  readonly source_id: string;
}

export interface Button {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

export type Part =
  /** Markdown; text of others in it has been made harmless. */
  | { readonly kind: 'text'; readonly text: string }
  /** A link in the text that opens at the lines, and an entry in the list of references. */
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'button'; readonly button: Button };

export const text = (words: string): Part => ({ kind: 'text', text: words });

export const place = ({ source_id, start_line, end_line }: Place): Part => ({
  kind: 'place',
  place: { source_id, start_line, end_line },
});

export const button = (title: string, command: string, ...given: readonly unknown[]): Part => ({
  kind: 'button',
  button: { title, command, ...(given.length > 0 && { arguments: given }) },
});
