/**
 * The three logs: what the extension does and why (`Helix`), what the server says, and, made only when it is switched
 * on, their conversation. Never holds a token, a question or a file's text unless the trace is verbose.
 */
import * as vscode from 'vscode';

export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
  debug(message: string): void;
}

export class Logs implements vscode.Disposable {
  private readonly own = vscode.window.createOutputChannel('Helix', { log: true });
  readonly server = new FilteredChannel('Helix Language Server', () => serverLevel());
  readonly trace = new FilteredChannel('Helix Language Server Trace', () => traceLevel());
  readonly logger: Logger = {
    info: (message) => {
      this.own.info(message);
    },
    warn: (message) => {
      this.own.warn(message);
    },
    error: (message, error) => {
      this.own.error(error === undefined ? message : `${message}: ${reasonOf(error)}`);
    },
    debug: (message) => {
      this.own.debug(message);
    },
  };
  private readonly changes = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('helix.logLevel') || event.affectsConfiguration('helix.trace.server')) {
      this.server.levelMayHaveChanged();
      this.trace.levelMayHaveChanged();
    }
  });

  show(): void {
    this.own.show(true);
  }

  showServer(): void {
    this.server.show(true);
  }

  dispose(): void {
    this.changes.dispose();
    this.trace.dispose();
    this.server.dispose();
    this.own.dispose();
  }
}

/** One line about a failure, for people. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const secretMembers = /("(?:passphrase|recovery_code)"\s*:\s*)"(?:[^"\\]|\\.)*"/g;

/** What is logged of a message: a verbose trace has its parameters, and a passphrase is among them. */
export function withoutSecrets(message: string): string {
  return message.replaceAll(secretMembers, '$1"***"');
}

function serverLevel(): vscode.LogLevel {
  const levels: Record<string, vscode.LogLevel> = {
    error: vscode.LogLevel.Error,
    warning: vscode.LogLevel.Warning,
    info: vscode.LogLevel.Info,
    debug: vscode.LogLevel.Debug,
  };
  return levels[vscode.workspace.getConfiguration('helix').get<string>('logLevel', 'info')] ?? vscode.LogLevel.Info;
}

// The language client traces exactly while its trace channel says `Trace`, so the setting speaks through the channel.
function traceLevel(): vscode.LogLevel {
  const trace = vscode.workspace.getConfiguration('helix').get<string>('trace.server', 'off');
  return trace === 'off' ? vscode.LogLevel.Off : vscode.LogLevel.Trace;
}

/** A log whose level is a setting of Helix, and whose panel entry exists only from the first line on. */
export class FilteredChannel implements vscode.LogOutputChannel {
  private channel: vscode.OutputChannel | undefined;
  private readonly levelChange = new vscode.EventEmitter<vscode.LogLevel>();
  private known: vscode.LogLevel;
  readonly onDidChangeLogLevel = this.levelChange.event;

  constructor(
    readonly name: string,
    private readonly level: () => vscode.LogLevel,
  ) {
    this.known = level();
  }

  get logLevel(): vscode.LogLevel {
    return this.level();
  }

  levelMayHaveChanged(): void {
    if (this.known !== this.level()) {
      this.known = this.level();
      this.levelChange.fire(this.known);
    }
  }

  trace(message: string): void {
    this.log(vscode.LogLevel.Trace, 'trace', message);
  }

  debug(message: string): void {
    this.log(vscode.LogLevel.Debug, 'debug', message);
  }

  info(message: string): void {
    this.log(vscode.LogLevel.Info, 'info', message);
  }

  warn(message: string): void {
    this.log(vscode.LogLevel.Warning, 'warning', message);
  }

  error(error: string | Error): void {
    this.log(vscode.LogLevel.Error, 'error', reasonOf(error));
  }

  append(value: string): void {
    this.made().append(withoutSecrets(value));
  }

  appendLine(value: string): void {
    this.info(value);
  }

  replace(value: string): void {
    this.made().replace(withoutSecrets(value));
  }

  clear(): void {
    this.channel?.clear();
  }

  show(columnOrPreserve?: vscode.ViewColumn | boolean, preserveFocus?: boolean): void {
    this.made().show(typeof columnOrPreserve === 'boolean' ? columnOrPreserve : preserveFocus);
  }

  hide(): void {
    this.channel?.hide();
  }

  dispose(): void {
    this.levelChange.dispose();
    this.channel?.dispose();
  }

  private log(level: vscode.LogLevel, word: string, message: string): void {
    if (this.logLevel !== vscode.LogLevel.Off && level >= this.logLevel) {
      this.made().appendLine(
        `${new Date().toISOString().replace('T', ' ').slice(0, 23)} [${word}] ${withoutSecrets(message)}`,
      );
    }
  }

  private made(): vscode.OutputChannel {
    return (this.channel ??= vscode.window.createOutputChannel(this.name, 'log'));
  }
}
