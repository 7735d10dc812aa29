/** Why a chat was refused, in one line that ends in what to do. Pure: the editor's error classes are chosen elsewhere. */

export type FailureKind = 'forbidden' | 'missing' | 'blocked' | 'other';

export interface Failure {
  readonly kind: FailureKind;
  readonly sentence: string;
}

const longest = 400;

/** Of an answer that is not a stream: the upstream's message is kept, and is followed by the next action. */
export function failureOf(status: number, body: string, retryAfter?: string): Failure {
  const said = messageIn(body) ?? `the upstream answered with status ${status}`;
  const [kind, action] = nextAction(status, retryAfter);
  return { kind, sentence: `${ended(oneLine(said))} ${action}` };
}

function nextAction(status: number, retryAfter?: string): [FailureKind, string] {
  if (status === 401 || status === 403) {
    return ['forbidden', 'Check the upstream’s key, or choose another upstream with “Helix: Choose Upstream”.'];
  }
  if (status === 404) {
    return ['missing', 'Choose another model, or another upstream with “Helix: Choose Upstream”.'];
  }
  if (status === 429) {
    return ['blocked', retryAfter && /^\d+$/.test(retryAfter) ? `Ask again in ${retryAfter} s.` : 'Ask again later.'];
  }
  if (status === 413) {
    return ['other', 'Ask with less in the chat.'];
  }
  if (status >= 500) {
    return ['other', 'See whether the upstream runs, and ask again.'];
  }
  return ['other', 'Change the question or the model, and ask again.'];
}

function messageIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: string | { message?: unknown } | null };
    const said = typeof error === 'string' ? error : error?.message;
    return typeof said === 'string' && said.trim() ? said : undefined;
  } catch {
    return undefined;
  }
}

function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex
  const flat = text.replace(/[\x00-\x1f\x7f\s]+/g, ' ').trim();
  return flat.length > longest ? `${flat.slice(0, longest)}…` : flat;
}

function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
