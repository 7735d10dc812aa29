/**
 * The chat proxy as the rest of the extension sees it. It is asked about when a server comes up, when the window comes to
 * the front, from time to time while it is there, and begins to listen only when the user wants to chat. Its key stays
 * in memory.
 */
import * as vscode from 'vscode';
import { reasonOf, type Logger } from '../base/logger';
import { serverCommands } from '../base/protocol';
import { proxySettings } from '../base/settings';
import type { ProxyAnswer, ProxyRequest } from './protocol';
import type { Server } from '../server/server';
import { count } from '../view/words';
import { offersTheSame, proxyState, type ProxyState } from './state';

// While it runs, each look may ask the upstreams for their models.
const everyMs = { running: 30_000, otherwise: 3_000 };
const notRunning: ProxyState = { kind: 'off', reason: 'The language server does not run.' };

export class Proxy implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<ProxyState>();
  private readonly offers = new vscode.EventEmitter<void>();
  private readonly listeners: readonly { dispose(): unknown }[];
  private readonly timer: NodeJS.Timeout;
  private current: ProxyState = notRunning;
  private asking: { readonly starts: boolean; readonly answer: Promise<ProxyState> } | undefined;
  private askedAt = 0;

  /** Anything about it is new. */
  readonly onChange = this.changes.event;
  /** Other models may be offered. */
  readonly onOffers = this.offers.event;

  constructor(
    private readonly server: Server,
    private readonly workspace: () => string | undefined,
    private readonly logger: Logger,
  ) {
    const look = (): void => void this.refresh();
    this.listeners = [
      server.onState(look),
      vscode.workspace.onDidGrantWorkspaceTrust(look),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('helix.proxy')) look();
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) {
          look();
        }
      }),
      this.changes,
      this.offers,
    ];
    this.timer = setInterval(() => {
      const pauseMs =
        this.current.kind === 'ready' && this.current.models.length > 0 ? everyMs.running : everyMs.otherwise;
      if (vscode.window.state.focused && performance.now() - this.askedAt >= pauseMs - 100) {
        look();
      }
    }, everyMs.otherwise);
  }

  get state(): ProxyState {
    return this.current;
  }

  /**
   * Asks again, and has it listen if `start` says so. Concurrent identical calls share one answer. Never
   * rejects: why not is part of the state.
   */
  refresh(start = false): Promise<ProxyState> {
    if (this.asking && (this.asking.starts || !start)) {
      return this.asking.answer;
    }
    const asking = { starts: start, answer: this.ask(start) };
    this.asking = asking;
    return asking.answer.finally(() => {
      if (this.asking === asking) {
        this.asking = undefined;
      }
    });
  }

  /** The state in which chats are answered, where there is one: begins to listen for it. */
  async wanted(): Promise<ProxyState> {
    const state = await this.refresh();
    return state.kind === 'waiting' ? this.refresh(true) : state;
  }

  dispose(): void {
    clearInterval(this.timer);
    vscode.Disposable.from(...this.listeners).dispose();
  }

  private async ask(start: boolean): Promise<ProxyState> {
    const now = await this.told(start);
    this.askedAt = performance.now();
    const before = this.current;
    this.current = now;
    if (JSON.stringify(before) !== JSON.stringify(now)) {
      this.changes.fire(now);
    }
    if (!offersTheSame(before, now)) {
      this.logger.info(`Chat proxy: ${describe(now)}`);
      this.offers.fire();
    }
    return now;
  }

  private async told(start: boolean): Promise<ProxyState> {
    if (!vscode.workspace.isTrusted) {
      return { kind: 'off', reason: 'off in Restricted Mode' };
    }
    if (this.server.state.kind !== 'running') {
      return notRunning;
    }
    const workspace = this.workspace();
    const request: ProxyRequest = {
      start,
      focused: vscode.window.state.focused,
      ...(workspace && { workspace }),
      ...proxySettings(),
    };
    try {
      return proxyState(await this.server.ask<ProxyAnswer>(serverCommands.proxy, request));
    } catch (error) {
      return { kind: 'off', reason: reasonOf(error) };
    }
  }
}

function describe(state: ProxyState): string {
  switch (state.kind) {
    case 'off':
      return state.reason;
    case 'noUpstream':
      return 'no upstream';
    case 'waiting':
      return `${count(state.upstreams.length, 'upstream')}, not listening`;
    case 'ready':
      return `port ${state.endpoint.port}, ${count(state.models.length, 'model')}`;
  }
}
