/** What the page knows. One value; `reduce.ts` makes the next one, `render/` draws it. */

import type {
  AnswerExplanation,
  Explanation,
  ItemName,
  LiveStatus,
  TaskType,
  VerdictStatus,
} from '../../base/protocol';
import type { FailureAction, HistoryRow, Missing, PlaceVerdict, ShownPacket } from '../messages';

export interface Explained {
  readonly state: 'asked' | 'answered' | 'failed';
  readonly explanation?: Explanation;
  readonly message?: string;
}

/** How the shown answer came about. */
export interface Told {
  readonly state: 'asked' | 'answered' | 'failed';
  readonly ranking?: AnswerExplanation;
  readonly message?: string;
}

export interface State {
  /** The question box. `recalled` counts back through the history; `own` is what stood there before. */
  readonly draft: { readonly text: string; readonly recalled: number; readonly own: string };
  readonly task: TaskType;
  /** Uri of the workspace folder to ask; empty: the editor's choice. */
  readonly workspace: string;
  readonly asking: { readonly question: string; readonly task: TaskType } | null;
  readonly shown: ShownPacket | null;
  /** Id of the packet that the kept rows belong to, until the extension shows one. */
  readonly awaited: string;
  readonly failure: { readonly message: string; readonly actions: readonly FailureAction[] } | null;
  /** Why no server can run, and what can be done. */
  readonly missing: Missing | null;
  readonly history: readonly HistoryRow[];
  readonly historyOpen: boolean;
  readonly folders: readonly LiveStatus[];
  /** Keys of the shown packet's items, in the order of its rows. */
  readonly order: readonly string[];
  /** Rows of the answer: unfolded items, quotes shown whole, and the row that Tab comes to. */
  readonly unfolded: readonly string[];
  readonly whole: readonly string[];
  readonly active: string;
  readonly explained: Readonly<Record<string, Explained>>;
  /** The place that was last asked about in an editor, until it is closed. */
  readonly verdict: PlaceVerdict | null;
  /** Null until the explanation of the answer is opened. */
  readonly told: Told | null;
  /** Items that show why they are ranked where they are, and whether the rankers' lists are shown. */
  readonly here: readonly string[];
  readonly rankersOpen: boolean;
  /** How often an item's verdict changed while it was looked at, and how often an item came to a group. */
  readonly changes: Readonly<Record<string, number>>;
  /** What came into the shown answer, by key, and what went from it, when it was last asked again. */
  readonly came: readonly string[];
  readonly went: readonly ItemName[];
  readonly ticked: readonly string[];
  readonly copied: string;
  /** For a screen reader; `serial` tells two equal ones apart. */
  readonly announcement: { readonly text: string; readonly serial: number };
}

/** Names the count of a verdict in `changes`. */
export function countKey(status: VerdictStatus): string {
  return `count ${status}`;
}

/** The row of an item in the answer. */
export function itemRowKey(key: string): string {
  return `item ${key}`;
}

/** Is the text of an item shown below it? */
export function isUnfolded(state: State, key: string): boolean {
  return state.unfolded.includes(key) || state.explained[key] !== undefined || state.here.includes(key);
}

/** Must how the answer came about be asked for before it can be shown? */
export function wantsRanking(state: State): boolean {
  return state.told === null || state.told.state === 'failed';
}

export const initial: State = {
  draft: { text: '', recalled: -1, own: '' },
  task: 'explain',
  workspace: '',
  asking: null,
  shown: null,
  awaited: '',
  failure: null,
  missing: null,
  history: [],
  historyOpen: false,
  folders: [],
  order: [],
  unfolded: [],
  whole: [],
  active: '',
  explained: {},
  verdict: null,
  told: null,
  here: [],
  rankersOpen: false,
  changes: {},
  came: [],
  went: [],
  ticked: [],
  copied: '',
  announcement: { text: '', serial: 0 },
};

/** What survives when the page is hidden or the window reloads; the packet itself is kept by the extension. */
export interface Kept extends Pick<State, 'task' | 'workspace' | 'unfolded' | 'whole' | 'active' | 'ticked'> {
  readonly version: 1;
  readonly text: string;
  readonly packet: string;
  readonly scroll: number;
}

export function kept(state: State, scroll: number): Kept {
  const { task, workspace, unfolded, whole, active, ticked } = state;
  return {
    version: 1,
    task,
    workspace,
    unfolded,
    whole,
    active,
    ticked,
    text: state.draft.text,
    packet: state.shown?.id ?? '',
    scroll,
  };
}

/** The first state of a page that was there before. What an older version kept is left alone. */
export function revived(stored: unknown): { state: State; scroll: number } {
  const was = stored as Partial<Kept> | null | undefined;
  if (was?.version !== 1) return { state: initial, scroll: 0 };
  const { task, workspace, unfolded, whole, active, ticked, text, packet, scroll } = was as Kept;
  const rows = { unfolded, whole, active, ticked, awaited: packet };
  return { state: { ...initial, ...rows, task, workspace, draft: { text, recalled: -1, own: text } }, scroll };
}
