/** Which place or name a short prompt means. Pure. */
import type { Memory } from './memory';
import type { FilePlace } from './parts';

/** `2` is the second place of the last answer, `ledger/refunds.py:12-20` says itself; undefined for anything else. */
export function namedPlace(prompt: string, last: Memory | undefined): FilePlace | undefined {
  const words = prompt.trim().replace(/^#/, '').replace(/^`|`$/g, '');
  if (/^\d+$/.test(words)) {
    return last?.places[Number(words) - 1];
  }
  const [, source_id, start, end] = /^([^\s:][^:]*):(\d+)(?:\s*[-–]\s*(\d+))?$/.exec(words) ?? [];
  if (source_id === undefined) {
    return undefined;
  }
  const start_line = Math.max(1, Number(start));
  return { source_id, start_line, end_line: Math.max(start_line, Number(end ?? start)) };
}

/** The name a prompt is about: the whole of it, what is in backticks, or the one word that only code is written like. */
export function namedSymbol(prompt: string): string | undefined {
  const words = prompt.trim().replace(/[?!.]+$/, '');
  const quoted = /`([^`\s]+)`/.exec(words)?.[1];
  if (quoted) {
    return quoted.replace(/\(\)$/, '');
  }
  const found = words.split(/\s+/).map((word) => word.replace(/^["'(]+|["'),;:]+$/g, '').replace(/\($/, ''));
  const name = /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*)*$/u;
  const [only] = found;
  if (found.length === 1 && only !== undefined && name.test(only)) {
    return only;
  }
  return found.find((word) => name.test(word) && /_|\p{Ll}\p{Lu}|[\p{L}\p{N}]\.\p{L}|::/u.test(word));
}
