// One request and its answer. Each request is sent once: nothing is tried again.

/** Where a server is, and the key that it knows. */
export interface Address {
  /** Such as `http://127.0.0.1:11437`. */
  url: string;
  /** The key; that of the administrator where the memory or the index is changed. */
  key: string;
  /** The name or the path of one of the server's workspaces; the first one where it is left out. */
  workspace?: string | undefined;
  /** Milliseconds until a request without an answer is an error; 60,000 by default. */
  timeoutMs?: number | undefined;
}

/** What one call may choose for itself. */
export interface CallOptions {
  timeoutMs?: number | undefined;
  /** Ends the call, which then throws what the signal was aborted with. */
  signal?: AbortSignal | undefined;
}

/** A request that was not answered. The message is one line: the cause, then the next action. */
export class HelixError extends Error {
  /** What is the matter. */
  readonly what: string;
  /** What to do about it. */
  readonly nextAction: string;
  /** The HTTP status; 0 where the server did not answer. */
  readonly status: number;
  /** The server's word for the cause, such as `invalid_api_key`; empty where there is none. */
  readonly code: string;
  /** Seconds to wait, where the server named them. */
  readonly retryAfterS: number | undefined;

  constructor(said: string, status = 0, code = '', retryAfterS?: number, options?: ErrorOptions) {
    const [what, ...action] = said.split('; ');
    const cause = (what ?? '').replace(/\.$/, '');
    const nextAction = action.join('; ') || byStatus(status);
    super(`${cause}; ${nextAction}`, options);
    this.name = 'HelixError';
    this.what = cause;
    this.nextAction = nextAction;
    this.status = status;
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

function byStatus(status: number): string {
  if (status >= 400 && status < 500) return 'correct what is named there';
  return status === 0 ? 'start a server with: helix serve' : 'ask again later';
}

/** Sends requests to one server with one key. */
export class Sender {
  readonly #address: Address;

  constructor(address: Address) {
    this.#address = address;
  }

  /** The JSON of the answer. A member of `given` that is null or undefined counts as left out. */
  async send(method: 'GET' | 'POST', path: string, given?: object, options: CallOptions = {}): Promise<unknown> {
    const { url, key, workspace } = this.#address;
    const late = AbortSignal.timeout(options.timeoutMs ?? this.#address.timeoutMs ?? 60_000);
    const headers: Record<string, string> = { Authorization: `Bearer ${key}` };
    if (workspace !== undefined) headers['X-Helix-Workspace'] = utf8(workspace);
    if (given !== undefined) headers['Content-Type'] = 'application/json';
    const body = given === undefined ? {} : { body: json(given) };
    try {
      const answer = await fetch(url.replace(/\/+$/, '') + path, {
        method,
        headers,
        redirect: 'error',
        signal: options.signal === undefined ? late : AbortSignal.any([late, options.signal]),
        ...body,
      });
      const text = await answer.text();
      if (!answer.ok) throw refusal(answer, text);
      return JSON.parse(text);
    } catch (error) {
      if (error instanceof HelixError) throw error;
      if (options.signal?.aborted === true) throw error;
      throw new HelixError(why(error, late.aborted, url), 0, '', undefined, { cause: error });
    }
  }
}

/** The bytes of a text as the characters of a header. A path `/w/<name>` would lose the names `.` and `..`. */
function utf8(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

function json(given: object): string {
  try {
    return JSON.stringify(given);
  } catch (error) {
    const [said] = String(error).split('\n');
    throw new HelixError(
      `an argument is not valid JSON (${said}); give texts, numbers, lists and objects`,
      0,
      '',
      undefined,
      {
        cause: error,
      },
    );
  }
}

function why(error: unknown, isLate: boolean, url: string): string {
  if (isLate) return 'the server did not answer in time; ask again, or give timeoutMs';
  if (error instanceof SyntaxError) return 'the answer is not valid JSON; give the address of a Helix server';
  return `no server answers at ${url}`;
}

function refusal(answer: Response, text: string): HelixError {
  const wait = answer.headers.get('retry-after') ?? '';
  const retryAfterS = /^\d+$/.test(wait) ? Number(wait) : undefined;
  const said = refusalIn(text);
  const message = said?.message ?? `the server answered with status ${answer.status}`;
  return new HelixError(message, answer.status, said?.code ?? said?.type ?? '', retryAfterS);
}

interface Refusal {
  message: string;
  type?: string | null;
  code?: string | null;
}

function refusalIn(text: string): Refusal | undefined {
  try {
    const said = JSON.parse(text) as { error?: { message?: unknown } } | null;
    return typeof said?.error?.message === 'string' ? (said.error as Refusal) : undefined;
  } catch {
    return undefined;
  }
}
