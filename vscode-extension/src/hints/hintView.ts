/** The tree of hints: a badge that counts them, files with their hints, and what can be done with one. */
import * as vscode from 'vscode';
import { hintSeverity } from '../base/settings';
import type { Logger } from '../base/logger';
import { isLevel, serverCommands, type Hint, type HintsAnswer } from '../base/protocol';
import type { Server } from '../server/server';
import { shown } from '../view/shown';
import { count as counted } from '../view/words';
import {
  asJson,
  asMarkdown,
  escaped,
  hintCount,
  hintFiles,
  hintLabel,
  kindIcons,
  kindNames,
  nextHint,
} from './hintList';
import type { HintFile } from './hintList';
import { HintScan } from './hintScan';
import { Underlines } from './underlines';

/** Of the rows alone; a view's id with `.open` is the editor's. */
const openCommand = 'helix.showHint';

export type HintNode = { readonly file: HintFile } | { readonly hint: Hint };

export class HintView implements vscode.Disposable, vscode.TreeDataProvider<HintNode> {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly scans = new Map<string, HintScan>();
  private readonly problems = vscode.languages.createDiagnosticCollection('helix.hints');
  private readonly underlines = new Underlines();
  private readonly tree: vscode.TreeView<HintNode>;
  private readonly parts: vscode.Disposable[];
  private showsIgnored = false;
  private files: HintFile[] = [];

  constructor(
    private readonly server: Server,
    private readonly logger: Logger,
  ) {
    this.tree = vscode.window.createTreeView('helix.hints', { treeDataProvider: this, showCollapseAll: true });
    this.parts = [
      vscode.commands.registerCommand(openCommand, (hint: Hint) => this.open(hint)),
      server.onStatus((status) => {
        if (isLevel(status.state)) this.scan(status.uri).touched();
      }),
      vscode.workspace.onDidOpenTextDocument(() => {
        this.tellProblems();
      }),
      vscode.workspace.onDidCloseTextDocument(() => {
        this.tellProblems();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
        for (const { uri } of removed) this.forget(uri.toString());
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('helix.diagnostics')) void this.refresh();
      }),
    ];
    this.showIgnored(false);
  }

  getTreeItem(node: HintNode): vscode.TreeItem {
    return 'file' in node ? fileItem(node.file) : hintItem(node.hint);
  }

  getChildren(node?: HintNode): HintNode[] {
    if (!node) return this.files.map((file) => ({ file }));
    return 'file' in node ? node.file.hints.map((hint) => ({ hint })) : [];
  }

  getParent(node: HintNode): HintNode | undefined {
    if ('file' in node) return undefined;
    const file = this.files.find(({ uri }) => uri === node.hint.uri);
    return file && { file };
  }

  /** Looks at every folder again. */
  async refresh(): Promise<void> {
    for (const { uri } of this.server.statuses()) this.scan(uri);
    await Promise.all([...this.scans.values()].map((scan) => scan.look()));
  }

  showIgnored(shows: boolean): void {
    this.showsIgnored = shows;
    void vscode.commands.executeCommand('setContext', 'helix.hints.showsIgnored', shows);
    this.update();
  }

  /** Goes to the next hint after the cursor, in the order of the tree. */
  async next(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const line = (editor?.selection.active.line ?? -1) + 1;
    const hint = nextHint(this.files, editor?.document.uri.toString() ?? '', line);
    if (!hint) {
      void vscode.window.showInformationMessage('Nothing in this workspace is outdated, contradicted or dead.');
      return;
    }
    await this.open(hint);
  }

  async open(hint: Hint): Promise<void> {
    await show(hint.uri, hint.start_line);
    const file = this.files.find(({ uri }) => uri === hint.uri);
    const node = file?.hints.find((one) => one === hint);
    if (node && this.tree.visible) {
      await this.tree.reveal({ hint: node }, { select: true, focus: false });
    }
  }

  async openOther(node?: unknown): Promise<void> {
    const hint = this.hintOf(node);
    if (hint?.other) await show(hint.other.uri, hint.other.start_line);
  }

  /** Puts a hint away for as long as its text stays as it is, or takes it back. */
  async ignore(node: unknown, restore: boolean): Promise<void> {
    const hint = this.hintOf(node);
    if (!hint) return;
    const { uri, code, text_hash } = hint;
    await this.server.ask(serverCommands.dismiss, { uri, code, text_hash, restore });
    for (const scan of this.scans.values()) scan.mark(hint, !restore);
    this.update();
  }

  async export(given?: unknown): Promise<void> {
    const format = given === 'json' || given === 'markdown' ? given : await chosenFormat();
    if (!format) return;
    const name = vscode.workspace.name ?? 'workspace';
    const content = format === 'json' ? asJson(name, this.files) : asMarkdown(name, this.files);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: format, content }));
  }

  dispose(): void {
    for (const scan of this.scans.values()) scan.stop();
    for (const part of [...this.parts, this.tree, this.problems, this.underlines, this.changes]) part.dispose();
  }

  private hintOf(node: unknown): Hint | undefined {
    const given =
      typeof node === 'object' && node !== null && 'hint' in node ? (node as { hint: Hint }).hint : undefined;
    const [selected] = this.tree.selection;
    return given ?? (selected && 'hint' in selected ? selected.hint : undefined);
  }

  private scan(folder: string): HintScan {
    const known = this.scans.get(folder);
    if (known) return known;
    const scan = new HintScan(folder, {
      page: (workspace, after, signal) =>
        this.server.askUntil<HintsAnswer>(signal, serverCommands.hints, { workspace, after }),
      changed: () => {
        this.update();
      },
      failed: (error) => {
        this.logger.error('The workspace could not be looked at for hints', error);
      },
      now: () => Date.now(),
    });
    this.scans.set(folder, scan);
    return scan;
  }

  private forget(folder: string): void {
    this.scans.get(folder)?.stop();
    this.scans.delete(folder);
    this.update();
  }

  private update(): void {
    const scans = [...this.scans.values()];
    const hints = scans.flatMap((scan) => [...scan.hints]);
    const count = hintCount(hints);
    const files = hintFiles(hints, this.showsIgnored);
    const isOther = JSON.stringify(files) !== JSON.stringify(this.files);
    if (isOther) this.files = files;
    const tooltip = `${counted(count, 'place')} outdated, contradicted or dead`;
    this.tree.badge = count > 0 ? { value: count, tooltip } : undefined;
    this.tree.description = count > 0 ? String(count) : '';
    const running = scans.flatMap(({ progress }) => progress ?? []);
    const done = running.reduce((sum, one) => sum + one.done, 0);
    const total = running.reduce((sum, one) => sum + one.total, 0);
    const isFirst = scans.some(({ isComplete }) => !isComplete);
    this.tree.message =
      isFirst && total > 0 ? `Looked at ${done.toLocaleString('en-US')} of ${counted(total, 'file')}…` : '';
    const isNone = this.files.length === 0 && scans.length > 0 && !isFirst;
    void vscode.commands.executeCommand('setContext', 'helix.hints.none', isNone);
    void vscode.commands.executeCommand('setContext', 'helix.hints.any', count > 0);
    // A tree that is drawn anew under the mouse loses the click.
    if (isOther) this.changes.fire();
    this.tellProblems();
  }

  /** In the Problems view the server's own diagnostics are of open documents; the other files come from here. */
  private tellProblems(): void {
    this.problems.clear();
    if (hintSeverity() !== 'information') return;
    const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
    for (const { uri, hints } of this.files) {
      const own = vscode.Uri.parse(uri);
      if (!open.has(own.toString())) this.problems.set(own, hints.filter((hint) => !hint.ignored).map(problemOf));
    }
  }
}

function problemOf(hint: Hint): vscode.Diagnostic {
  const range = new vscode.Range(hint.start_line - 1, 0, hint.end_line - 1, Number.MAX_SAFE_INTEGER);
  const problem = new vscode.Diagnostic(range, shown(hint.message), vscode.DiagnosticSeverity.Information);
  problem.source = 'helix';
  problem.code = hint.code;
  if (hint.other) {
    const place = new vscode.Position(hint.other.start_line - 1, 0);
    const location = new vscode.Location(vscode.Uri.parse(hint.other.uri), place);
    problem.relatedInformation = [new vscode.DiagnosticRelatedInformation(location, hint.other.source_id)];
  }
  return problem;
}

function fileItem(file: HintFile): vscode.TreeItem {
  const uri = vscode.Uri.parse(file.uri);
  const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.Expanded);
  const folder = shown(file.sourceId.split('/').slice(0, -1).join('/'));
  item.description = `${folder}${folder ? ' · ' : ''}${file.hints.length}`;
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = 'file';
  item.tooltip = shown(file.sourceId);
  return item;
}

function hintItem(hint: Hint): vscode.TreeItem {
  const item = new vscode.TreeItem(hintLabel(hint), vscode.TreeItemCollapsibleState.None);
  item.description = `line ${hint.start_line}${hint.ignored ? ', ignored' : ''}`;
  item.iconPath = new vscode.ThemeIcon(
    hint.ignored ? 'eye-closed' : kindIcons[hint.kind],
    new vscode.ThemeColor(hint.ignored ? 'disabledForeground' : 'list.warningForeground'),
  );
  item.contextValue = `${hint.ignored ? 'ignored' : 'hint'}${hint.other ? ' other' : ''}`;
  const other = hint.other ? `\n\nSee ${escaped(`${hint.other.source_id}:${hint.other.start_line}`)}` : '';
  item.tooltip = new vscode.MarkdownString(`**${kindNames[hint.kind]}**\n\n${escaped(hint.message)}${other}`);
  item.accessibilityInformation = { label: `${kindNames[hint.kind]}, line ${hint.start_line}: ${shown(hint.message)}` };
  item.command = { command: openCommand, title: 'Open', arguments: [hint] };
  return item;
}

async function show(uri: string, line: number): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const at = Math.min(Math.max(line - 1, 0), document.lineCount - 1);
  const start = new vscode.Position(at, document.lineAt(at).firstNonWhitespaceCharacterIndex);
  const editor = await vscode.window.showTextDocument(document, { selection: new vscode.Range(start, start) });
  editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function chosenFormat(): Promise<'markdown' | 'json' | undefined> {
  const formats = [
    { label: 'Markdown', description: 'a list with checkboxes', format: 'markdown' as const },
    { label: 'JSON', description: 'for programs', format: 'json' as const },
  ];
  return (await vscode.window.showQuickPick(formats, { title: 'Helix: Export Hints' }))?.format;
}
