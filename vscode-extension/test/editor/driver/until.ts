/** Waiting for what another process does: ask again and again, and say at the end what the last answer was. */

/**
 * Every limit is stated for an idle machine and multiplied by this: a limit tells only that something never comes, so it
 * must not decide on a machine that is slow or busy.
 */
const SLOWNESS = 4;

/** A limit in milliseconds, for what does not wait by `until` or `within`: the timeouts of Playwright. */
export const limit = (milliseconds: number): number => milliseconds * SLOWNESS;

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

export interface Patience {
  /** The limit on an idle machine. */
  withinMs: number;
  everyMs?: number;
  /** An exception of this class ends the waiting. */
  fatal?: new (message: string) => Error;
}

/** Asks until the answer is neither undefined, null nor false; an exception counts as "not yet". */
export async function until<T>(
  what: string,
  ask: () => Promise<T> | T,
  { withinMs, everyMs = 50, fatal }: Patience,
): Promise<NonNullable<Exclude<T, false>>> {
  const end = performance.now() + limit(withinMs);
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) {
        return answer as NonNullable<Exclude<T, false>>;
      }
      last = answer;
    } catch (error) {
      if (fatal !== undefined && error instanceof fatal) throw error;
      last = error;
    }
    if (performance.now() > end) {
      throw new Error(`not within ${limit(withinMs)} ms: ${what}; the last answer was ${brief(last)}`);
    }
    await pause(everyMs);
  }
}

/** Rejects when `act` takes longer than the limit; the timer never keeps the process alive. */
export async function within<T>(what: string, withinMs: number, act: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${what}: stopped after ${limit(withinMs)} ms`));
    }, limit(withinMs));
  });
  try {
    return await Promise.race([act, late]);
  } finally {
    clearTimeout(timer);
  }
}

function brief(value: unknown): string {
  const text = value instanceof Error ? value.message : ((JSON.stringify(value) as string | undefined) ?? 'undefined');
  return text.length > 400 ? `${text.slice(0, 400)} …` : text;
}
