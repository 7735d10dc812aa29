/** “Where Is…”: a symbol box. What one moves to is shown in the editor before it is chosen. */
import * as vscode from 'vscode';
import { serverCommands, type NamesAnswer, type SearchAnswer } from '../base/protocol';
import type { CommandNeeds } from './needs';
import { askedFolder } from './packets';
import { Typing } from './typing';
import { whereRows, type WhereRow } from './whereRows';

interface PickedPlace extends vscode.QuickPickItem {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
}

/** A place, or a line between places. */
type Row = PickedPlace | vscode.QuickPickItem;

const mostPlaces = 20;
const placeholder = 'A name, a path, or what it does';

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

function pick(needs: CommandNeeds, workspace: string, question: string): Promise<PickedPlace | undefined> {
  return new Promise((resolve) => {
    const list: Unsorted<Row> = vscode.window.createQuickPick<Row>();
    const title = 'Helix: Where Is…';
    const folder = vscode.Uri.parse(workspace);
    const typing = new Typing({
      names: (text, signal) =>
        needs.server.askUntil<NamesAnswer>(signal, serverCommands.names, { text, k: mostPlaces, workspace }),
      meaning: (asked, signal) =>
        needs.server.askUntil<SearchAnswer>(signal, serverCommands.search, {
          question: asked,
          k: mostPlaces,
          previews: true,
          workspace,
        }),
      show: (answers, busy) => {
        const [before] = list.activeItems;
        list.title = title;
        list.items = whereRows(answers).map((row) => rowOf(row, folder));
        // The selected row stays selected when results by meaning arrive.
        const same = before && hasMoved && list.items.find((row) => row.label === before.label && isSame(row, before));
        if (same) {
          list.activeItems = [same];
        }
        list.busy = busy;
      },
      failed: (error) => {
        needs.logs.logger.error('helix.ask.where', error);
        list.title = `Helix: ${error instanceof Error ? error.message : String(error)}`;
      },
    });
    // Only a row that the user moves to is shown in the editor: opening a file at each key would be in the way of typing.
    let hasMoved = false;
    list.title = title;
    list.placeholder = placeholder;
    list.value = question;
    list.sortByLabel = false;
    list.onDidChangeValue((value) => {
      hasMoved = false;
      typing.typed(value);
    });
    list.onDidChangeActive(([place]) => {
      if (place && place !== list.items[0]) {
        hasMoved = true;
      }
      if (place && hasMoved && isPlace(place)) {
        void open(place, true);
      }
    });
    list.onDidAccept(() => {
      const [chosen] = list.activeItems;
      resolve(chosen && isPlace(chosen) ? chosen : undefined);
      list.hide();
    });
    list.onDidHide(() => {
      typing.stop();
      list.dispose();
      resolve(undefined);
    });
    list.show();
    typing.typed(question);
  });
}

/** The editor sorts by label and drops separators while the user types, unless this is set; older ones ignore it. */
type Unsorted<T extends vscode.QuickPickItem> = vscode.QuickPick<T> & { sortByLabel?: boolean };

function isPlace(row: Row): row is PickedPlace {
  return 'uri' in row;
}

function isSame(one: Row, other: Row): boolean {
  return (
    isPlace(one) && isPlace(other) && one.uri.toString() === other.uri.toString() && one.range.isEqual(other.range)
  );
}

function rowOf(row: WhereRow, folder: vscode.Uri): Row {
  if (row.kind === 'separator') {
    return { label: row.label, kind: vscode.QuickPickItemKind.Separator };
  }
  if (row.kind === 'message') {
    return { label: row.label, detail: row.detail, alwaysShow: true };
  }
  return {
    label: row.label,
    description: row.description,
    // The server ranks; the list must neither filter nor sort by what is typed.
    alwaysShow: true,
    uri: vscode.Uri.joinPath(folder, ...row.sourceId.split('/')),
    range: new vscode.Range(row.startLine - 1, 0, row.endLine - 1, 0),
  };
}

async function open(place: PickedPlace, preview: boolean): Promise<void> {
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
