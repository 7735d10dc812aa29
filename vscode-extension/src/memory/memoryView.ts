/** The tree of memories: by kind, what waits for review on top, and what can be done with one. */
import * as vscode from 'vscode';
import type { Documents } from '../base/documents';
import { reasonOf, type Logger } from '../base/logger';
import {
  isLevel,
  serverCommands,
  type EditRequest,
  type MemoryList,
  type MemoryLog,
  type ReviewAnswer,
} from '../base/protocol';
import { Serial } from '../server/serial';
import type { Server } from '../server/server';
import { Opener } from '../view/open';
import { count } from '../view/words';
import {
  citationsNow,
  citesAnew,
  confirmation,
  contextOf,
  firstPlace,
  memoryCount,
  memoryDescription,
  memoryGroups,
  memoryLabel,
  proposalCount,
  spokenMemory,
  type CitedMemory,
  type FolderMemory,
  type MemoryGroup,
  type Remembered,
} from './memoryList';
import { recalled } from './recallBox';
import { linesCitedNow, statementFor } from './rememberBox';
import { related, whyBelieved, type MemoryHistory } from './whyBelieved';

/** Of the rows alone; a view's id with `.open` is the editor's. */
const openCommand = 'helix.showMemory';
/** The most that a server lists; what is older is found by a search. */
const mostListed = 500;
/** Milliseconds from a change to the next question while the view is hidden; its badge can wait so long. */
const hiddenRestMs = 10_000;

export type MemoryNode = { readonly group: MemoryGroup } | { readonly group: MemoryGroup; readonly memory: Remembered };

export class MemoryView implements vscode.Disposable, vscode.TreeDataProvider<MemoryNode> {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly tree: vscode.TreeView<MemoryNode>;
  private readonly opener = new Opener();
  private readonly reading = new Serial(() => this.read());
  private readonly parts: vscode.Disposable[];
  /** Which server was asked, by folder: one that was started later watches nothing before it is asked. */
  private readonly askedOf = new Map<string, string>();
  private groups: MemoryGroup[] = [];
  private waiting: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly documents: Documents,
    private readonly logger: Logger,
  ) {
    this.tree = vscode.window.createTreeView('helix.memories', { treeDataProvider: this, showCollapseAll: true });
    this.parts = [
      vscode.commands.registerCommand(openCommand, (memory: Remembered) => this.open(memory)),
      server.onStatus(({ uri, state, server: { pid } }) => {
        const canAnswer = isLevel(state) || state === 'paused';
        const asked = `${server.session} ${pid}`;
        if (canAnswer && this.askedOf.get(uri) !== asked) {
          this.askedOf.set(uri, asked);
          void this.refresh();
        }
      }),
      server.onMemory(() => {
        this.touched();
      }),
      this.tree.onDidChangeVisibility(({ visible }) => {
        if (visible && this.waiting) void this.refresh();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
        for (const { uri } of removed) this.askedOf.delete(uri.toString());
        void this.refresh();
      }),
    ];
  }

  getTreeItem(node: MemoryNode): vscode.TreeItem {
    return 'memory' in node ? memoryRow(node.memory, node.group) : groupRow(node.group);
  }

  /** Says why a memory is believed, once it is expanded: the log is requested then. */
  async resolveTreeItem(row: vscode.TreeItem, node: MemoryNode): Promise<vscode.TreeItem> {
    if ('memory' in node) row.tooltip = new vscode.MarkdownString(await this.why(node.memory));
    return row;
  }

  getChildren(node?: MemoryNode): MemoryNode[] {
    if (!node) return this.groups.map((group) => ({ group }));
    return 'memory' in node ? [] : node.group.memories.map((memory) => ({ group: node.group, memory }));
  }

  getParent(node: MemoryNode): MemoryNode | undefined {
    return 'memory' in node ? { group: node.group } : undefined;
  }

  /** Asks every folder again. */
  refresh(): Promise<void> {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    return this.reading.request();
  }

  /** Asks the memory as the user types, and opens what is chosen. */
  async search(): Promise<void> {
    const chosen = await recalled(this.server, this.groups, this.logger);
    if (chosen) await this.open(chosen);
  }

  /** Opens the lines that a memory cites, or says why it is believed where there are none to open. */
  async open(memory: Remembered): Promise<void> {
    this.noteUse(memory);
    const place = firstPlace(memory.item.evidence);
    if (!place) {
      await this.documents.preview(`Memory ${memory.item.id}`, await this.why(memory));
      return;
    }
    const uri = uriOf(memory.workspace, place.source_id);
    await this.opener.open({ uri, span: place, quote: '', inBuffer: false, keepFocus: false });
  }

  /** What is asked for by its id counts as used, and fades later. */
  private noteUse({ item, workspace }: Remembered): void {
    this.server.ask(serverCommands.getMemory, { id: item.id, workspace }).catch((error: unknown) => {
      this.logger.error('The use of a memory was not noted', error);
    });
  }

  async copy(node?: unknown): Promise<void> {
    const memory = this.memoryOf(node);
    if (memory) await vscode.env.clipboard.writeText(memory.item.text);
  }

  /** A person says that it is so. */
  async confirm(node?: unknown): Promise<void> {
    const memory = (await this.cited(node)) ?? this.memoryOf(node);
    if (!memory) return;
    const { item, workspace } = memory;
    const cites = citesAnew(item) ? await this.citesNow(memory) : citationsNow(item.evidence).found;
    if (!cites) return;
    // A row of a kind does not know what contradicts it; the one in the queue does.
    const queued = this.groups[0]?.memories.find((one) => one.item.uuid === item.uuid && one.rivals) ?? memory;
    for (const { command, argument } of confirmation({ ...queued, workspace }, cites)) {
      await this.server.ask(command, argument);
    }
    await this.refresh();
    void vscode.window.setStatusBarMessage('Helix: the memory is confirmed', 5_000);
  }

  /** Asks for the statement that takes its place. */
  async supersede(node?: unknown): Promise<void> {
    const memory = (await this.cited(node)) ?? this.memoryOf(node);
    if (!memory) return;
    const { item, workspace } = memory;
    const edit = { id: item.id, origin: 'user', workspace } as const;
    const said = await statementFor(this.server, serverCommands.editMemory, edit, {
      title: 'Helix: Supersede Memory',
      prompt: 'What is so now? The old statement stays in the log.',
      value: item.text,
    });
    const cites = said && (await this.citesNow(memory));
    if (!cites) return;
    await this.server.ask(serverCommands.editMemory, { ...edit, text: said.text, cites } satisfies EditRequest);
    await this.refresh();
  }

  async forget(node?: unknown): Promise<void> {
    const memory = this.memoryOf(node);
    if (!memory) return;
    const { item, workspace } = memory;
    await this.server.ask(serverCommands.forgetMemory, { id: item.id, workspace });
    await this.refresh();
    this.offerUndo(memory, 'Forgotten');
  }

  async decide(node: unknown, decision: 'approve' | 'reject'): Promise<void> {
    const memory = this.memoryOf(node);
    if (!memory) return;
    const { item, workspace } = memory;
    await this.server.ask(serverCommands.decideMemory, { id: item.id, decision, workspace });
    await this.refresh();
    // A note is deleted, and nothing brings it back.
    if (decision === 'reject' && item.kind !== 'note') this.offerUndo(memory, 'Rejected');
  }

  dispose(): void {
    clearTimeout(this.waiting);
    for (const part of [...this.parts, this.tree, this.opener, this.changes]) part.dispose();
  }

  /** A hidden view is refreshed less often: each answer compares every cited line with the disk. */
  private touched(): void {
    if (this.tree.visible) void this.refresh();
    else this.waiting ??= setTimeout(() => void this.refresh(), hiddenRestMs);
  }

  private offerUndo({ item, workspace }: Remembered, deed: string): void {
    const undo = 'Undo';
    void vscode.window.showInformationMessage(`${deed}: “${item.text}”`, undo).then(async (chosen) => {
      if (chosen !== undo) return;
      try {
        await this.server.ask(serverCommands.restoreMemory, { id: item.id, workspace });
        await this.refresh();
      } catch (error) {
        this.logger.error('A memory could not be restored', error);
        void vscode.window.showErrorMessage(reasonOf(error));
      }
    });
  }

  /** The places to cite now; undefined where the user closed the question about lines that changed. */
  private async citesNow({ item, workspace }: Remembered): Promise<string[] | undefined> {
    const { found, lost } = citationsNow(item.evidence);
    const cites = [...found];
    for (const place of lost.filter((one) => firstPlace([one]))) {
      const lines = await linesCitedNow(uriOf(workspace, place.source_id), place, item.text);
      if (!lines) return undefined;
      cites.push(...lines);
    }
    return cites;
  }

  private async why(memory: Remembered): Promise<string> {
    const { item, workspace } = memory;
    let history: MemoryHistory = { ops: [], superseded: [] };
    try {
      const ops = await this.log(item.uuid, workspace);
      const before = await Promise.all(
        related(item.uuid, 'supersedes', ops).map((uuid) => this.log(uuid, workspace, 1)),
      );
      history = { ops, superseded: before.flatMap(([op]) => op?.text ?? []) };
    } catch (error) {
      this.logger.error('The log of a memory could not be read', error);
    }
    return whyBelieved(memory, history, Date.now() / 1000, (sourceId) => uriOf(workspace, sourceId).toString());
  }

  private async log(id: string, workspace: string, limit = 50): Promise<MemoryLog['ops']> {
    return (await this.server.ask<MemoryLog>(serverCommands.memoryLog, { id, limit, workspace })).ops;
  }

  /** Never rejects: what is shown stays, and the view says why it is not newer. */
  private async read(): Promise<void> {
    try {
      const folders = [...this.askedOf.keys()];
      const groups = memoryGroups(await Promise.all(folders.map((folder) => this.readFolder(folder))));
      // A tree that is drawn anew under the mouse loses the click.
      const isOther = JSON.stringify(groups) !== JSON.stringify(this.groups);
      this.groups = groups;
      if (isOther) this.changes.fire();
      const proposals = proposalCount(this.groups);
      const tooltip = `${count(proposals, 'proposal')} for your memory ${proposals === 1 ? 'waits' : 'wait'} for review`;
      this.tree.badge = proposals > 0 ? { value: proposals, tooltip } : undefined;
      const total = memoryCount(this.groups);
      this.tree.description = total > 0 ? String(total) : '';
      this.tree.message = total >= mostListed ? `The newest ${mostListed} are listed; a search finds the others.` : '';
    } catch (error) {
      this.logger.error('The memory could not be read', error);
      this.tree.message = `The memory could not be read: ${reasonOf(error)}`;
    }
  }

  private async readFolder(workspace: string): Promise<FolderMemory> {
    const limit = mostListed;
    const list = await this.server.ask<MemoryList>(serverCommands.listMemories, { verify: true, limit, workspace });
    const queue = await this.server.ask<ReviewAnswer>(serverCommands.reviewMemories, { limit, workspace });
    return { workspace, items: list.items, review: queue.items };
  }

  /** The memory of a quick fix, which knows its id alone. */
  private async cited(node: unknown): Promise<Remembered | undefined> {
    if (node === null || typeof node !== 'object' || !('cited' in node)) return undefined;
    const { cited: id, workspace } = node as CitedMemory;
    const [item] = (await this.server.ask<MemoryList>(serverCommands.getMemory, { id, workspace })).items;
    return item && { item, workspace };
  }

  private memoryOf(node: unknown): Remembered | undefined {
    const given =
      node !== null && typeof node === 'object' && 'memory' in node ? (node as { memory: Remembered }) : undefined;
    const [selected] = this.tree.selection;
    return given?.memory ?? (selected && 'memory' in selected ? selected.memory : undefined);
  }
}

function uriOf(workspace: string, sourceId: string): vscode.Uri {
  return vscode.Uri.joinPath(vscode.Uri.parse(workspace), ...sourceId.split('/'));
}

function groupRow({ id, label, icon, memories }: MemoryGroup): vscode.TreeItem {
  const row = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
  row.id = id;
  row.description = String(memories.length);
  row.iconPath = new vscode.ThemeIcon(icon);
  row.contextValue = 'group';
  row.accessibilityInformation = { label: `${label}, ${count(memories.length, 'memory', 'memories')}` };
  return row;
}

function memoryRow(memory: Remembered, group: MemoryGroup): vscode.TreeItem {
  const row = new vscode.TreeItem(memoryLabel(memory.item), vscode.TreeItemCollapsibleState.None);
  row.id = `${group.id}/${memory.item.uuid}`;
  row.description = memoryDescription(memory);
  row.contextValue = contextOf(memory);
  row.accessibilityInformation = { label: spokenMemory(memory) };
  row.command = { command: openCommand, title: 'Open', arguments: [memory] };
  return row;
}
