/** Runs a program to its end, within a time, and never through a shell. */
import { spawn } from 'node:child_process';

export interface RunOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  /** Called with each line of both streams. */
  readonly onLine?: (line: string) => void;
}

export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that could not be started, ran too long, was stopped, or failed. The message says which, in one line. */
export class RunError extends Error {
  override readonly name = 'RunError';

  constructor(
    message: string,
    readonly kind: 'missing' | 'timeout' | 'cancelled' | 'failed',
    readonly stderr = '',
  ) {
    super(message);
  }
}

const longestOutput = 1_000_000;

/** Resolves when the program ended with status 0, else rejects with a `RunError`. */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<Finished> {
  return new Promise((resolve, reject) => {
    if (options.signal?.aborted) {
      reject(new RunError('cancelled', 'cancelled'));
      return;
    }
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let stdout = '';
    let stderr = '';
    let ended: RunError | undefined;
    const end = (error: RunError): void => {
      ended ??= error;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => {
      end(new RunError(`no answer within ${Math.round(options.timeoutMs / 1000)} s`, 'timeout'));
    }, options.timeoutMs);
    const stop = (): void => {
      end(new RunError('cancelled', 'cancelled'));
    };
    options.signal?.addEventListener('abort', stop, { once: true });
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', stop);
      finish();
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(-longestOutput);
      tellLines(text, options.onLine);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-longestOutput);
      tellLines(text, options.onLine);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      settle(() => {
        reject(new RunError(error.code === 'ENOENT' ? 'not found' : error.message, 'missing'));
      });
    });
    child.on('close', (code, signal) => {
      settle(() => {
        if (ended) {
          reject(ended);
        } else if (code === 0) {
          resolve({ stdout, stderr });
        } else {
          const last = lastWord(stderr);
          const how = signal ? `ended by ${signal}` : `ended with status ${code ?? 'unknown'}`;
          reject(new RunError(last ? `${how}: ${last}` : how, 'failed', stderr));
        }
      });
    });
  });
}

/** The line that says what went wrong: the last that calls itself an error, else the last. */
function lastWord(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  return lines.findLast((line) => /^error\b/i.test(line)) ?? lines.findLast(Boolean);
}

function tellLines(text: string, onLine: ((line: string) => void) | undefined): void {
  for (const line of onLine ? text.split('\n') : []) {
    if (line.trim()) {
      onLine?.(line.trimEnd());
    }
  }
}
