/**
 * What “Where Is…” asks as one types: names at every keystroke, meaning once typing rests. Knows no VS Code.
 *
 * A newer keystroke takes back what is still asked, and an answer to what is no longer typed is dropped.
 */
import type { NamesAnswer, SearchAnswer } from '../base/protocol';
import type { WhereAnswers } from './whereRows';

export interface TypingNeeds {
  names(typed: string, signal: AbortSignal): Promise<NamesAnswer>;
  meaning(question: string, signal: AbortSignal): Promise<SearchAnswer>;
  /** Shows the answers to what is typed now; `busy` while another is awaited. */
  show(answers: WhereAnswers, busy: boolean): void;
  /** Says why something could not be asked. */
  failed(error: unknown): void;
}

/** Milliseconds without a keystroke after which the meaning is searched: it costs much more than the names. */
export const debounceMs = 250;

export class Typing {
  private timer: NodeJS.Timeout | undefined;
  private asking = new AbortController();

  constructor(private readonly needs: TypingNeeds) {}

  typed(value: string): void {
    this.stop();
    const text = value.trim();
    const asking = (this.asking = new AbortController());
    if (!text) {
      this.needs.show({}, false);
      // Reads the names into memory before the first key is typed.
      void this.needs.names('', asking.signal).catch(() => undefined);
      return;
    }
    void this.ask(text, asking);
  }

  /** Takes back what is asked. */
  stop(): void {
    clearTimeout(this.timer);
    this.asking.abort();
  }

  private async ask(text: string, asking: AbortController): Promise<void> {
    const rested = new Promise<void>((resolve) => {
      this.timer = setTimeout(resolve, debounceMs);
    });
    const names = await this.tried(this.needs.names(text, asking.signal), asking);
    if (isStopped(asking)) {
      return;
    }
    this.needs.show({ ...(names && { names }) }, true);
    await rested;
    const meaning = await this.tried(this.needs.meaning(text, asking.signal), asking);
    if (!isStopped(asking)) {
      this.needs.show({ ...(names && { names }), ...(meaning && { meaning }) }, false);
    }
  }

  private async tried<T>(answer: Promise<T>, asking: AbortController): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (!isStopped(asking)) {
        this.needs.failed(error);
      }
      return undefined;
    }
  }
}

function isStopped(asking: AbortController): boolean {
  return asking.signal.aborted;
}
