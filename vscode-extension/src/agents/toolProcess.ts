/**
 * `helix mcp` as a process of this window, so that the editor's tools answer byte for byte what MCP clients get. Started
 * with the first call, ended when it has not been asked for a while, replaced when it dies.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Launch } from '../server/launch';
import { JsonRpc } from './rpc';

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

export interface ToolProcessNeeds {
  /** Rejects with a sentence where Helix cannot run. */
  launch(): Promise<Launch>;
  /** The folders agents may ask about, as `file:` uris with names; the first is the usual one. */
  roots(): readonly { readonly uri: string; readonly name: string }[];
  readonly log: (line: string) => void;
  readonly version: string;
}

interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly rpc: JsonRpc;
}

const protocolVersion = '2025-06-18';
const idleMs = 5 * 60_000;
const leaveMs = 1_000;

export class ToolProcess {
  private running: Promise<Running> | undefined;
  private idle: NodeJS.Timeout | undefined;
  private open = 0;

  constructor(private readonly needs: ToolProcessNeeds) {}

  /** Rejects with a sentence where nothing answers; a tool's own refusal is an answer with `isError`. */
  async call(name: string, input: object, signal?: AbortSignal): Promise<ToolAnswer> {
    clearTimeout(this.idle);
    this.open += 1;
    try {
      const { rpc } = await (this.running ??= this.start());
      return answerIn(await rpc.request('tools/call', { name, arguments: input }, signal));
    } finally {
      this.open -= 1;
      if (this.open === 0) {
        this.idle = setTimeout(() => {
          this.dispose();
        }, idleMs);
        this.idle.unref();
      }
    }
  }

  /** Ends the process: its input closes, and so does it. */
  dispose(): void {
    clearTimeout(this.idle);
    const ending = this.running;
    this.running = undefined;
    void ending?.then(
      ({ child }) => {
        child.stdin.end();
        setTimeout(() => child.kill('SIGKILL'), leaveMs).unref();
      },
      () => undefined, // it never ran
    );
  }

  /** The folders changed: the process asks for them again. */
  rootsChanged(): void {
    void this.running?.then(
      ({ rpc }) => {
        rpc.notify('notifications/roots/list_changed');
      },
      () => undefined, // it never ran
    );
  }

  /** One that could not begin, or has ended, makes room for the next. */
  private start(): Promise<Running> {
    const started = this.begin(() => {
      if (this.running === started) {
        this.running = undefined;
      }
    });
    return started;
  }

  private async begin(over: () => void): Promise<Running> {
    try {
      return await this.greeted(over);
    } catch (error) {
      over();
      throw error;
    }
  }

  private async greeted(over: () => void): Promise<Running> {
    const launch = await this.needs.launch();
    const child = spawn(launch.command, launch.args, { cwd: launch.cwd, env: { ...launch.env }, windowsHide: true });
    const rpc = new JsonRpc(
      (line) => child.stdin.write(line),
      (method) => (method === 'roots/list' ? { roots: this.needs.roots() } : method === 'ping' ? {} : undefined),
    );
    const gone = (why: string): void => {
      rpc.end(new Error(`Helix’s tools stopped (${why}); ask again.`));
      over();
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      rpc.receive(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      text
        .split('\n')
        .filter((line) => line.trim())
        .forEach(this.needs.log);
    });
    child.stdin.on('error', () => undefined); // the process reports its end
    child.once('error', (error) => {
      gone(error.message);
    });
    child.once('exit', (code, signal) => {
      gone(signal ?? `status ${code ?? 'unknown'}`);
    });
    const clientInfo = { name: 'helix-vscode', version: this.needs.version };
    await rpc.request('initialize', { protocolVersion, capabilities: { roots: { listChanged: true } }, clientInfo });
    rpc.notify('notifications/initialized');
    return { child, rpc };
  }
}

function answerIn(result: unknown): ToolAnswer {
  const { content, isError } = (result ?? {}) as { content?: unknown; isError?: unknown };
  const texts = (Array.isArray(content) ? (content as unknown[]) : []).flatMap((part) => {
    const { text } = (part ?? {}) as { text?: unknown };
    return typeof text === 'string' ? [text] : [];
  });
  return { text: texts.join('\n'), isError: isError === true };
}
