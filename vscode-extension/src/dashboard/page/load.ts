/** The answer of a route, loaded when the page is refreshed; an older answer stays until the next one is there. */
import { useEffect, useState } from 'react';
import { LockedError, type Ask } from './ask';
import type { Route, Routes } from './wire';

export interface Loaded<T> {
  readonly answer?: T;
  readonly error?: string;
  readonly busy: boolean;
}

export interface Page {
  readonly ask: Ask;
  /** Another number for every refresh of the page. */
  readonly turn: number;
  readonly onLocked: (why: string) => void;
}

export function useAnswer<R extends Route>(
  { ask, turn, onLocked }: Page,
  route: R,
  body: Readonly<Record<string, unknown>> = {},
): Loaded<Routes[R]> {
  const [loaded, setLoaded] = useState<Loaded<Routes[R]>>({ busy: true });
  const given = JSON.stringify(body);
  useEffect(() => {
    let left = false;
    setLoaded((before) => ({ ...before, busy: true }));
    ask(route, JSON.parse(given) as Record<string, unknown>).then(
      (answer) => {
        if (!left) {
          setLoaded({ answer, busy: false });
        }
      },
      (error: unknown) => {
        if (left) {
          return;
        }
        if (error instanceof LockedError) {
          onLocked(error.message);
        }
        setLoaded({ error: error instanceof Error ? error.message : String(error), busy: false });
      },
    );
    return () => {
      left = true;
    };
  }, [ask, turn, route, given, onLocked]);
  return loaded;
}
