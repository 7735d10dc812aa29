/** What the dashboard's page may ask in an editor: the routes that its panels show, each bounded. Pure. */

/** Routes that are read by GET; the last is followed by the id of a packet. */
const gotten: ReadonlySet<string> = new Set(['/stats', '/context/sent/']);
const read: ReadonlySet<string> = new Set([
  ...gotten,
  '/activity',
  '/freshness',
  '/hitl/recent',
  '/memory/graph',
  '/memory/log',
  '/memory/diff',
  '/memory/review',
]);

export interface PageRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/** What is shown: the page that may ask, and the folder it is about. */
export interface DashboardView {
  readonly page: string;
  readonly folder: string | undefined;
}

export interface PageQuestion {
  /** The page's number for it. */
  readonly ask: number;
  readonly request: PageRequest;
}

/** The request that a message of the page is; undefined for any other message, also of the page that was shown before. */
export function questionOf(message: unknown, { page, folder }: DashboardView): PageQuestion | undefined {
  const { page: from, ask, question } = fields(message);
  const { route, id, body } = fields(question);
  if (from !== page || typeof ask !== 'number' || typeof route !== 'string' || !read.has(route)) {
    return undefined;
  }
  const takesId = route.endsWith('/');
  if (takesId !== (typeof id === 'string' && /^[\w-]{1,64}$/.test(id))) {
    return undefined;
  }
  const path = `${folder === undefined ? '' : `/w/${encodeURIComponent(folder)}`}${route}${takesId ? String(id) : ''}`;
  return {
    ask,
    request: gotten.has(route) ? { method: 'GET', path } : { method: 'POST', path, body: JSON.stringify(fields(body)) },
  };
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
