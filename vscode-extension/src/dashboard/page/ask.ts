/** How the page reads: from its own server by the key of its session, or from the extension that shows it. */
import { gotten, type Route, type Routes } from './wire';

export interface Question {
  readonly route: Route;
  /** What follows the route: the id of a packet. */
  readonly id?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export type Ask = <R extends Route>(
  route: R,
  body?: Readonly<Record<string, unknown>>,
  id?: string,
) => Promise<Routes[R]>;

/** The page may not read: it has no key, or its session has ended. */
export class LockedError extends Error {}

/** What the extension posts back. */
interface Reply {
  /** The page that asked. */
  readonly page: string;
  readonly reply: number;
  readonly answer?: unknown;
  readonly error?: string;
}

interface Editor {
  postMessage(message: unknown): void;
}

declare global {
  var acquireVsCodeApi: (() => Editor) | undefined;
}

const keptKey = 'helix-session';
const keptWorkspace = 'helix-workspace';

/** The workspace that is shown; empty for the server's own choice. */
export const shownWorkspace = (): string => sessionStorage.getItem(keptWorkspace) ?? '';
export const showWorkspace = (name: string): void => {
  sessionStorage.setItem(keptWorkspace, name);
};

/** Begins: an editor answers where it shows the page, else a ticket in the address is exchanged for a session's key. */
export async function connect(): Promise<{ ask: Ask; inEditor: boolean }> {
  const editor = globalThis.acquireVsCodeApi?.();
  if (editor) {
    return { ask: byEditor(editor), inEditor: true };
  }
  addEventListener('hashchange', () => {
    // A new link in this tab differs by its fragment only, which loads nothing.
    if (ticketOf(location.hash) !== null) {
      location.reload();
    }
  });
  await takeTicket();
  return { ask: byHttp, inEditor: false };
}

const ticketOf = (hash: string): string | null => new URLSearchParams(hash.slice(1)).get('ticket');

async function takeTicket(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  const ticket = ticketOf(location.hash);
  if (ticket === null) {
    return;
  }
  // Neither the history nor a bookmark keeps it.
  history.replaceState(null, '', location.pathname);
  sessionStorage.removeItem(keptKey);
  const answer = await fetch('/dashboard/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ticket }),
  });
  const { key } = (await read(answer)) as { key: string };
  sessionStorage.setItem(keptKey, key);
  showWorkspace(given.get('workspace') ?? '');
}

const byHttp: Ask = async <R extends Route>(route: R, body = {}, id = ''): Promise<Routes[R]> => {
  const key = sessionStorage.getItem(keptKey);
  if (key === null) {
    throw new LockedError('This page has no key yet.');
  }
  const workspace = shownWorkspace();
  const path = `${workspace && `/w/${encodeURIComponent(workspace)}`}${route}${encodeURIComponent(id)}`;
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(
    path,
    gotten.has(route)
      ? { headers }
      : {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
  ).catch((error: unknown) => {
    throw new Error(`Helix does not answer (${String(error)}). Start it again with: helix up`);
  });
  return (await read(answer, workspace)) as Routes[R];
};

async function read(answer: Response, workspace = ''): Promise<unknown> {
  const said: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) {
    return said;
  }
  const { error } = (said ?? {}) as { error?: { code?: string; message?: string } };
  const message = error?.message ?? `status ${answer.status}`;
  if (answer.status === 401) {
    sessionStorage.removeItem(keptKey);
    throw new LockedError(message);
  }
  if (error?.code === 'unknown_workspace' && shownWorkspace() === workspace) {
    // It was closed. What is asked from now on is about the server's own choice, which a refresh shows.
    showWorkspace('');
  }
  throw new Error(message);
}

function byEditor(editor: Editor): Ask {
  // The extension shows another folder by another page in the same tab; a late answer to the page before is not for it.
  const page = document.getElementById('page')?.getAttribute('data-page') ?? '';
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  let last = 0;
  addEventListener('message', ({ data }: MessageEvent<Reply>) => {
    if (data.page !== page) {
      return;
    }
    const asked = waiting.get(data.reply);
    waiting.delete(data.reply);
    if (data.error === undefined) {
      asked?.resolve(data.answer as never);
    } else {
      asked?.reject(new Error(data.error));
    }
  });
  return (route, body = {}, id = '') =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      const question: Question = { route, id, body };
      editor.postMessage({ page, ask: last, question });
    });
}
