/**
 * The wire: every object that travels between the editor and the language server, as plain types.
 *
 * Knows neither VS Code nor the language client, so that the packet view's page can use it too.
 * Lines are 1-based and inclusive, times are Unix seconds, `source_id` is the path from the workspace root with `/`.
 */

export type VerdictStatus = 'verified' | 'stale_risk' | 'needs_refresh';

export const taskTypes = ['explain', 'plan', 'review', 'edit', 'debug', 'ops', 'quote'] as const;
export type TaskType = (typeof taskTypes)[number];

export interface LineSpan {
  readonly start_line: number;
  readonly end_line: number;
}

/** One pointer of a packet. `quote` may be shorter than the span; it is empty where nothing could be read. */
export interface PacketItem extends LineSpan {
  readonly kind: string;
  readonly gene_id: string;
  readonly title: string;
  readonly source_id: string;
  readonly uri: string;
  readonly source_kind: string;
  readonly language: string;
  readonly symbol: string;
  readonly content_hash: string;
  readonly volatility_class: string;
  readonly authority_class: string;
  readonly last_verified_at: number;
  readonly commit: string | null;
  readonly author: string | null;
  readonly committed_at: number | null;
  /** Whose last commit this is: of the file, or of these very lines. Older servers do not say; it is the file's. */
  readonly commit_of?: 'file' | 'lines' | '';
  /** HEAD does not have these lines: they were edited or added since. */
  readonly uncommitted?: boolean;
  readonly relevance_score: number;
  readonly live_truth_score: number;
  readonly status: VerdictStatus;
  readonly reason: string;
  readonly quote: string;
  readonly citations: readonly string[];
  /** Completes the reason: names, or the other side. */
  readonly detail?: string;
  readonly related?: boolean;
  /** The span in the unsaved buffer. */
  readonly buffer?: LineSpan;
}

export interface RefreshTarget extends LineSpan {
  readonly target_kind: string;
  readonly source_id: string;
  readonly reason: string;
  readonly priority: number;
}

export interface SourcedClaim {
  readonly source_id: string;
  readonly line: number;
  readonly value: string;
  readonly value_type: string;
}

export interface Contradiction {
  readonly key: string;
  readonly fresher: SourcedClaim;
  readonly older: SourcedClaim;
  /** False where nobody knows which of the two lines changed last. */
  readonly order_known?: boolean;
}

/** What was remembered of a packet's question; `status` is its verdict when the packet was made. */
export interface PacketMemory {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly status: VerdictStatus;
  readonly reason: string;
  readonly detail?: string;
  readonly origin: string;
  readonly evidence: readonly {
    readonly source_id: string;
    readonly start_line: number;
    readonly end_line: number;
    readonly status: VerdictStatus;
    readonly reason: string;
  }[];
}

/** `helix.packet/1`. `packet_id` is there when the packet was asked for with `open`. */
export interface Packet {
  readonly schema: 'helix.packet/1';
  readonly packet_id?: string;
  readonly task_type: TaskType;
  readonly query: string;
  /** Absolute path of the workspace folder. */
  readonly workspace: string;
  readonly head: string;
  readonly verified: readonly PacketItem[];
  readonly stale_risk: readonly PacketItem[];
  readonly needs_refresh: readonly PacketItem[];
  /** Absent where nothing was remembered of the question. */
  readonly memories?: readonly PacketMemory[];
  readonly contradictions: readonly Contradiction[];
  readonly refresh_targets: readonly RefreshTarget[];
  readonly known_empty: boolean;
  readonly coordinate_confidence: number;
  readonly nearest: readonly string[];
  readonly notes: readonly string[];
  readonly accounting: {
    readonly searched: number;
    readonly sources: number;
    readonly evaluated: number;
    /** The share of the files that count which was searched, 0 to 1. */
    readonly indexed_share?: number;
    readonly returned: number;
    readonly tokens: number;
    readonly elapsed_ms: number;
    readonly signals: Readonly<Record<string, string>>;
  };
}

/** What identifies the text of an item, and where it was. */
export interface GivenItem extends LineSpan {
  readonly source_id: string;
  readonly gene_id: string;
  readonly symbol: string;
  readonly content_hash: string;
}

/** What is used of `helix.context/1`: the places whose text a model was sent. */
export interface SentContext {
  readonly schema: 'helix.context/1';
  readonly workspace: string;
  readonly blocks: readonly GivenItem[];
}

export type CitationKind = 'place' | 'path' | 'symbol' | 'quote';

/** A reference of a text that is wrong on disk. */
export interface CheckFinding {
  readonly line: number;
  readonly reference: string;
  readonly kind: CitationKind;
  readonly rule: string;
  readonly verdict: VerdictStatus;
  readonly reason: string;
  /** Completes the reference to a sentence. */
  readonly message: string;
  /** What it means today, where that is known. */
  readonly now: { readonly source_id: string; readonly start_line: number; readonly symbol: string } | null;
}

/** `helix.check/1`. */
export interface CheckAnswer {
  readonly schema: 'helix.check/1';
  readonly findings: readonly CheckFinding[];
  readonly checked: number;
  readonly wrong: number;
  readonly unknown: number;
  readonly notes: readonly string[];
}

/** Arguments of `helix.check`. */
export interface CheckRequest {
  readonly text: string;
  /** Uri of a workspace folder. */
  readonly workspace?: string;
}

/** Arguments of `helix.packet`. */
export interface PacketRequest {
  readonly question: string;
  readonly task?: TaskType;
  readonly k?: number;
  /** `chosen` shortens quotes that are not worth their tokens to a model; `whole` shortens none. */
  readonly quotes?: 'chosen' | 'whole';
  /** Bounds the whole packet; items then have only what points, judges and quotes. */
  readonly max_tokens?: number;
  /** Uri of a workspace folder. */
  readonly workspace?: string;
  /** Uri of the document the question is about. */
  readonly uri?: string;
  /** Show exactly these places, judged now, instead of searching. */
  readonly items?: readonly GivenItem[];
  /** Keep the packet open: `helix/verdicts` reports its changes until `helix.packet.close`. */
  readonly open?: boolean;
}

/** One pointer's verdict as it is now; `start_line` and `end_line` are those of the packet, `now` are the current ones. */
export interface VerdictChange extends LineSpan {
  readonly source_id: string;
  readonly gene_id: string;
  readonly symbol?: string;
  readonly status: VerdictStatus;
  readonly reason: string;
  readonly detail: string;
  readonly now: LineSpan | null;
}

/** What names an item of an open packet, beyond its place in one answer. */
export interface ItemName extends LineSpan {
  readonly source_id: string;
  readonly gene_id: string;
  readonly symbol: string;
}

/**
 * Parameters of the notification `helix/verdicts`. Where the question has another answer now, `packet` is that answer,
 * with what came into it and what went.
 */
export interface VerdictsParams {
  readonly packet_id: string;
  readonly workspace: string;
  readonly items: readonly VerdictChange[];
  readonly refresh_targets: readonly RefreshTarget[];
  readonly packet?: Packet;
  readonly came?: readonly ItemName[];
  readonly went?: readonly ItemName[];
}

export interface RefreshPlan {
  readonly schema: 'helix.refreshPlan/1';
  readonly refresh_targets: readonly RefreshTarget[];
}

export interface Observation {
  readonly step: string;
  /** A sentence. */
  readonly observation: string;
  /** A word of the verdict table, or empty where the observation speaks for the place. */
  readonly finding: string;
  /** Whether this observation decided the verdict. */
  readonly decides: boolean;
}

/** `helix.explain/1`: why this verdict, every observation in order. */
export interface Explanation extends LineSpan {
  readonly schema: 'helix.explain/1';
  readonly source_id: string;
  readonly symbol: string;
  readonly status: VerdictStatus;
  readonly reason: string;
  readonly detail: string;
  readonly observations: readonly Observation[];
  readonly refresh_targets: readonly RefreshTarget[];
}

/** One ranker's word about an item: its file's 1-based rank in that list, and the share (0..1) of its score. */
export interface RankerSignal {
  readonly ranker: string;
  readonly rank: number;
  readonly share: number;
}

export interface SearchItem extends LineSpan {
  readonly source_id: string;
  readonly symbol: string;
  readonly kind: string;
  readonly score: number;
  readonly signals: readonly RankerSignal[];
  /** What the file's role or the session did to the score: `test x0.5`. */
  readonly priors?: readonly string[];
  readonly related?: boolean;
  /** Where previews were asked for: compared with the disk, and the line that declares the place. */
  readonly status?: VerdictStatus;
  readonly reason?: string;
  readonly signature?: string;
}

/** Something that was looked at, in words; `effect` is above 0 where it speaks for, below 0 where it speaks against. */
export interface RankingSign {
  readonly sign: string;
  readonly says: string;
  readonly value: number;
  readonly effect: number;
}

/** `place`: why these lines, compared with the other places considered. */
export interface RankedItem extends SearchItem {
  readonly gene_id: string;
  readonly place?: readonly RankingSign[];
}

/** A file in a ranker's list; `shown` says whether the answer points into it. */
export interface ListedFile {
  readonly source_id: string;
  readonly rank: number;
  readonly share: number;
  readonly part: number;
  readonly shown: boolean;
}

/** `helix.explain/1` of a question or an open packet: how the answer came about. */
export interface AnswerExplanation {
  readonly schema: 'helix.explain/1';
  readonly query: string;
  readonly task_type: TaskType;
  readonly items: readonly RankedItem[];
  readonly known_empty: boolean;
  readonly confidence: number;
  /** Each ranker with `used`, `empty`, `off`, or what kept it from its work. */
  readonly rankers: Readonly<Record<string, string>>;
  /** Of each ranker its first files, and every one of the answer. */
  readonly lists: Readonly<Record<string, readonly ListedFile[]>>;
  readonly weights: Readonly<
    Record<string, { readonly weight: number; readonly files: number; readonly says: string }>
  >;
  readonly vectors: {
    readonly model: string;
    readonly levels: readonly string[];
    readonly unready: readonly string[];
  };
  readonly certainty: {
    readonly presence: number;
    readonly floor: number;
    readonly presence_signs: readonly RankingSign[];
    readonly place: number;
    readonly place_signs: readonly RankingSign[];
  };
}

/** `helix.search/1`, best first. */
export interface SearchAnswer {
  readonly schema: 'helix.search/1';
  readonly query: string;
  readonly items: readonly SearchItem[];
  readonly known_empty: boolean;
  readonly confidence: number;
  readonly elapsed_ms: number;
  readonly nearest: readonly string[];
}

/** A definition or a file whose name is being typed. */
export interface NamedPlace extends LineSpan {
  readonly source_id: string;
  readonly symbol: string;
  readonly kind: string;
  readonly status: VerdictStatus;
  readonly reason: string;
}

/** `helix.names/1`, the nearest match first. */
export interface NamesAnswer {
  readonly schema: 'helix.names/1';
  readonly typed: string;
  readonly items: readonly NamedPlace[];
  readonly indexed_share: number;
  readonly notes: readonly string[];
}

export const hintKinds = ['contradicted', 'outdated', 'dead'] as const;
export type HintKind = (typeof hintKinds)[number];

/** A place that may mislead; `ignored` where the user put it away while its text stays as it is. */
export interface Hint extends LineSpan {
  readonly kind: HintKind;
  readonly source_id: string;
  readonly uri: string;
  readonly code: string;
  /** What is wrong, and what to do about it. */
  readonly message: string;
  readonly text_hash: string;
  /** What the line says of it. */
  readonly mention: string;
  /** The code, or the later source. */
  readonly other: (LineSpan & { readonly uri: string; readonly source_id: string }) | null;
  readonly ignored: boolean;
}

/** `helix.hints/1`: the hints of some files in path order; ask again after `next`, which is null at the end. */
export interface HintsAnswer {
  readonly schema: 'helix.hints/1';
  readonly hints: readonly Hint[];
  readonly done: number;
  readonly total: number;
  readonly next: string | null;
  readonly partial: readonly string[];
}

/** The lifecycle of a memory; its verdict is another matter. */
export type MemoryState = 'active' | 'contested' | 'superseded' | 'archived' | 'quarantined' | 'forgotten' | 'purged';

/** Lines that a memory cites, with their verdict now. */
export interface CitedLines extends LineSpan {
  readonly source_id: string;
  readonly symbol: string;
  readonly status: VerdictStatus;
  readonly reason: string;
  readonly detail: string;
  readonly commit: string;
  /** Unix seconds. */
  readonly at: number;
}

export interface MemoryVerdict {
  readonly status: VerdictStatus;
  readonly reason: string;
  readonly detail: string;
}

/** A memory of a list that was compared with the disk. */
export interface MemoryItem {
  /** The handle, such as `m_k3xq7a2b`. */
  readonly id: string;
  readonly uuid: string;
  readonly kind: string;
  readonly text: string;
  readonly status: MemoryState;
  readonly scope: 'workspace' | 'global';
  readonly origin: string;
  readonly at: number;
  readonly verdict: MemoryVerdict;
  readonly evidence: readonly CitedLines[];
}

/** What is used of `helix.memory/1` where it lists. */
export interface MemoryList {
  readonly schema: 'helix.memory/1';
  readonly items: readonly MemoryItem[];
}

export interface NamedMemory {
  readonly id: string;
  readonly text: string;
}

/** A memory that waits for a decision; `replaces` is what a proposal would supersede, `rivals` what contradicts it. */
export interface ReviewItem extends MemoryItem {
  readonly why: 'proposed' | 'contested' | 'superseded' | 'stale';
  readonly replaces: NamedMemory | null;
  readonly rivals: readonly NamedMemory[];
}

/** `helix.review/1`. */
export interface ReviewAnswer {
  readonly schema: 'helix.review/1';
  readonly items: readonly ReviewItem[];
}

/** A memory that answers a question: `status` is its verdict, `state` its lifecycle. */
export interface RecalledItem extends MemoryVerdict {
  readonly id: string;
  readonly uuid: string;
  readonly kind: string;
  readonly text: string;
  readonly state: MemoryState;
  readonly scope: 'workspace' | 'global';
  readonly origin: string;
  readonly at: number;
  readonly evidence: readonly CitedLines[];
  readonly score: number;
}

/** `helix.recall/1`, best first. */
export interface RecallAnswer {
  readonly schema: 'helix.recall/1';
  readonly items: readonly RecalledItem[];
  readonly known_empty: boolean;
}

/** Arguments of `helix.memory.remember`. */
export interface RememberRequest {
  readonly text: string;
  /** `path:first-last` each. */
  readonly cites?: readonly string[];
  readonly kind?: string;
  readonly scope?: 'workspace' | 'global';
  readonly supersedes?: readonly string[];
  readonly origin: 'user';
  readonly force?: boolean;
  readonly dry_run?: boolean;
  /** Uri of a workspace folder. */
  readonly workspace?: string;
}

/** Arguments of `helix.memory.edit`: what takes a memory's place. Its kind and what it depends on stay. */
export interface EditRequest {
  readonly id: string;
  readonly text: string;
  readonly cites: readonly string[];
  readonly origin: 'user';
  readonly dry_run?: boolean;
  /** Uri of a workspace folder. */
  readonly workspace: string;
}

/** What is used of `helix.memory/1` where it remembers: what was kept, or would be. */
export interface RememberAnswer {
  readonly schema: 'helix.memory/1';
  readonly items: readonly {
    readonly id: string;
    readonly kind: string;
    readonly text: string;
    readonly status: MemoryState;
    readonly is_new: boolean;
    readonly links: readonly (NamedMemory & { readonly relation: string })[];
    /** Why it waits for review, or empty. */
    readonly why: string;
  }[];
  readonly redactions: readonly { readonly rule: string; readonly count: number }[];
}

/** What is used of `helix.log/1`: what was done to memories, the last first. */
export interface MemoryLog {
  readonly schema: 'helix.log/1';
  readonly ops: readonly {
    readonly at: number;
    readonly actor: string;
    readonly kind: string;
    readonly id: string;
    readonly uuid: string;
    readonly text: string;
    /** Empty where an operation is about no one memory, as an import is. */
    readonly status: MemoryState | '';
    /** From, relation, to; by uuid. */
    readonly links: readonly (readonly [string, string, string])[];
  }[];
}

/** Parameters of the notification `helix/memory`: the answers about this folder's memory may be different now. */
export interface MemoryParams {
  /** Uri of a workspace folder. */
  readonly workspace: string;
}

export interface SymbolPlace extends LineSpan {
  readonly source_id: string;
  readonly uri: string;
  readonly symbol: string;
  readonly status: VerdictStatus;
  readonly reason: string;
  readonly detail: string;
  readonly commit: string | null;
  readonly author: string | null;
  readonly committed_at: number | null;
  /** Whose last commit this is: of the file, or of these very lines. Older servers do not say; it is the file's. */
  readonly commit_of?: 'file' | 'lines' | '';
  /** HEAD does not have these lines: they were edited or added since. */
  readonly uncommitted?: boolean;
  /** A use of which only the name says that it is one: the class before it is not known. */
  readonly by_name?: boolean;
}

/** `helix.symbol/1`: what is known of a name. */
export interface SymbolAnswer {
  readonly schema: 'helix.symbol/1';
  readonly name: string;
  readonly kind: string;
  readonly symbol: string;
  readonly definitions: readonly SymbolPlace[];
  readonly overrides: readonly SymbolPlace[];
  readonly users: readonly SymbolPlace[];
  readonly users_total: number;
  readonly tests: readonly SymbolPlace[];
  readonly documents: readonly SymbolPlace[];
  readonly elapsed_ms: number;
}

/** `helix.index/1`: what a refresh did. */
export interface IndexReport {
  readonly schema: 'helix.index/1';
  readonly files: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly parsed: number;
  readonly elapsed_ms: number;
  readonly notes: readonly string[];
}

export type LiveState = 'starting' | 'indexing' | 'fresh' | 'incomplete' | 'paused' | 'missing' | 'error';
/** Nothing is to be taken in now. What is `incomplete` lacks files that broke their parser; older servers call it `fresh`. */
export const isLevel = (state: LiveState): boolean => state === 'fresh' || state === 'incomplete';
export type Watching = 'events' | 'polling' | 'off';

/** `helix.live/1`: parameters of the notification `helix/status`, one per workspace folder. */
export interface LiveStatus {
  readonly schema: 'helix.live/1';
  /** Absolute path of the workspace folder. */
  readonly workspace: string;
  readonly uri: string;
  readonly state: LiveState;
  readonly watching: Watching;
  readonly restricted: boolean;
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  readonly files: number;
  readonly items: number;
  /** Files that broke their parser and are not indexed; older servers do not say. */
  readonly set_aside?: number;
  /** What is wrong, and what to do about it; empty when all is well. */
  readonly message: string;
  readonly action: string;
  readonly branch: string;
  readonly head: string;
  readonly server: { readonly pid: number; readonly version: string; readonly mode: 'daemon' | 'solo' };
}

/** `helix.status/1`: what is indexed and how far it is from the disk. */
export interface StatusAnswer {
  readonly schema: 'helix.status/1';
  readonly workspace: string;
  readonly indexed: boolean;
  readonly fresh: boolean;
  readonly pending: { readonly changed_or_new: number; readonly gone: number };
  readonly index: {
    readonly path: string;
    readonly size_bytes: number;
    readonly files: number;
    readonly items: number;
    readonly parked_files: number;
    readonly parked_items: number;
  };
  readonly languages: Readonly<Record<string, number>>;
  readonly git: { readonly head: string; readonly branch: string; readonly operation: string } | null;
  readonly skipped: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
  readonly live?: LiveStatus;
}

/** A place that was opened: its lines and verdict now, and `was`, the lines then. */
export interface TrailPlace extends LineSpan {
  readonly source_id: string;
  readonly was: LineSpan;
  readonly symbol: string | null;
  /** Unix seconds. */
  readonly at: number;
  readonly status: VerdictStatus;
  readonly reason: string;
  readonly detail: string;
  /** The last commit of the file, where it came after `at`. */
  readonly commit: { readonly commit: string; readonly author: string; readonly committed_at: number } | null;
}

/** `helix.trail/1`: the places opened last, the newest first, and past moments like now, the likest first. */
export interface TrailAnswer {
  readonly schema: 'helix.trail/1';
  readonly recording: boolean;
  readonly last: readonly TrailPlace[];
  readonly moments: readonly { readonly at: number; readonly score: number; readonly places: readonly TrailPlace[] }[];
  readonly notes: readonly string[];
}

/** `helix.trailForgotten/1`. */
export interface TrailForgotten {
  readonly schema: 'helix.trailForgotten/1';
  readonly forgotten: boolean;
}

/** `helix.doctor/1`: can Helix work on this machine. */
export interface DoctorAnswer {
  readonly schema: 'helix.doctor/1';
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly state: 'ok' | 'warn' | 'fail';
    readonly detail: string;
    readonly action: string;
  }[];
}

/** The arguments of `helix.proxy` that are settings of the editor. */
export interface ProxySettings {
  readonly port?: number;
  readonly budget_tokens?: number;
  readonly idle_s?: number;
}

/** `initializationOptions` of the server. */
export interface InitializationOptions {
  readonly helix: {
    readonly trusted: boolean;
    readonly watch: 'auto' | 'polling' | 'off';
    readonly paused: boolean;
    readonly hover: boolean;
    readonly codeLens: boolean;
    readonly diagnostics: boolean;
    readonly severity: 'hint' | 'information';
    readonly trace: 'off' | 'messages' | 'verbose';
  };
}

/** `helix.strand/1` of a file without a key: what it claims, and whether its signer is believed here. */
export interface StrandClaims {
  readonly signer: string;
  readonly trust: 'own' | 'trusted' | 'none';
  /** The user's own name for a trusted signer. */
  readonly signer_label: string;
  readonly opens_with: readonly string[];
  readonly opens_with_own_key: boolean;
  readonly size_bytes: number;
}

/** Numbers of records by type. */
export type RecordCounts = Readonly<Partial<Record<'memory' | 'evidence' | 'link' | 'op', number>>>;

/** `helix.strand/1` of an export. `recovery_code` is in this answer alone. */
export interface StrandExport {
  readonly records: RecordCounts;
  readonly opens_with: readonly string[];
  readonly recovery_code?: string;
}

/** `helix.strand/1` of an import; `changes` where it is a dry run. */
export interface StrandImport {
  readonly added: RecordCounts;
  readonly known: number;
  readonly removed: number;
  /** Memories that state one thing with another, of which one is in force. */
  readonly decided: number;
  readonly waits_for_review: number;
  readonly notes: readonly string[];
  readonly changes?: readonly {
    readonly text: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

/** The server's commands. The language client registers them under these names, so the extension's own never equal one. */
export const serverCommands = {
  packet: 'helix.packet',
  closePacket: 'helix.packet.close',
  search: 'helix.search',
  refreshPlan: 'helix.refreshPlan',
  explain: 'helix.explain',
  symbol: 'helix.symbol',
  names: 'helix.names',
  check: 'helix.check',
  refreshIndex: 'helix.index.refresh',
  rebuildIndex: 'helix.index.rebuild',
  pauseIndex: 'helix.index.pause',
  resumeIndex: 'helix.index.resume',
  status: 'helix.status',
  doctor: 'helix.doctor',
  dismiss: 'helix.dismiss',
  hints: 'helix.hints',
  refreshFile: 'helix.refreshFile',
  open: 'helix.open',
  openSides: 'helix.openSides',
  proxy: 'helix.proxy',
  remember: 'helix.memory.remember',
  recall: 'helix.memory.recall',
  getMemory: 'helix.memory.get',
  listMemories: 'helix.memory.list',
  reviewMemories: 'helix.memory.review',
  editMemory: 'helix.memory.edit',
  relateMemories: 'helix.memory.relate',
  decideMemory: 'helix.memory.decide',
  forgetMemory: 'helix.memory.forget',
  restoreMemory: 'helix.memory.restore',
  memoryLog: 'helix.memory.log',
  resumeTrail: 'helix.trail.resume',
  forgetTrail: 'helix.trail.forget',
  exportStrand: 'helix.strand.export',
  importStrand: 'helix.strand.import',
  verifyStrand: 'helix.strand.verify',
  trustSigner: 'helix.strand.trust',
} as const;

export const notifications = { status: 'helix/status', verdicts: 'helix/verdicts', memory: 'helix/memory' } as const;

/** What the editor tells the server: `{ uri }` of the file whose editor became the active one. */
export const didShow = 'helix/didShow';
