/** What the page reads of the answers of the HTTP API. Times are Unix seconds. */

export interface Stats {
  readonly workspace: string;
  readonly indexed: boolean;
  readonly fresh: boolean;
  readonly pending: { readonly changed_or_new: number; readonly gone: number };
  readonly index: { readonly size_bytes: number; readonly files: number; readonly items: number };
  readonly git: { readonly head: string; readonly branch: string } | null;
  readonly live: { readonly state: string; readonly message: string; readonly action: string };
  readonly workspaces: Readonly<Record<string, string>>;
  readonly proxy: {
    readonly upstreams: readonly { readonly name: string; readonly state: string }[];
    readonly chats_open: number;
    readonly requests: number;
    readonly refused: number;
  };
}

export interface GraphMemory {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly status: string;
  readonly origin: string;
  readonly at: number;
}

export interface Graph {
  readonly items: readonly GraphMemory[];
  readonly links: readonly { readonly id: string; readonly relation: string; readonly other: string }[];
  readonly cites: readonly { readonly id: string; readonly source_id: string }[];
  readonly is_whole: boolean;
}

export interface Operation {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly kind: string;
  readonly id: string;
  readonly text: string;
  readonly status: string;
}

export interface Log {
  readonly ops: readonly Operation[];
}

export type Differing = GraphMemory & { readonly was: string };

export interface Diff {
  readonly added: readonly Differing[];
  readonly removed: readonly Differing[];
  readonly changed: readonly Differing[];
  readonly added_total: number;
  readonly removed_total: number;
  readonly changed_total: number;
  readonly operations: number;
}

export type WaitingMemory = GraphMemory & {
  readonly why: string;
  readonly replaces: { readonly id: string; readonly text: string } | null;
  readonly rivals: readonly { readonly id: string; readonly text: string }[];
};

export interface Review {
  readonly items: readonly WaitingMemory[];
}

export interface Pause {
  readonly event_id: string;
  readonly pause_type: string;
  readonly at: number;
  readonly is_open: boolean;
  readonly task_context: string;
  readonly files: readonly { readonly source_id?: string; readonly status?: string; readonly reason?: string }[];
}

export interface Pauses {
  readonly events: readonly Pause[];
}

export const notFresh = ['changed', 'new', 'gone', 'set_aside'] as const;
export type FileCounts = Readonly<Record<'total' | 'fresh' | (typeof notFresh)[number], number>>;

export interface Freshness {
  readonly indexed: boolean;
  readonly files: FileCounts;
  readonly folders: readonly (FileCounts & { readonly folder: string })[];
  readonly folders_total: number;
  readonly not_fresh: readonly { readonly source_id: string; readonly state: string }[];
}

export interface Chat {
  readonly at: number;
  readonly model: string;
  readonly upstream: string;
  readonly context: string;
  readonly status: number;
  readonly ttft_ms: number | null;
  readonly prompt_tokens: number | null;
  readonly cached_tokens: number | null;
}

/** The numbers of a packet or window; those that it does not have are absent. */
export interface AnswerNumbers {
  readonly at: number;
  readonly elapsed_ms: number;
  readonly verb: 'packet' | 'window';
  readonly task?: string;
  readonly verified?: number;
  readonly stale_risk?: number;
  readonly needs_refresh?: number;
  readonly tokens?: number;
  readonly known_empty?: boolean;
}

export interface CacheTotals {
  readonly answers: number;
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
}

export interface Activity {
  readonly now: number;
  readonly most: number;
  readonly chats: readonly Chat[];
  readonly answers: readonly AnswerNumbers[];
  readonly sent: readonly string[];
  readonly prompt_cache: { readonly with_evidence: CacheTotals; readonly without_evidence: CacheTotals };
}

export interface Sent {
  readonly text: string;
  readonly tokens: number;
}

/** Every route that the page reads, with its answer. `/context/sent/` is followed by an id. */
export interface Routes {
  '/stats': Stats;
  '/activity': Activity;
  '/freshness': Freshness;
  '/hitl/recent': Pauses;
  '/memory/graph': Graph;
  '/memory/log': Log;
  '/memory/diff': Diff;
  '/memory/review': Review;
  '/context/sent/': Sent;
}

export type Route = keyof Routes;
/** Those that are read by GET. */
export const gotten: ReadonlySet<Route> = new Set<Route>(['/stats', '/context/sent/']);
