/** The answer of a route, loaded when the page is refreshed; an older answer stays until the next one is there. */
import { useEffect, useState } from 'react';
import { LockedError, shownWorkspace, type Ask } from './ask';
import type { Route, Routes } from './wire';

export interface Loaded<T> {
  readonly answer?: T;
  /** The workspace that the answer is about. */
  readonly workspace?: string;
  readonly error?: string;
  readonly busy: boolean;
}

export interface Page {
  readonly ask: Ask;
  /** Another number for every refresh of the page. */
  readonly turn: number;
  readonly onLocked: (why: string) => void;
}

/** What is shown after an error: the earlier answer too, if it is about the same workspace. */
export function failed<T>(before: Loaded<T>, workspace: string, error: string): Loaded<T> {
  return before.workspace === workspace ? { ...before, error, busy: false } : { error, busy: false };
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
    const workspace = shownWorkspace();
    setLoaded((before) => ({ ...before, busy: true }));
    ask(route, JSON.parse(given) as Record<string, unknown>).then(
      (answer) => {
        if (!left) {
          setLoaded({ answer, workspace, busy: false });
        }
      },
      (error: unknown) => {
        if (left) {
          return;
        }
        if (error instanceof LockedError) {
          onLocked(error.message);
        }
        const why = error instanceof Error ? error.message : String(error);
        setLoaded((before) => failed(before, workspace, why));
      },
    );
    return () => {
      left = true;
    };
  }, [ask, turn, route, given, onLocked]);
  return loaded;
}
