/** How many tokens a text costs a model, without its tokenizer: the same estimate, with its margin, as the server's. Pure. */
import { imageCount, messageText, type EditorMessage } from './messages';

const run = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\x00-\x7f]+|[!-/:-@[-`{-~]+|[ \t]{2,}|\n+/g; // eslint-disable-line no-control-regex
const margin = 1.17;
const longWord = 7;
const perMessage = 4;
const perImage = 1_000;

/** Rounded up: words, long words, digits by three, line ends, punctuation, other scripts. */
export function estimatedTokens(text: string): number {
  let cost = 1;
  for (const [part] of text.matchAll(run)) {
    cost += costOf(part);
  }
  return Math.floor(cost * margin) + 1;
}

export function messageTokens(message: EditorMessage): number {
  return estimatedTokens(messageText(message)) + imageCount(message) * perImage + perMessage;
}

function costOf(part: string): number {
  const first = part.charCodeAt(0);
  if (first > 0x7f) {
    return 0.7 * Buffer.byteLength(part);
  }
  if (/[A-Za-z]/.test(part.charAt(0))) {
    return 0.9 + 0.25 * Math.max(0, part.length - longWord);
  }
  if (/\d/.test(part.charAt(0))) {
    return 1.7 * Math.floor((part.length + 2) / 3);
  }
  if (part.startsWith('\n')) {
    return 1.6;
  }
  return /^[ \t]/.test(part) ? 0 : 0.57 + 0.3 * (part.length - 1);
}
