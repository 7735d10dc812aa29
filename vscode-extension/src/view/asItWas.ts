/** A file's lines with a quote in the place of the current ones. Pure. */

import type { LineSpan } from '../base/protocol';

/**
 * Replaces the lines from the span's first on. How many follows from the end of the quote: at its last line that is still
 * there, else after as many lines as it has. Lines of the span are 1-based.
 */
export function asItWas(now: readonly string[], span: LineSpan, quote: readonly string[]): string[] {
  const start = Math.min(Math.max(span.start_line - 1, 0), now.length);
  const last = quote.findLast((line) => line.trim() !== '');
  const after = last === undefined ? 0 : quote.length - 1 - quote.lastIndexOf(last);
  const near = now.slice(start, start + 2 * quote.length + 10);
  const kept = last === undefined ? -1 : near.indexOf(last, Math.max(quote.length - 10, 0));
  const taken = kept < 0 ? quote.length : kept + 1 + after;
  return [...now.slice(0, start), ...quote, ...now.slice(start + taken)];
}
