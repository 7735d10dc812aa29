/** “Where Is…”: places that answer, while you type, each shown in the editor before you choose it. */
import * as vscode from 'vscode';
import { serverCommands, type SearchAnswer, type SearchItem } from '../base/protocol';
import { verdictSigns } from '../view/words';
import type { CommandNeeds } from './needs';
import { askedFolder } from './packets';

interface Place extends vscode.QuickPickItem {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
}

/** A place, or a line between places. */
type Row = Place | vscode.QuickPickItem;

const typingPauseMs = 150;
const mostPlaces = 20;

export async function whereIs(needs: CommandNeeds, given?: unknown): Promise<void> {
  const workspace = askedFolder();
  if (!workspace) {
    return;
  }
  const before = viewOf(vscode.window.activeTextEditor);
  const openBefore = new Set(tabs().map(({ uri }) => uri));
  const chosen = await pick(needs, workspace, typeof given === 'string' ? given : '');
  if (chosen) {
    await open(chosen, false);
    return;
  }
  const looked = tabs().filter(({ tab, uri }) => tab.isPreview && !openBefore.has(uri));
  await vscode.window.tabGroups.close(looked.map(({ tab }) => tab));
  if (before) {
    await vscode.window.showTextDocument(before.uri, { selection: before.selection, viewColumn: before.column });
  }
}

function tabs(): { tab: vscode.Tab; uri: string }[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap((tab) => (tab.input instanceof vscode.TabInputText ? [{ tab, uri: tab.input.uri.toString() }] : []));
}

function pick(needs: CommandNeeds, workspace: string, question: string): Promise<Place | undefined> {
  return new Promise((resolve) => {
    const list = vscode.window.createQuickPick<Row>();
    const search = new LiveSearch(needs, workspace, list);
    list.title = 'Helix: Where Is…';
    list.placeholder = 'A name, a path, or what it does';
    list.value = question;
    list.onDidChangeValue((value) => {
      search.typed(value);
    });
    list.onDidChangeActive(([place]) => {
      if (place && isPlace(place)) {
        void open(place, true);
      }
    });
    list.onDidAccept(() => {
      const [chosen] = list.activeItems;
      resolve(chosen && isPlace(chosen) ? chosen : undefined);
      list.hide();
    });
    list.onDidHide(() => {
      search.dispose();
      list.dispose();
      resolve(undefined);
    });
    list.show();
    search.typed(question);
  });
}

/** Asks once typing rests, cancels what is out of date, and never lets an old answer replace a newer one. */
class LiveSearch {
  private timer: NodeJS.Timeout | undefined;
  private asking: vscode.CancellationTokenSource | undefined;

  constructor(
    private readonly needs: CommandNeeds,
    private readonly workspace: string,
    private readonly list: vscode.QuickPick<Row>,
  ) {}

  typed(value: string): void {
    this.dispose();
    const question = value.trim();
    if (!question) {
      this.list.items = [];
      this.list.busy = false;
      return;
    }
    this.list.busy = true;
    this.timer = setTimeout(() => void this.ask(question), typingPauseMs);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asking?.cancel();
    this.asking = undefined;
  }

  private async ask(question: string): Promise<void> {
    const asking = (this.asking = new vscode.CancellationTokenSource());
    try {
      const argument = { question, k: mostPlaces, previews: true, workspace: this.workspace };
      const answer = await this.needs.server.ask<SearchAnswer>(serverCommands.search, argument, asking.token);
      if (this.asking === asking) {
        const places = answer.items.map((item) => placeOf(item, this.workspace));
        this.list.items = answer.known_empty
          ? [nothingHere(answer), ...(places.length > 0 ? [near, ...places] : [])]
          : places;
        this.list.placeholder = answer.items.length > 0 ? 'A name, a path, or what it does' : nothingFound(answer);
      }
    } catch (error) {
      if (this.asking === asking) {
        this.needs.logs.logger.error('helix.ask.where', error);
        this.list.title = `Helix: ${error instanceof Error ? error.message : String(error)}`;
      }
    } finally {
      if (this.asking === asking) {
        this.list.busy = false;
      }
      asking.dispose();
    }
  }
}

const near: vscode.QuickPickItem = { label: 'What comes near', kind: vscode.QuickPickItemKind.Separator };

/** The first row, so that nothing is taken for an answer, nor opened, before somebody chooses it. */
function nothingHere({ nearest }: SearchAnswer): vscode.QuickPickItem {
  return {
    label: '$(circle-slash) Nothing here answers that',
    ...(nearest.length > 0 && { detail: `Names that come near: ${nearest.join(', ')}` }),
    alwaysShow: true,
  };
}

function isPlace(row: Row): row is Place {
  return 'uri' in row;
}

function nothingFound(answer: SearchAnswer): string {
  return answer.nearest.length > 0 ? `Nothing found. Near to it: ${answer.nearest.join(', ')}` : 'Nothing found';
}

function placeOf(item: SearchItem, workspace: string): Place {
  const name = item.source_id.split('/').at(-1) ?? item.source_id;
  return {
    label: `$(${icons[item.kind] ?? 'file'}) ${item.symbol || name}`,
    description: `${item.status === undefined ? '' : `${verdictSigns[item.status]} `}${item.source_id}:${item.start_line}`,
    // The server ranks; the list must neither filter nor sort by what is typed.
    alwaysShow: true,
    uri: vscode.Uri.joinPath(vscode.Uri.parse(workspace), ...item.source_id.split('/')),
    range: new vscode.Range(item.start_line - 1, 0, item.end_line - 1, 0),
  };
}

const icons: Readonly<Record<string, string>> = {
  function: 'symbol-function',
  method: 'symbol-method',
  class: 'symbol-class',
  struct: 'symbol-structure',
  interface: 'symbol-interface',
  enum: 'symbol-enum',
  constant: 'symbol-constant',
  section: 'markdown',
  module: 'symbol-namespace',
};

async function open(place: Place, preview: boolean): Promise<void> {
  const editor = await vscode.window.showTextDocument(place.uri, { preview, preserveFocus: preview });
  editor.selection = new vscode.Selection(place.range.start, place.range.start);
  editor.revealRange(place.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

interface Shown {
  readonly uri: vscode.Uri;
  readonly selection: vscode.Selection;
  readonly column: vscode.ViewColumn;
}

function viewOf(editor: vscode.TextEditor | undefined): Shown | undefined {
  return (
    editor && {
      uri: editor.document.uri,
      selection: editor.selection,
      column: editor.viewColumn ?? vscode.ViewColumn.Active,
    }
  );
}
