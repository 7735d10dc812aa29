/** What may be asked next. Pure. */
import type { Memory } from './memory';

export interface FollowUp {
  readonly prompt: string;
  readonly label: string;
  readonly command?: ChatCommand;
}

export const chatCommands = ['packet', 'explain', 'check', 'fresh', 'why', 'refresh'] as const;
export type ChatCommand = (typeof chatCommands)[number];

export function chatCommand(name: string | undefined): ChatCommand | undefined {
  return chatCommands.find((one) => one === name);
}

export function followUps(after: ChatCommand | undefined, memory: Memory | undefined): FollowUp[] {
  if (!memory || memory.places.length === 0) {
    return [];
  }
  const all: FollowUp[] = [
    { command: 'why', prompt: '1', label: 'Why this verdict for the first place?' },
    { command: 'fresh', prompt: '', label: 'Is it still true?' },
    { command: 'refresh', prompt: '', label: 'What must be read again?' },
    { prompt: 'and its tests?', label: 'And its tests?' },
  ];
  return all.filter((one) => one.command === undefined || one.command !== after).slice(0, 3);
}
