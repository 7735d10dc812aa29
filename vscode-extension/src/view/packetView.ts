/**
 * The packet view: asks for packets, shows one, keeps it true while it is looked at, and remembers the earlier ones.
 *
 * The page only draws; the packet and the history live here, so that they survive when the page is hidden. Knows the
 * language server only as a `PacketSource`.
 */

import * as vscode from 'vscode';
import { reasonOf, type Logger } from '../base/logger';
import type { PacketSource } from './packetSource';
import {
  serverCommands,
  type CheckAnswer,
  type Packet,
  type PacketRequest,
  type VerdictsParams,
} from '../base/protocol';
import type { FailureAction, FromPage, Judged, LiveAction, PlaceVerdict, ToPage } from './messages';
import * as past from './history';
import { PageLink } from './pageLink';
import { PointerActs } from './pointerActs';
import type { ModelAnswer } from './modelAnswers';
import { withVerdicts } from './verdicts';

export const packetViewId = 'helix.packet';
const historyKey = 'helix.packets';
const shownKey = 'helix.shownPacket';
/** The context that tells the walkthrough that a packet came. */
const answeredKey = 'helix.answered';

export interface PacketView {
  /** Brings the view to the front with this packet, or with the answer to this request. */
  show(what: PacketRequest | Packet): Promise<void>;
  /** Brings the view to the front with the places that a model was sent, judged now, and what of its answer is wrong. */
  showAnswer(answer: ModelAnswer): Promise<void>;
  /** Brings the view to the front with how its answer came about; false where there is no answer. */
  explainAnswer(): Promise<boolean>;
  /** Brings the view to the front with why a place has its verdict, and leaves the focus where it is. */
  showVerdict(verdict: PlaceVerdict): Promise<void>;
  /** Brings the view to the front; with a question, asks it, else lets the user write one. */
  ask(question?: string): Promise<void>;
  dispose(): void;
}

export function registerPacketView(context: vscode.ExtensionContext, source: PacketSource, logger: Logger): PacketView {
  const view = new View(context, source, logger);
  const provider = vscode.window.registerWebviewViewProvider(packetViewId, view.link);
  context.subscriptions.push(view, provider);
  return view;
}

class View implements PacketView {
  readonly link: PageLink;
  private readonly pointers: PointerActs;
  private readonly own: vscode.Disposable[];
  private history: past.History;
  private current: past.HistoryEntry | undefined;
  private judged: Judged = 'now';
  /** The server that keeps `current` open, or was last asked to: its session and its process. */
  private keeper: string | undefined;
  private asking: vscode.CancellationTokenSource | undefined;
  private last:
    { readonly request: PacketRequest; readonly renews?: past.HistoryEntry; readonly check?: CheckAnswer } | undefined;
  private composed: string | undefined;
  /** The rankers are to be shown as soon as there is a page. */
  private explaining = false;
  /** The place that was asked about in an editor, until it is closed. */
  private verdict: PlaceVerdict | undefined;
  /** Why the last question has no answer, for a page that is made later. */
  private failure: ToPage | undefined;
  private failedWithoutServer = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly source: PacketSource,
    private readonly logger: Logger,
  ) {
    this.link = new PageLink(context.extensionUri);
    this.history = past.restored(context.workspaceState.get(historyKey));
    const shownId = context.workspaceState.get<string>(shownKey);
    this.current = this.history.find((one) => one.id === shownId);
    if (this.current !== undefined) this.judged = 'then';
    this.pointers = new PointerActs(source, this.link, logger, () => this.current?.packet);
    this.own = [
      this.link.onMessage((message) => {
        this.hear(message).catch((error: unknown) => {
          this.fail(error);
        });
      }),
      source.onVerdicts((told) => {
        this.rejudge(told);
      }),
      source.onMissing(() => {
        this.link.tell({ type: 'missing', missing: source.missing() });
        // What failed for want of a server is asked of the one that runs now.
        if (source.missing() === null && this.failure !== undefined && this.failedWithoutServer) {
          this.failure = undefined;
          this.act('retry').catch((error: unknown) => {
            this.fail(error);
          });
        }
      }),
      source.onStatus(() => {
        this.link.tell({ type: 'live', folders: source.statuses() });
        this.renewAfterRestart();
      }),
    ];
  }

  async show(what: PacketRequest | Packet): Promise<void> {
    await this.link.reveal();
    if ('schema' in what) await this.take(what, '');
    else await this.request(what);
  }

  async showAnswer({ question, items, folder, check }: ModelAnswer): Promise<void> {
    await this.link.reveal();
    await this.request({ question, items, ...(folder && { workspace: folder }) }, undefined, check);
  }

  async ask(question?: string): Promise<void> {
    if (question !== undefined) {
      await this.show({ question });
      return;
    }
    // A page that is only now being made gets it when it is ready.
    this.composed = '';
    await this.link.reveal();
    this.compose();
  }

  async showVerdict(verdict: PlaceVerdict): Promise<void> {
    // A page that is only now being made gets it when it is ready.
    this.verdict = verdict;
    await this.link.reveal(true);
    this.tellVerdict();
  }

  async explainAnswer(): Promise<boolean> {
    if (this.current === undefined) return false;
    // A page that is only now being made gets it when it is ready.
    this.explaining = true;
    await this.link.reveal();
    this.showRankers();
    return true;
  }

  dispose(): void {
    this.asking?.cancel();
    this.asking?.dispose();
    for (const one of [...this.own, this.pointers, this.link]) one.dispose();
  }

  private async hear(message: FromPage): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.greet();
        return;
      case 'ask':
        return this.request(message);
      case 'cancel':
        this.asking?.cancel();
        return;
      case 'open':
        return this.pointers.open(message.place, message.keepFocus);
      case 'explain':
        return this.pointers.explain(message.key);
      case 'explainAnswer':
        return this.explainShown();
      case 'closeVerdict':
        this.verdict = undefined;
        return;
      case 'compare':
        return this.pointers.compare(message.key);
      case 'renew':
        if (this.current !== undefined) await this.recall(this.current.id);
        return;
      case 'copyPacket':
        return this.pointers.copyPacket(message.form);
      case 'copyItem':
        return this.pointers.copyItem(message.key);
      case 'pin':
        return this.remember(past.pin(this.history, message.id, message.pinned));
      case 'recall':
        return this.recall(message.id);
      case 'forget':
        return this.remember(past.forget(this.history, message.id));
      case 'forgetAll':
        return this.remember(past.forgetUnpinned(this.history));
      case 'act':
        return this.act(message.action, message.workspace);
    }
  }

  /** Everything a new page needs. */
  private greet(): void {
    this.link.tell({ type: 'missing', missing: this.source.missing() });
    this.link.tell({ type: 'live', folders: this.source.statuses() });
    this.link.tell({ type: 'history', rows: past.rowsOf(this.history) });
    this.tellShown();
    if (this.asking !== undefined && this.last !== undefined && this.judged !== 'again')
      this.tellAsking(this.last.request);
    else if (this.failure !== undefined) this.link.tell(this.failure);
    this.compose();
    this.showRankers();
    this.tellVerdict();
    // What could not be judged when it was last looked at is tried once more.
    if (this.judged === 'then') this.keeper = undefined;
    this.renewAfterRestart();
  }

  private showRankers(): void {
    if (!this.explaining || !this.link.hasPage) return;
    this.explaining = false;
    this.link.tell({ type: 'showRankers' });
    void this.explainShown();
  }

  private tellVerdict(): void {
    if (this.verdict !== undefined) this.link.tell({ type: 'placeVerdict', verdict: this.verdict });
  }

  private async explainShown(): Promise<void> {
    if (this.current !== undefined) await this.pointers.explainAnswer(this.current.id);
  }

  private compose(): void {
    if (this.composed === undefined || !this.link.hasPage) return;
    this.link.tell({ type: 'compose', question: this.composed });
    this.composed = undefined;
  }

  /** Asks; a question that is still being answered is given up for the new one. */
  private async request(request: PacketRequest, renews?: past.HistoryEntry, check?: CheckAnswer): Promise<void> {
    this.asking?.cancel();
    const asking = new vscode.CancellationTokenSource();
    this.asking = asking;
    this.last = { request, ...(renews && { renews }), ...(check && { check }) };
    this.failure = undefined;
    if (renews === undefined) this.tellAsking(request);
    let answered = false;
    try {
      const wanted = withFolder(request);
      const packet = await this.source.packet({ ...wanted, open: true }, asking.token);
      answered = this.asking === asking;
      if (answered) {
        // Remembering takes a moment; a page made meanwhile must not show that an answer is awaited.
        this.asking = undefined;
        const { workspace = '', items } = wanted;
        await this.take(packet, workspace, renews, { ...(items && { given: items }), ...(check && { check }) });
      } else this.close(packet.packet_id);
    } catch (error) {
      if (this.asking !== asking && !answered) return;
      if (this.judged === 'again') this.judged = 'then';
      if (asking.token.isCancellationRequested) this.link.tell({ type: 'cancelled' });
      else this.fail(error);
    } finally {
      if (this.asking === asking) this.asking = undefined;
      asking.dispose();
    }
  }

  /** Shows the packet and remembers it. `renews` is the place in the history whose verdicts it brings up to now. */
  private async take(
    packet: Packet,
    workspace: string,
    renews?: past.HistoryEntry,
    about: Pick<past.HistoryEntry, 'given' | 'check'> = {},
  ): Promise<void> {
    this.close(this.current?.packet.packet_id);
    const now = Date.now() / 1000;
    const id = Math.round(now * 1000).toString(36);
    const asked = renews ?? { id, askedAt: now, judgedAt: now, pinned: false, workspace, packet, ...about };
    const history =
      renews === undefined ? past.remember(this.history, asked) : past.replace(this.history, renews.id, packet, now);
    this.current = { ...(history.find((one) => one.id === asked.id) ?? asked), packet, judgedAt: now };
    this.judged = 'now';
    this.keeper = this.serverOf(packet);
    await this.remember(history);
    if (renews === undefined) await vscode.commands.executeCommand('setContext', answeredKey, true);
  }

  /** Shows an earlier packet and asks its question again, so that its verdicts are those of now. */
  private async recall(id: string): Promise<void> {
    const asked = this.history.find((one) => one.id === id);
    if (asked === undefined) return;
    this.close(this.current?.packet.packet_id);
    this.current = asked;
    this.judged = 'again';
    this.tellShown();
    const { query, task_type, workspace } = asked.packet;
    const folder = asked.workspace === '' ? vscode.Uri.file(workspace).toString() : asked.workspace;
    const given = asked.given && { items: asked.given };
    await this.request({ question: query, task: task_type, workspace: folder, ...given }, asked);
  }

  /** A server that was started anew keeps no packet open that was asked of the one before; each is asked once. */
  private renewAfterRestart(): void {
    if (this.current === undefined || this.asking !== undefined || !this.link.hasPage) return;
    const server = this.serverOf(this.current.packet);
    if (server === undefined || server === this.keeper) return;
    this.keeper = server;
    this.recall(this.current.id).catch((error: unknown) => {
      this.fail(error);
    });
  }

  private serverOf(packet: Packet): string | undefined {
    const status = this.source.statuses().find(({ workspace }) => workspace === packet.workspace);
    if (status === undefined || status.state === 'starting' || status.state === 'missing') return undefined;
    return `${this.source.session()} ${status.server.pid}`;
  }

  private async remember(history: past.History): Promise<void> {
    this.history = history;
    const renewed = history.find((one) => one.id === this.current?.id);
    if (renewed !== undefined) this.current = { ...renewed, packet: this.current?.packet ?? renewed.packet };
    this.tellShown();
    this.link.tell({ type: 'history', rows: past.rowsOf(history) });
    await this.context.workspaceState.update(historyKey, past.saved(history));
    await this.context.workspaceState.update(shownKey, this.current?.id);
  }

  /** The verdicts of the shown packet as they are now. */
  private rejudge(told: VerdictsParams): void {
    if (this.current?.packet.packet_id !== told.packet_id) return;
    const { packet } = withVerdicts(this.current.packet, told);
    this.current = { ...this.current, packet };
    this.history = past.replace(this.history, this.current.id, packet, Date.now() / 1000);
    this.link.tell({ type: 'verdicts', told });
    this.link.tell({ type: 'history', rows: past.rowsOf(this.history) });
  }

  private async act(action: FailureAction | LiveAction, workspace?: string): Promise<void> {
    if (action === 'retry') {
      if (this.last?.renews !== undefined) await this.recall(this.last.renews.id);
      else if (this.last !== undefined) await this.request(this.last.request, undefined, this.last.check);
      return;
    }
    const folder = workspace === undefined ? [] : [{ workspace }];
    const commands = {
      restart: ['helix.restart'],
      logs: ['helix.showLogs'],
      setUp: ['helix.setUp'],
      choose: ['helix.chooseInterpreter'],
      status: ['helix.showStatus'],
      resume: [serverCommands.resumeIndex, ...folder],
    } as const;
    const [command, ...rest] = commands[action];
    await vscode.commands.executeCommand(command, ...rest);
  }

  private tellShown(): void {
    const { current, judged } = this;
    const shown = current && {
      id: current.id,
      packet: current.packet,
      judgedAt: current.judgedAt,
      pinned: current.pinned,
      judged,
      ...(current.given && { given: true }),
      ...(current.check && { check: current.check }),
    };
    this.link.tell({ type: 'shown', shown: shown ?? null });
  }

  private tellAsking({ question, task }: PacketRequest): void {
    this.composed = undefined;
    this.link.tell({ type: 'asking', question, task: task ?? 'explain' });
  }

  private fail(error: unknown): void {
    this.logger.warn(`The packet view has no answer: ${reasonOf(error)}`);
    const missing = this.source.missing();
    this.failedWithoutServer = missing !== null;
    this.failure = {
      type: 'failed',
      message: reasonOf(error),
      actions: missing?.actions ?? ['retry', 'restart', 'logs'],
    };
    this.link.tell(this.failure);
  }

  private close(packetId: string | undefined): void {
    if (packetId === undefined) return;
    this.source.close(packetId).catch((error: unknown) => {
      this.logger.debug(`Closing a packet failed: ${reasonOf(error)}`);
    });
  }
}

/** The folder of the active editor, where the asker chose none. */
function withFolder({ question, task, k, workspace, uri, items }: PacketRequest): PacketRequest {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder =
    workspace ??
    (active && uri === undefined ? vscode.workspace.getWorkspaceFolder(active)?.uri.toString() : undefined);
  return {
    question,
    ...(task && { task }),
    ...(k && { k }),
    ...(folder && { workspace: folder }),
    ...(uri && { uri }),
    ...(items && { items }),
  };
}
