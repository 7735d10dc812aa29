/** Which lines of a buffer hold what was quoted from disk. Pure: the lines of both are given. */

import type { LineSpan } from '../base/protocol';

const fewLines = 8;

/**
 * The span, moved to where the quote's first lines are in the buffer; the nearest place if they are at several.
 * A buffer that does not hold them gives the span itself, cut at the buffer's end. Lines are 1-based and inclusive.
 */
export function locate(buffer: readonly string[], span: LineSpan, quote: readonly string[]): LineSpan {
  const head = quote.slice(0, fewLines);
  const start = head.some((line) => line.trim() !== '') ? nearest(buffer, span.start_line, head) : undefined;
  const shift = start === undefined ? 0 : start - span.start_line;
  const last = Math.max(1, buffer.length);
  const within = (line: number): number => Math.min(Math.max(1, line), last);
  return { start_line: within(span.start_line + shift), end_line: within(span.end_line + shift) };
}

function nearest(buffer: readonly string[], wanted: number, head: readonly string[]): number | undefined {
  const holds = (line: number): boolean => head.every((text, offset) => buffer[line - 1 + offset] === text);
  for (let distance = 0; distance <= Math.max(wanted, buffer.length); distance++) {
    if (wanted - distance >= 1 && holds(wanted - distance)) return wanted - distance;
    if (holds(wanted + distance)) return wanted + distance;
  }
  return undefined;
}
