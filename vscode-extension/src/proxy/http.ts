/** The one place that opens a connection: to the proxy of this user on 127.0.0.1, and to nothing else. */
import { request, type IncomingMessage } from 'node:http';
import type { Endpoint } from './state';

export interface ProxyRequestOptions {
  readonly method: 'GET' | 'POST';
  /** Absolute, such as `/v1/models`. */
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** How long the answer may take to begin. */
  readonly timeoutMs?: number;
}

const mostBodyBytes = 8 * 1024 * 1024;

/** Resolves when the answer begins. Rejects with what to do when no server answers; an aborted one with an `AbortError`. */
export function ask(endpoint: Endpoint, options: ProxyRequestOptions): Promise<IncomingMessage> {
  // As bytes: joined with a text, the head would be written in the text's encoding.
  const body = options.body === undefined ? undefined : Buffer.from(options.body, 'utf8');
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: endpoint.port,
        method: options.method,
        path: options.path,
        agent: false,
        headers: {
          ...options.headers,
          authorization: `Bearer ${endpoint.key}`,
          ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
        },
        ...(options.signal && { signal: options.signal }),
      },
      (answer) => {
        sent.setTimeout(0);
        resolve(answer);
      },
    );
    sent.setTimeout(options.timeoutMs ?? 0, () => sent.destroy(new Error('no answer in time')));
    sent.once('error', (error) => {
      reject(
        error.name === 'AbortError'
          ? error
          : new Error(`The Helix proxy does not answer (${error.message}); run “Helix: Restart”.`),
      );
    });
    sent.end(body);
  });
}

/** The whole of an answer as text. Rejects where it is larger than an answer may be. */
export async function bodyOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBodyBytes) {
      answer.destroy();
      throw new Error('The Helix proxy answered with more than an answer may hold.');
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** A text that is valid in a header: its UTF-8 bytes, one character each. */
export function headerText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
