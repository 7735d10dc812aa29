/** What the packet view's page and the extension say to each other, and nothing else crosses between them. */

import type {
  AnswerExplanation,
  CheckAnswer,
  Explanation,
  LiveStatus,
  Packet,
  TaskType,
  VerdictsParams,
} from '../base/protocol';

/** A packet of the past, without what only its own page shows. */
export interface HistoryRow {
  readonly id: string;
  readonly question: string;
  readonly task: TaskType;
  readonly folder: string;
  /** Unix seconds. */
  readonly askedAt: number;
  readonly pinned: boolean;
  readonly verified: number;
  readonly staleRisk: number;
  readonly needsRefresh: number;
}

/** When the verdicts were judged: they hold now, are of an earlier time and being judged again, or just of that time. */
export type Judged = 'now' | 'again' | 'then';

/** The packet on the page. */
export interface ShownPacket {
  readonly id: string;
  readonly packet: Packet;
  /** Unix seconds. */
  readonly judgedAt: number;
  readonly pinned: boolean;
  readonly judged: Judged;
  /** Its places were sent to a model, and not searched for. */
  readonly given?: boolean;
  /** What of the model's answer is wrong. */
  readonly check?: CheckAnswer;
}

/** Why a place that was asked about in an editor has its verdict, as observed at a moment. */
export interface PlaceVerdict {
  readonly explanation: Explanation;
  /** Uri of the workspace folder that its places are in. */
  readonly workspace: string;
  /** Unix seconds. */
  readonly observedAt: number;
}

/** What keeps the server from running. */
export interface Missing {
  readonly title: string;
  readonly text: string;
  /** Best first; none while the environment is made. */
  readonly actions: readonly FailureAction[];
  readonly isBusy: boolean;
}

export type FailureAction = 'retry' | 'restart' | 'logs' | 'setUp' | 'choose';

export type ToPage =
  | { readonly type: 'asking'; readonly question: string; readonly task: TaskType }
  | { readonly type: 'shown'; readonly shown: ShownPacket | null }
  | { readonly type: 'verdicts'; readonly told: VerdictsParams }
  | { readonly type: 'failed'; readonly message: string; readonly actions: readonly FailureAction[] }
  | { readonly type: 'cancelled' }
  /** Why no server can run, with what can be done; null as soon as one runs. */
  | { readonly type: 'missing'; readonly missing: Missing | null }
  | { readonly type: 'explained'; readonly key: string; readonly explanation: Explanation }
  | { readonly type: 'notExplained'; readonly key: string; readonly message: string }
  | { readonly type: 'placeVerdict'; readonly verdict: PlaceVerdict }
  /** How the shown packet with this id came about. */
  | { readonly type: 'ranked'; readonly id: string; readonly ranking: AnswerExplanation }
  | { readonly type: 'notRanked'; readonly id: string; readonly message: string }
  | { readonly type: 'showRankers' }
  | { readonly type: 'history'; readonly rows: readonly HistoryRow[] }
  | { readonly type: 'live'; readonly folders: readonly LiveStatus[] }
  | { readonly type: 'compose'; readonly question: string; readonly task?: TaskType }
  | { readonly type: 'copied'; readonly what: string }
  | { readonly type: 'said'; readonly text: string };

export type CopyForm = 'markdown' | 'json';

/** A place to open: an item by its key, or lines of a source, of the shown packet's folder where no other is named. */
export type OpenPlace =
  | { readonly key: string }
  | {
      readonly source_id: string;
      readonly start_line: number;
      readonly end_line: number;
      /** A Uri. */
      readonly workspace?: string;
    };

export type LiveAction = 'resume' | 'restart' | 'logs' | 'status';

export type FromPage =
  | { readonly type: 'ready' }
  | { readonly type: 'ask'; readonly question: string; readonly task: TaskType; readonly workspace?: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'open'; readonly place: OpenPlace; readonly keepFocus: boolean }
  | { readonly type: 'explain'; readonly key: string }
  | { readonly type: 'explainAnswer' }
  | { readonly type: 'closeVerdict' }
  /** Shows an item's text as it was for the packet next to what is there now. */
  | { readonly type: 'compare'; readonly key: string }
  /** Asks the shown packet's question again, so that its places are those of now. */
  | { readonly type: 'renew' }
  | { readonly type: 'copyPacket'; readonly form: CopyForm }
  | { readonly type: 'copyItem'; readonly key: string }
  | { readonly type: 'pin'; readonly id: string; readonly pinned: boolean }
  | { readonly type: 'recall'; readonly id: string }
  | { readonly type: 'forget'; readonly id: string }
  | { readonly type: 'forgetAll' }
  | { readonly type: 'act'; readonly action: FailureAction | LiveAction; readonly workspace?: string };
