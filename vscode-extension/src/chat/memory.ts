/** What an answer leaves behind for the next question of the same chat, and how it is found again. Pure. */
import { taskTypes, type TaskType } from '../base/protocol';
import type { FilePlace } from './parts';

/** Travels as the metadata of an answer; only the editor keeps it, with the chat. */
export interface Memory {
  readonly question: string;
  readonly task: TaskType;
  /** Uri of the workspace folder. */
  readonly workspace: string;
  /** In the order in which the answer numbers them. */
  readonly places: readonly FilePlace[];
}

/** The newest of a chat's metadata that is a memory; what an older version wrote is skipped. */
export function lastMemory(metadata: readonly unknown[]): Memory | undefined {
  return metadata.map(memoryIn).findLast((memory) => memory !== undefined);
}

const lead = /^(?:(?:and|also|but|so|then|or|what about|how about|show me|tell me about)\b[\s,:]*)+/i;
const pointing = /\b(it|its|it's|they|them|their|that|this|those|these|there)\b/gi;
const mostWords = 9;

/**
 * The question in full: one that leans on what was asked before (“and its tests?”) is put behind it. Gives the words
 * as they are where nothing was asked before or they are complete by themselves.
 */
export function fullQuestion(prompt: string, last: Memory | undefined): string {
  const words = prompt.trim();
  if (!last || words.split(/\s+/).length > mostWords || !(lead.test(words) || words.search(pointing) >= 0)) {
    return words;
  }
  const own = words
    .replace(lead, '')
    .replace(pointing, ' ')
    .replace(/[?!.\s]+/g, ' ')
    .trim();
  return own ? `${last.question.replace(/[?!.\s]+$/, '')}: ${own}` : last.question;
}

function memoryIn(metadata: unknown): Memory | undefined {
  const { question, task, workspace, places } = (metadata ?? {}) as Partial<Record<keyof Memory, unknown>>;
  const known = taskTypes.find((one) => one === task);
  if (typeof question !== 'string' || typeof workspace !== 'string' || !known || !Array.isArray(places)) {
    return undefined;
  }
  return { question, task: known, workspace, places: places as FilePlace[] };
}
