/**
 * The language server as the rest of the extension sees it: started, restarted when that changes something, asked
 * questions. Knows nothing of windows: what is shown of its state is decided elsewhere.
 */
import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import { reasonOf, type Logs } from '../base/logger';
import type { InitializationOptions, LiveStatus, MemoryParams, VerdictsParams } from '../base/protocol';
import { isSameInterpreter, noPythonText, type Interpreter, type Resolution } from '../python/resolve';
import type { Client } from './client';
import { CrashRecord, mostCrashes } from './crashes';
import { launchOf } from './launch';
import { Serial } from './serial';
import type { ServerState } from './state';

// Between one crash and the next start, once for each crash before it.
const pauseMs = 250;

export interface ServerNeeds {
  readonly logs: Logs;
  /** A folder of our own that exists, for processes to start in. */
  readonly cwd: string;
  resolve(): Promise<Resolution>;
  options(): InitializationOptions;
}

export class Server implements vscode.Disposable {
  private readonly states = new vscode.EventEmitter<ServerState>();
  private readonly statusChanges = new vscode.EventEmitter<LiveStatus>();
  private readonly verdictChanges = new vscode.EventEmitter<VerdictsParams>();
  private readonly memoryChanges = new vscode.EventEmitter<MemoryParams>();
  private readonly crashes = new CrashRecord(Date.now);
  private readonly serial = new Serial(() => this.bringUp());
  private readonly live = new Map<string, LiveStatus>();
  private current: ServerState = { kind: 'stopped' };
  private client: Client | undefined;
  private started: Interpreter | undefined;
  private mustRestart = true;
  private disposed = false;
  private starts = 0;
  private lastResolution: Resolution | undefined;

  readonly onState = this.states.event;
  readonly onStatus = this.statusChanges.event;
  readonly onVerdicts = this.verdictChanges.event;
  readonly onMemory = this.memoryChanges.event;

  constructor(private readonly needs: ServerNeeds) {}

  get state(): ServerState {
    return this.current;
  }

  get resolution(): Resolution | undefined {
    return this.lastResolution;
  }

  /** How many servers were started in this window. */
  get session(): number {
    return this.starts;
  }

  get pid(): number | undefined {
    return this.client?.pid;
  }

  statuses(): readonly LiveStatus[] {
    return [...this.live.values()];
  }

  /** Drops what was reported of a folder that left the window. */
  forget(folder: vscode.Uri): void {
    const places = [folder.fsPath, realPath(folder.fsPath)];
    for (const { uri, workspace } of this.live.values()) {
      if (places.includes(workspace)) {
        this.live.delete(uri);
      }
    }
    this.states.fire(this.current);
  }

  /** Starts the server anew, whatever it is doing now. */
  async restart(reason: string): Promise<void> {
    this.needs.logs.logger.info(`Restart: ${reason}`);
    this.crashes.clear();
    this.mustRestart = true;
    await this.serial.request();
  }

  /** Looks for the interpreter again, where a server was wanted, and restarts only if another one is found. */
  async interpreterMayHaveChanged(reason: string): Promise<void> {
    if (this.current.kind === 'stopped') {
      return;
    }
    this.needs.logs.logger.info(`Looking for the interpreter again: ${reason}`);
    await this.serial.request();
  }

  /** Ends the server until the user asks for a restart; `settingUp` while an environment is made. */
  async hold(state: 'settingUp'): Promise<void> {
    await this.stopClient();
    this.become({ kind: state });
  }

  /** What is being done while an environment is made. */
  setUpStep(step: string): void {
    if (this.current.kind === 'settingUp') this.become({ kind: 'settingUp', step });
  }

  /** Runs a server command, waiting for a server that is just starting. Rejects with a message fit to be shown. */
  async ask<T>(command: string, argument: object, token?: vscode.CancellationToken): Promise<T> {
    const client = await this.ready(token);
    try {
      return await client.ask<T>(command, argument, token);
    } catch (error) {
      if (client.isRunning || this.disposed || token?.isCancellationRequested) {
        throw error;
      }
    }
    // It died under the question; who comes after it answers.
    if (this.client === client) {
      await this.nextState(token);
    }
    return (await this.ready(token)).ask<T>(command, argument, token);
  }

  /** Tells a running server which file the user looks at. */
  async showed(uri: string): Promise<void> {
    await this.client?.showed(uri);
  }

  /** Asks as `ask` does, and takes the question back when `signal` is aborted. */
  async askUntil<T>(signal: AbortSignal, command: string, argument: object): Promise<T> {
    const source = new vscode.CancellationTokenSource();
    const cancel = (): void => {
      source.cancel();
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await this.ask<T>(command, argument, source.token);
    } finally {
      signal.removeEventListener('abort', cancel);
      source.dispose();
    }
  }

  /** The interpreter of the running server, waiting for one that is just starting. Rejects as `ask` does. */
  async interpreter(): Promise<Interpreter> {
    await this.ready();
    if (this.current.kind !== 'running') {
      throw new Error(whyNot(this.current));
    }
    return this.current.interpreter;
  }

  dispose(): void {
    this.disposed = true;
    this.states.dispose();
    this.statusChanges.dispose();
    this.verdictChanges.dispose();
    this.memoryChanges.dispose();
  }

  /** Ends the server for good. */
  async stop(): Promise<void> {
    this.disposed = true;
    await this.stopClient();
  }

  /** Never rejects: a caller that waits for a server would wait for ever. */
  private async bringUp(): Promise<void> {
    try {
      await this.bringUpOnce();
    } catch (error) {
      this.needs.logs.logger.error('Helix could not be started', error);
      this.become({ kind: 'crashed', message: `Helix could not be started: ${reasonOf(error)}.` });
    }
  }

  private async bringUpOnce(): Promise<void> {
    if (this.disposed) {
      return;
    }
    if (this.current.kind !== 'running') {
      this.become({ kind: 'starting' });
    }
    const resolution = await this.needs.resolve();
    this.lastResolution = resolution;
    if (this.isOver()) {
      return;
    }
    const running = this.current.kind === 'running';
    if (running && !this.mustRestart && isSameInterpreter(resolution.interpreter, this.started)) {
      this.needs.logs.logger.info('The same interpreter as before: no restart.');
      return;
    }
    this.mustRestart = false;
    await this.stopClient();
    if (!resolution.interpreter) {
      this.become({ kind: 'noPython', resolution });
      return;
    }
    await this.startClient(resolution.interpreter);
  }

  private async startClient(interpreter: Interpreter): Promise<void> {
    this.become({ kind: 'starting' });
    // Loaded only now: the language client is most of what the extension weighs.
    const { Client } = await import('./client');
    const launch = launchOf(interpreter, this.needs.cwd, process.env);
    this.needs.logs.logger.info(`Starting ${launch.command} ${launch.args.join(' ')}`);
    const client = new Client(launch, this.needs.options(), this.needs.logs, {
      status: (status) => {
        this.live.set(status.uri, status);
        this.statusChanges.fire(status);
      },
      verdicts: (change) => {
        this.verdictChanges.fire(change);
      },
      memory: (change) => {
        this.memoryChanges.fire(change);
      },
      died: (message) => {
        if (this.client === client) {
          this.died(message);
        }
      },
    });
    this.client = client;
    this.starts += 1;
    this.started = interpreter;
    try {
      await client.start();
    } catch (error) {
      if (this.client === client) {
        this.died(reasonOf(error));
      }
      return;
    }
    this.needs.logs.logger.info(`The language server runs (process ${client.pid ?? 'unknown'}).`);
    this.become({ kind: 'running', interpreter });
  }

  private died(message: string): void {
    const { logger } = this.needs.logs;
    this.client = undefined;
    this.live.clear();
    if (this.disposed) {
      return;
    }
    if (!this.crashes.noteAndMayRestart()) {
      logger.error(`${message} That was the ${mostCrashes}th time in three minutes: it stays down.`);
      this.become({ kind: 'crashed', message });
      return;
    }
    logger.warn(`${message} It is started again (${this.crashes.count} of ${mostCrashes}).`);
    this.become({ kind: 'starting' });
    this.mustRestart = true;
    setTimeout(() => void this.serial.request(), pauseMs * (this.crashes.count - 1));
  }

  private async stopClient(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.live.clear();
    await client?.stop();
  }

  // A method, because it may have come true while something was awaited.
  private isOver(): boolean {
    return this.disposed;
  }

  private become(state: ServerState): void {
    this.current = state;
    if (!this.disposed) {
      this.states.fire(state);
    }
  }

  private async ready(token?: vscode.CancellationToken): Promise<Client> {
    while (this.current.kind === 'starting' || this.current.kind === 'settingUp') {
      await this.nextState(token);
    }
    if (this.current.kind === 'running' && this.client) {
      return this.client;
    }
    throw new Error(whyNot(this.current));
  }

  private nextState(token?: vscode.CancellationToken): Promise<void> {
    return new Promise((resolve, reject) => {
      const listeners: vscode.Disposable[] = [];
      const finish = (act: () => void): void => {
        listeners.forEach((listener) => {
          listener.dispose();
        });
        act();
      };
      listeners.push(
        this.states.event(() => {
          finish(resolve);
        }),
      );
      if (token) {
        listeners.push(
          token.onCancellationRequested(() => {
            finish(() => {
              reject(new vscode.CancellationError());
            });
          }),
        );
      }
    });
  }
}

// The server names a folder by its real path.
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function whyNot(state: ServerState): string {
  switch (state.kind) {
    case 'noPython':
      return noPythonText(state.resolution);
    case 'crashed':
      return `${state.message} Run “Helix: Show Logs” to see why, and “Helix: Restart” to try again.`;
    case 'stopped':
    case 'starting':
    case 'settingUp':
    case 'running':
      return 'The language server does not run; run “Helix: Restart”.';
  }
}
