/** One run of the language server: a process on stdio and the client that talks to it. It is never started twice. */
import type { ChildProcess } from 'node:child_process';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient/node';
import type { CommandId } from '../base/commandIds';
import { reasonOf, type Logs } from '../base/logger';
import {
  didShow,
  notifications,
  type InitializationOptions,
  type LiveStatus,
  type MemoryParams,
  type VerdictsParams,
} from '../base/protocol';
import type { Launch } from './launch';
import { ServerProcess } from './process';

export interface ClientEvents {
  status(status: LiveStatus): void;
  verdicts(change: VerdictsParams): void;
  memory(change: MemoryParams): void;
  /** The server ended unexpectedly, and why. Called once. */
  died(message: string): void;
}

const startTimeoutMs = 60_000;
const stopMs = 2_000;
const tidyMs = 50;
const serverCancelled = -32802;

/** The stock client pops up a box for each failure; here the status item and one message of our own say it. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(data === undefined || data === null ? message : `${message} ${reasonOf(data)}`, undefined, false);
  }
}

/** A lens of the server is words only, so that it means the same in every editor; here a click explains its verdict. */
const explainedLenses: NonNullable<Middleware['provideCodeLenses']> = async (document, token, next) => {
  const lenses = (await next(document, token)) ?? [];
  for (const lens of lenses) {
    if (lens.command && !lens.command.command) {
      const command: CommandId = 'helix.ask.verdict';
      lens.command = { ...lens.command, command, arguments: [document.uri, lens.range.start] };
    }
  }
  return lenses;
};

/** Progress that cannot be canceled would be a second item in the status bar, next to the one that says the same. */
function withoutStatusBar(): NonNullable<Middleware['handleWorkDoneProgress']> {
  const silent = new Set<string | number>();
  return (token, params, next) => {
    if (params.kind === 'begin' && params.cancellable !== true) silent.add(token);
    if (!silent.has(token)) next(token, params);
    if (params.kind === 'end') silent.delete(token);
  };
}

export class Client {
  private readonly client: QuietClient;
  private process: ServerProcess | undefined;
  private asked = false;

  constructor(
    private readonly launch: Launch,
    options: InitializationOptions,
    private readonly logs: Logs,
    private readonly events: ClientEvents,
  ) {
    const settings: LanguageClientOptions = {
      documentSelector: [{ scheme: 'file' }],
      initializationOptions: options,
      outputChannel: logs.server,
      traceOutputChannel: logs.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      middleware: { provideCodeLenses: explainedLenses, handleWorkDoneProgress: withoutStatusBar() },
      // The log has the process's error stream already; the client would write it a second time.
      stdioOptions: { stdout: () => undefined, stderr: () => undefined },
      // Who restarts, when and how often is decided in one place, outside the client.
      errorHandler: {
        error: (_error, _message, count) => ({
          action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
          handled: true,
        }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true, message: 'The connection was closed.' }),
      },
    };
    this.client = new QuietClient('helix', 'Helix', () => this.startProcess(), settings);
    this.client.onNotification(notifications.status, (status: LiveStatus) => {
      events.status(status);
    });
    this.client.onNotification(notifications.verdicts, (change: VerdictsParams) => {
      events.verdicts(change);
    });
    this.client.onNotification(notifications.memory, (change: MemoryParams) => {
      events.memory(change);
    });
    this.client.onDidChangeState(({ newState }) => {
      // A process that closed its connection without exiting is ended, so that its end is reported like any other.
      if (newState === State.Stopped && !this.asked) {
        void this.process?.end(stopMs);
      }
    });
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Resolves when the server answered `initialize`; rejects when it cannot be started or does not answer in time. */
  async start(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`The language server did not answer within ${startTimeoutMs / 1000} s.`));
      }, startTimeoutMs);
    });
    try {
      await Promise.race([this.client.start(), tooLong]);
    } catch (error) {
      // Where the process is gone, its own end says more than what the client made of it.
      const ended = await Promise.race([this.process?.ended, pause(stopMs)]);
      await this.stop();
      throw ended ? new Error(ended) : error;
    } finally {
      clearTimeout(timer);
    }
    void this.process?.ended.then((message) => {
      this.tellEnd(message);
    });
  }

  /** Ends the server: by request, then by force. Never rejects: a caller could do no more. */
  async stop(): Promise<void> {
    this.asked = true;
    try {
      await this.client.stop(stopMs);
    } catch {
      // Not running, or too slow: the process is ended below.
    }
    await this.process?.end(stopMs);
  }

  get isRunning(): boolean {
    return this.client.state === State.Running;
  }

  /** Runs one of the server's commands. A question that died with its daemon is asked once more. */
  async ask<T>(command: string, argument: object, token?: vscode.CancellationToken): Promise<T> {
    const send = (): Promise<T> =>
      this.client.sendRequest(
        ExecuteCommandRequest.method,
        { command, arguments: [argument] },
        token ?? new vscode.CancellationTokenSource().token,
      );
    try {
      return await send();
    } catch (error) {
      if ((error as { code?: number }).code === serverCancelled && !token?.isCancellationRequested) {
        return await send();
      }
      throw error;
    }
  }

  /** Tells the server which file the user looks at; a server that is not running has nothing to note. */
  async showed(uri: string): Promise<void> {
    if (this.isRunning) await this.client.sendNotification(didShow, { uri });
  }

  private startProcess(): Promise<ChildProcess> {
    this.process = new ServerProcess(this.launch, (line) => {
      this.logs.server.info(line);
    });
    return Promise.resolve(this.process.child);
  }

  private tellEnd(message: string): void {
    if (!this.asked) {
      // The client still tidies up then: a successor would find its commands registered.
      setTimeout(() => {
        this.events.died(message);
      }, tidyMs);
    }
  }
}

async function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined));
}
