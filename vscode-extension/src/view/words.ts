/** Verdicts, reasons, tasks, numbers and times, said for people. Pure. */

import type { Packet, TaskType, VerdictStatus } from '../base/protocol';

export const groups: readonly VerdictStatus[] = ['verified', 'stale_risk', 'needs_refresh'];

export const groupNames: Readonly<Record<VerdictStatus, string>> = {
  verified: 'Verified',
  stale_risk: 'Stale risk',
  needs_refresh: 'Needs refresh',
};

/** The signs of the verdicts, as the command line prints them. */
export const verdictSigns: Readonly<Record<VerdictStatus, string>> = {
  verified: '✓',
  stale_risk: '~',
  needs_refresh: '!',
};

/** What a group means for the reader. */
export const groupMeanings: Readonly<Record<VerdictStatus, string>> = {
  verified: 'true on disk right now',
  stale_risk: 'may mislead, look before you rely on it',
  needs_refresh: 'read it again before you rely on it',
};

/** As in `helix_core/engine/verdict/reasons.py`; `tests/docs/test_reasons.py` compares the two. */
const reasons: Readonly<Record<string, string>> = {
  unchanged: 'unchanged since it was {since}',
  touched: 'touched, but the bytes are the same',
  reingested: 'changed, and read again just now',
  moved: 'the same text, now on these lines',
  renamed: 'the same text, now under another name',
  changed: 'changed on disk since it was {since}',
  not_indexed: 'not indexed: its lines were not searched',
  gone: 'no longer there',
  unreadable: 'cannot be read',
  outside_root: 'points outside the folder',
  ignored: 'now ignored',
  not_a_file: 'no longer an ordinary file',
  too_large: 'larger than index.max_file_size, or more than 50,000 lines',
  unsaved: 'has unsaved edits in the editor',
  conflicted: 'part of an unfinished merge or rebase',
  outdated_doc: 'describes code that changed after it was written',
  contradicted: 'contradicted by another source',
  aged: 'too old for this task',
  weak_authority: 'not a primary source',
  unlocated: 'may not be the right place',
  asserted: 'said by you, and cites nothing that could be checked',
  superseded: 'depends on a memory that is no longer in force',
};

/** The reason of a verdict in words; `since` is what was done to the item last. */
export function reasonWords(reason: string, since: 'indexed' | 'cited' | 'opened' = 'indexed'): string {
  return reasons[reason]?.replace('{since}', since) ?? reason.replaceAll('_', ' ');
}

/**
 * The reason of a memory's verdict in words: what the user neither said nor approved is no word of theirs. The `detail`
 * of what is only asserted is who signed it, where that is not the user.
 */
export function memoryReason(
  reason: string,
  { origin, status, detail = '' }: { readonly origin: string; readonly status?: string; readonly detail?: string },
): string {
  const isUsers = origin === 'user' && status !== 'quarantined' && detail === '';
  if (reason !== 'asserted' || isUsers) return reasonWords(reason, 'cited');
  return `nothing in it could be checked${detail === '' ? '' : ` (${detail})`}`;
}

const quietReasons = new Set(['unchanged', 'touched']);

/** Is there more to say of a verdict than its mark: that something is wrong, or that it has moved? */
export function saysMore({ status, reason }: { readonly status: VerdictStatus; readonly reason: string }): boolean {
  return status !== 'verified' || !quietReasons.has(reason);
}

export type Risk = 'low' | 'medium' | 'high' | 'highest';

export interface TaskWords {
  readonly name: TaskType;
  readonly label: string;
  readonly risk: Risk;
  readonly meaning: string;
}

/** The tasks from the most forgiving on, with what the task asks of each verdict. */
export const tasks: readonly TaskWords[] = [
  { name: 'plan', label: 'Plan', risk: 'low', meaning: 'a roughly right place will do' },
  { name: 'explain', label: 'Explain', risk: 'low', meaning: 'doubts are named, and kept apart' },
  { name: 'review', label: 'Review', risk: 'medium', meaning: 'older knowledge is doubted sooner' },
  {
    name: 'edit',
    label: 'Edit',
    risk: 'high',
    meaning: 'every file is read and hashed again; doubtful places must be read first',
  },
  {
    name: 'debug',
    label: 'Debug',
    risk: 'high',
    meaning: 'every file is read and hashed again; doubtful places must be read first',
  },
  { name: 'ops', label: 'Operate', risk: 'highest', meaning: 'something will be run: nothing doubtful passes' },
  { name: 'quote', label: 'Quote', risk: 'highest', meaning: 'the very words count: nothing doubtful passes' },
];

export function taskWords(task: TaskType): TaskWords {
  return tasks.find((one) => one.name === task) ?? { name: task, label: task, risk: 'medium', meaning: '' };
}

/** How sure the answer is, from the calibrated probability that it points to the right place. */
export function confidenceWords(confidence: number): string {
  if (confidence >= 0.8) return 'very likely the right place';
  if (confidence >= 0.6) return 'likely the right place';
  if (confidence >= 0.3) return 'perhaps the right place';
  return 'probably not the right place';
}

/** A calibrated probability as how often such an answer is right: `right about 8 times in 10`. */
export function oftenRight(confidence: number): string {
  const times = Math.round(confidence * 10);
  if (times <= 0) return 'right less than once in 10 times';
  if (times >= 10) return 'right nearly every time';
  return times === 1 ? 'right about once in 10 times' : `right about ${times} times in 10`;
}

const steps: readonly (readonly [number, string])[] = [
  [365 * 86_400, 'year'],
  [30 * 86_400, 'month'],
  [7 * 86_400, 'week'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** How long ago, in the largest unit that fits: `3 weeks ago`. */
export function ago(thenSeconds: number, nowSeconds: number): string {
  const seconds = nowSeconds - thenSeconds;
  for (const [size, unit] of steps) {
    if (seconds >= size) return `${count(Math.floor(seconds / size), unit)} ago`;
  }
  return 'just now';
}

/** What a commit is the last change of; of lines that are not committed it is one before them. */
export function changed(commitOf: string | undefined, isUncommitted = false): string {
  const what = commitOf === 'lines' ? 'last' : 'file last';
  return isUncommitted ? `${notCommitted}, ${what} committed` : `${what} changed`;
}

export const notCommitted = 'edited and not committed';

/** `1 file`, `1,234 files`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? noun : plural}`;
}

/** How an answer differs from the one before. */
export function cameAndWent(came: number, went: number): string {
  if (went === 0) return `${count(came, 'place')} came`;
  return came === 0 ? `${count(went, 'place')} went` : `${count(came, 'place')} came, ${went} went`;
}

/** `41 ms` or `3.2 s`. */
export function duration(elapsedMs: number): string {
  return elapsedMs < 1000 ? `${Math.round(elapsedMs)} ms` : `${(elapsedMs / 1000).toFixed(1)} s`;
}

/** `12` or `12–40`, as people write it. */
export function lineRange(span: { readonly start_line: number; readonly end_line: number }): string {
  return span.start_line === span.end_line ? `${span.start_line}` : `${span.start_line}–${span.end_line}`;
}

/** `line 12` or `lines 12 to 40`, as people say it. */
export function spokenLines(span: { readonly start_line: number; readonly end_line: number }): string {
  return span.start_line === span.end_line ? `line ${span.start_line}` : `lines ${span.start_line} to ${span.end_line}`;
}

/** What a packet without an answer says; what was remembered of the question may answer it still. */
export function nothingWords({ memories = [] }: Pick<Packet, 'memories'>): string {
  return memories.length > 0 ? 'Nothing in the files answers that.' : 'Nothing here answers that.';
}
