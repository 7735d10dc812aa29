/** What is remembered, as rows: grouped, marked, counted, cited. Pure. */
import {
  serverCommands,
  type CitedLines,
  type EditRequest,
  type LineSpan,
  type MemoryItem,
  type MemoryVerdict,
  type NamedMemory,
  type RecallAnswer,
  type RememberRequest,
  type ReviewItem,
} from '../base/protocol';
import { shown } from '../view/shown';
import { count, groupNames, lineRange, memoryReason, spokenLines, verdictSigns } from '../view/words';

/** A memory as a row needs it, and the workspace folder that was asked about it. */
export interface Remembered {
  /** Uri of a workspace folder. */
  readonly workspace: string;
  readonly item: MemoryItem;
  /** Why it waits for a decision, in the review queue. */
  readonly why?: ReviewItem['why'];
  /** What a proposal would replace. */
  readonly replaces?: string;
  /** What contradicts it and is in force too. */
  readonly rivals?: readonly NamedMemory[];
}

/** A memory by its id, as the quick fix of a line knows it. */
export interface CitedMemory {
  readonly cited: string;
  /** Uri of a workspace folder. */
  readonly workspace: string;
}

/** The id of the memory that a diagnostic is about; undefined for any other diagnostic. */
export function citedMemory(diagnostic: { source?: string; code?: unknown; message: string }): string | undefined {
  const { source, code, message } = diagnostic;
  const name = code !== null && typeof code === 'object' && 'value' in code ? code.value : code;
  if (source !== 'helix' || name !== 'stale_memory') return undefined;
  return /\bm_[a-z2-7]{8}\b/.exec(message)?.[0];
}

export interface MemoryGroup {
  /** `review`, or a kind. */
  readonly id: string;
  readonly label: string;
  readonly icon: string;
  readonly memories: readonly Remembered[];
}

/** What a folder's memory holds: what is in force, and what waits for a decision. */
export interface FolderMemory {
  readonly workspace: string;
  readonly items: readonly MemoryItem[];
  readonly review: readonly ReviewItem[];
}

interface KindWords {
  readonly one: string;
  readonly many: string;
  readonly icon: string;
  readonly meaning: string;
}

/** The kinds in the order of the tree. */
const kinds: Readonly<Record<string, KindWords>> = {
  decision: { one: 'Decision', many: 'Decisions', icon: 'milestone', meaning: 'what was chosen, and why' },
  convention: { one: 'Convention', many: 'Conventions', icon: 'law', meaning: 'how things are done here' },
  preference: { one: 'Preference', many: 'Preferences', icon: 'heart', meaning: 'how somebody likes it' },
  procedure: { one: 'Procedure', many: 'Procedures', icon: 'list-ordered', meaning: 'the steps of a task' },
  project: { one: 'Project', many: 'Project', icon: 'project', meaning: 'what the project is and uses' },
  fact: { one: 'Fact', many: 'Facts', icon: 'info', meaning: 'what is so' },
  entity: { one: 'Entity', many: 'Entities', icon: 'symbol-class', meaning: 'what something is' },
  snippet: { one: 'Snippet', many: 'Snippets', icon: 'code', meaning: 'a piece of text to keep' },
  episode: { one: 'Episode', many: 'Episodes', icon: 'history', meaning: 'what happened, and why' },
  identity: { one: 'Identity', many: 'Identity', icon: 'account', meaning: 'who somebody is' },
};
const order = Object.keys(kinds);

const whyWords: Readonly<Record<ReviewItem['why'], string>> = {
  proposed: 'proposed',
  contested: 'contradicts another',
  superseded: 'depends on a memory that was superseded',
  stale: 'its cited lines changed',
};

export function kindWords(kind: string): KindWords {
  const name = shown(kind);
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  return kinds[kind] ?? { one: capital, many: capital, icon: 'note', meaning: '' };
}

/** The kinds to choose from, the one that the text reads as first. */
export function kindChoices(read: string): string[] {
  return [read, ...order.filter((kind) => kind !== read)];
}

/** The groups of the tree: the review queue first, then the kinds. What all workspaces share is listed once. */
export function memoryGroups(folders: readonly FolderMemory[]): MemoryGroup[] {
  const kept = once(folders.flatMap(({ workspace, items }) => items.map((item) => ({ workspace, item }))));
  const queue = once(
    folders.flatMap(({ workspace, review }) =>
      review.map((item): Remembered => {
        const replaces = item.replaces?.text;
        return { workspace, item, why: item.why, rivals: item.rivals, ...(replaces !== undefined && { replaces }) };
      }),
    ),
  );
  const groups = [...new Set(kept.map(({ item }) => item.kind))].sort(byKind).map((kind): MemoryGroup => {
    const { many, icon } = kindWords(kind);
    return { id: kind, label: many, icon, memories: kept.filter(({ item }) => item.kind === kind) };
  });
  const review: MemoryGroup = { id: 'review', label: 'To review', icon: 'inbox', memories: queue };
  return queue.length > 0 ? [review, ...groups] : groups;
}

/** Undecided proposals of agents and chats. */
export function proposalCount(groups: readonly MemoryGroup[]): number {
  const queue = groups.find(({ id }) => id === 'review')?.memories ?? [];
  return queue.filter(({ why }) => why === 'proposed').length;
}

export function memoryCount(groups: readonly MemoryGroup[]): number {
  return new Set(groups.flatMap(({ memories }) => memories.map(({ item }) => item.uuid))).size;
}

/** The mark and the text, on one line. */
export function memoryLabel({ verdict, text }: Pick<MemoryItem, 'verdict' | 'text'>): string {
  return `${verdictSigns[verdict.status]} ${oneLine(text)}`;
}

/** Why it waits, what it cites first, and whether it is about all workspaces. */
export function memoryDescription({ item, why }: Pick<Remembered, 'item' | 'why'>): string {
  return [...(why ? [whyWords[why]] : []), ...placeWords(item)].join(' · ');
}

/** What a screen reader says: the verdict, the text, why it waits, the kind and what is cited. */
export function spokenMemory({ item, why }: Pick<Remembered, 'item' | 'why'>): string {
  const { verdict, evidence } = item;
  const cited = evidence.map((one) => `${shown(one.source_id)}, ${spokenLines(one)}`).join('; ');
  const parts = [
    `${groupNames[verdict.status]}, ${memoryReason(verdict.reason, { ...item, detail: verdict.detail })}: ${oneLine(item.text)}`,
    kindWords(item.kind).one,
    ...(why ? [whyWords[why]] : []),
    cited ? `cites ${cited}` : 'cites no code',
  ];
  return parts.join('. ');
}

/** What the menus of a row go by. */
export function contextOf({ item, why }: Pick<Remembered, 'item' | 'why'>): string {
  return item.status === 'quarantined' || why === 'proposed' ? 'proposal' : 'memory';
}

/** `path:12–14`, as people write it. */
export function placeOf(one: LineSpan & { readonly source_id: string }): string {
  return `${shown(one.source_id)}:${lineRange(one)}`;
}

/** `path:12-14`, as a citation is given to the server. */
export function citeOf(sourceId: string, lines: LineSpan): string {
  return `${sourceId}:${lines.start_line}-${lines.end_line}`;
}

/** The lines of a selection, counted from 1; one that ends before the first character of a line leaves that line out. */
export function selectedLines(selection: {
  readonly start: { readonly line: number };
  readonly end: { readonly line: number; readonly character: number };
}): LineSpan {
  const { start, end } = selection;
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { start_line: start.line + 1, end_line: last + 1 };
}

/** Citations whose lines are known now, and those that the user has to find again. */
export function citationsNow(evidence: readonly CitedLines[]): { found: string[]; lost: CitedLines[] } {
  return {
    found: evidence.filter(({ status }) => status !== 'needs_refresh').map((one) => citeOf(one.source_id, one)),
    lost: evidence.filter(({ status }) => status === 'needs_refresh'),
  };
}

/** A server command that follows from what a person decided. */
export interface Decision {
  readonly command: string;
  readonly argument: object;
}

/** Whether a confirmation cites lines anew, so that the user has to be asked about those that changed. */
export function citesAnew({ verdict, status }: MemoryItem): boolean {
  return status === 'active' && verdict.status !== 'verified' && verdict.reason !== 'superseded';
}

/**
 * What a person's “it is so” comes to: one more who says it; the same words with the lines as they are now; of two that
 * contradict each other this one; or the same words without what they rested on, which is no longer so.
 */
export function confirmation({ item, workspace, rivals = [] }: Remembered, cites: readonly string[]): Decision[] {
  const { id, text, kind, scope, verdict } = item;
  if (item.status === 'contested') {
    return rivals.map((rival) => ({
      command: serverCommands.relateMemories,
      argument: { id, relation: 'supersedes', other: rival.id, workspace },
    }));
  }
  if (citesAnew(item)) {
    const edit: EditRequest = { id, text, cites, origin: 'user', workspace };
    return [{ command: serverCommands.editMemory, argument: edit }];
  }
  const rests = verdict.reason === 'superseded' ? { supersedes: [id], cites } : {};
  const again: RememberRequest = { text, kind, scope, ...rests, origin: 'user', force: true, workspace };
  return [{ command: serverCommands.remember, argument: again }];
}

/** The first cited lines that can be opened. */
export function firstPlace(evidence: readonly CitedLines[]): CitedLines | undefined {
  return evidence.find(({ reason }) => !unopened.has(reason));
}

const unopened = new Set(['gone', 'outside_root', 'not_a_file', 'unreadable']);

export interface RecallRow {
  readonly label: string;
  readonly description: string;
  /** A memory that opens; undefined for a sentence. */
  readonly memory?: Remembered;
}

/** What answers, best first; or that nothing does. */
export function recallRows(answers: readonly { workspace: string; answer: RecallAnswer }[]): RecallRow[] {
  const found = answers.flatMap(({ workspace, answer }) =>
    answer.items.map(({ status, reason, detail, state, score, ...rest }) => {
      const verdict: MemoryVerdict = { status, reason, detail };
      return { workspace, score, item: { ...rest, status: state, verdict } satisfies MemoryItem };
    }),
  );
  const rows = once(found.sort((one, other) => other.score - one.score)).map(({ workspace, item }) =>
    rowOf({ workspace, item }),
  );
  return rows.length > 0 ? rows : [{ label: '$(circle-slash) Nothing here answers that', description: '' }];
}

/** The rows of memories that are known already, each once. */
export function memoryRows(groups: readonly MemoryGroup[]): RecallRow[] {
  return once(groups.flatMap(({ memories }) => memories)).map(rowOf);
}

function rowOf(memory: Remembered): RecallRow {
  const { item } = memory;
  const description = [kindWords(item.kind).one.toLowerCase(), ...placeWords(item)].join(' · ');
  return { label: withoutIcons(memoryLabel(item)), description: withoutIcons(description), memory };
}

function placeWords({ evidence, scope }: Pick<MemoryItem, 'evidence' | 'scope'>): string[] {
  const [first, ...others] = evidence;
  const more = others.length > 0 ? ` and ${count(others.length, 'place')} more` : '';
  return [...(first ? [`${placeOf(first)}${more}`] : []), ...(scope === 'global' ? ['all workspaces'] : [])];
}

function once<T extends { readonly item: MemoryItem }>(memories: readonly T[]): T[] {
  const seen = new Set<string>();
  return memories.filter(({ item }) => !seen.has(item.uuid) && seen.add(item.uuid));
}

function byKind(one: string, other: string): number {
  const place = (kind: string): number => (order.includes(kind) ? order.indexOf(kind) : order.length);
  return place(one) - place(other) || (one < other ? -1 : 1);
}

function oneLine(text: string): string {
  return shown(text.replace(/\s+/g, ' ').trim());
}

/** A text that happens to read `$(x)` is not drawn as an icon. */
function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
}
