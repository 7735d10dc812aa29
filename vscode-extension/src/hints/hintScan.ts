/**
 * Looks at all files of a folder for hints, page by page, and again once the index has changed. Knows no VS Code.
 *
 * A look rests ten times as long as it took before the next begins by itself, so that a large workspace is not looked
 * at all day. What was found stays until a look has reached its file, and while the time of a look is too short for it;
 * then it is looked at again, after a rest that doubles each time.
 */
import type { Hint, HintsAnswer } from '../base/protocol';

export interface ScanNeeds {
  page(folder: string, after: string, signal: AbortSignal): Promise<HintsAnswer>;
  /** Called after every page, at the end, and when a look failed. */
  changed(): void;
  failed(error: unknown): void;
  now(): number;
}

export interface ScanProgress {
  readonly done: number;
  readonly total: number;
}

const restFactor = 10;
const mostDoublings = 8;
export const leastRestMs = 3_000;

export class HintScan {
  private found: readonly Hint[] = [];
  private asking: AbortController | undefined;
  private timer: NodeJS.Timeout | undefined;
  private restUntil = 0;
  private wantsMore = false;
  /** How many looks in a row left a file partly looked at. */
  private partialLooks = 0;
  /** How far a running look is. */
  progress: ScanProgress | undefined;
  /** A look has come to its end. */
  isComplete = false;

  constructor(
    private readonly folder: string,
    private readonly needs: ScanNeeds,
  ) {}

  get hints(): readonly Hint[] {
    return this.found;
  }

  /** The index may have changed: looks again, now or when the rest after the last look is over. */
  touched(): void {
    if (this.asking) {
      this.wantsMore = true;
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => {
        void this.look();
      },
      Math.max(this.restUntil - this.needs.now(), 0),
    );
  }

  /** Looks at all files now. */
  async look(): Promise<void> {
    this.stop();
    const asking = (this.asking = new AbortController());
    const began = this.needs.now();
    this.wantsMore = false;
    let found: Hint[] = [];
    let isPartial = false;
    let after: string | null = '';
    try {
      while (after !== null) {
        const page: HintsAnswer = await this.needs.page(this.folder, after, asking.signal);
        if (isStopped(asking)) return;
        found = [...found, ...page.hints, ...this.notSeenAgain(page)];
        isPartial ||= page.partial.length > 0;
        const reached = page.next;
        // What lies behind the page is as the look before found it.
        const behind = reached === null ? [] : this.found.filter(({ source_id }) => isBehind(source_id, reached));
        this.found = [...found, ...behind];
        this.progress = page;
        after = reached;
        this.needs.changed();
      }
      // Git is read in parallel: the first scan may have run before it was.
      this.wantsMore ||= !this.isComplete || isPartial;
      this.partialLooks = isPartial ? this.partialLooks + 1 : 0;
      this.isComplete = true;
    } catch (error) {
      if (isStopped(asking)) return;
      this.needs.failed(error);
    }
    this.asking = undefined;
    this.progress = undefined;
    const now = this.needs.now();
    const doubled = 2 ** Math.min(this.partialLooks, mostDoublings);
    this.restUntil = now + Math.max((now - began) * restFactor, leastRestMs) * doubled;
    this.needs.changed();
    if (this.wantsMore) this.touched();
  }

  /** Shows a hint as ignored, or not, before the next look. A running look begins again: it may not know of it. */
  mark(hint: Hint, ignored: boolean): void {
    this.found = this.found.map((one) =>
      one.uri === hint.uri && one.code === hint.code && one.text_hash === hint.text_hash ? { ...one, ignored } : one,
    );
    if (this.asking) void this.look();
  }

  /** What the look before found in the files that this page looked at only in part. */
  private notSeenAgain({ partial, hints }: HintsAnswer): Hint[] {
    const files = new Set(partial);
    const seen = new Set(hints.map(keyOf));
    return this.found.filter((hint) => files.has(hint.source_id) && !seen.has(keyOf(hint)));
  }

  stop(): void {
    clearTimeout(this.timer);
    this.asking?.abort();
    this.asking = undefined;
    this.progress = undefined;
  }
}

const keyOf = ({ source_id, code, text_hash }: Hint): string => JSON.stringify([source_id, code, text_hash]);

/** Paths are compared as the server does, by their bytes in UTF-8, which is the order of code points. */
function isBehind(path: string, reached: string): boolean {
  return Buffer.compare(Buffer.from(path), Buffer.from(reached)) > 0;
}

function isStopped(asking: AbortController): boolean {
  return asking.signal.aborted;
}
