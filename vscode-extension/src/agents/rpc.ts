/** JSON-RPC 2.0 in lines, as MCP speaks it on stdio: requests matched with their answers. Knows no process and no editor. */

type Message = Readonly<Record<string, unknown>>;

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export class JsonRpc {
  private readonly pending = new Map<number, Pending>();
  private next = 1;
  private held = '';

  /** `answer` gives the result of a request of the other side; undefined where it is not known. */
  constructor(
    private readonly send: (line: string) => void,
    private readonly answer: (method: string) => object | undefined,
  ) {}

  /** Rejects with the other side's sentence. An abort tells the other side, and rejects at once. */
  request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        if (this.pending.delete(id)) {
          this.notify('notifications/cancelled', { requestId: id });
          reject(new DOMException('The question was taken back.', 'AbortError'));
        }
      };
      const settle = (finish: () => void): void => {
        signal?.removeEventListener('abort', cancel);
        finish();
      };
      this.pending.set(id, {
        resolve: (result) => {
          settle(() => {
            resolve(result);
          });
        },
        reject: (error) => {
          settle(() => {
            reject(error);
          });
        },
      });
      this.write({ id, method, params });
      signal?.addEventListener('abort', cancel, { once: true });
      if (signal?.aborted) {
        cancel();
      }
    });
  }

  notify(method: string, params: object = {}): void {
    this.write({ method, params });
  }

  /** Takes what was read, in any pieces. */
  receive(text: string): void {
    const lines = (this.held + text).split('\n');
    this.held = lines.pop() ?? '';
    for (const line of lines) {
      const message = messageIn(line);
      if (message) {
        this.take(message);
      }
    }
  }

  /** No reply will come any more. */
  end(error: Error): void {
    const waiting = [...this.pending.values()];
    this.pending.clear();
    waiting.forEach((one) => {
      one.reject(error);
    });
  }

  private take(message: Message): void {
    const { id, method, result, error } = message;
    if (typeof method === 'string') {
      if (id !== undefined) {
        const known = this.answer(method);
        this.write(known ? { id, result: known } : { id, error: { code: -32601, message: `no method ${method}` } });
      }
      return;
    }
    const waiting = typeof id === 'number' ? this.pending.get(id) : undefined;
    if (waiting && typeof id === 'number') {
      this.pending.delete(id);
      if (error !== undefined) {
        const { message: said } = error as { message?: unknown };
        waiting.reject(new Error(typeof said === 'string' ? said : 'the tool failed'));
      } else {
        waiting.resolve(result);
      }
    }
  }

  private write(message: object): void {
    this.send(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

function messageIn(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
