/** The input boxes in which the user states what to remember, and says which lines it is about. */
import * as vscode from 'vscode';
import { reasonOf } from '../base/logger';
import { serverCommands, type CitedLines, type RememberAnswer, type RememberRequest } from '../base/protocol';
import type { Server } from '../server/server';
import { shown } from '../view/shown';
import { count } from '../view/words';
import { citeOf, kindChoices, kindWords, placeOf, selectedLines } from './memoryList';

/** What was typed, and what the server would make of it. */
export interface Statement {
  readonly text: string;
  readonly preview: RememberAnswer;
}

interface BoxWords {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string;
}

/**
 * Asks for a statement until the server would keep it by `command`: what it refuses, it says in its own words below the box, which
 * stays open. Resolves to undefined where the box was closed.
 */
export function statementFor(
  server: Pick<Server, 'askUntil'>,
  command: string,
  wanted: object,
  { title, prompt, value = '' }: BoxWords,
): Promise<Statement | undefined> {
  return new Promise((resolve) => {
    const box = vscode.window.createInputBox();
    const closed = new AbortController();
    const keep = async (): Promise<void> => {
      const text = box.value.trim();
      if (!text || box.busy) return;
      box.busy = true;
      try {
        const request = { ...wanted, text, dry_run: true };
        const preview = await server.askUntil<RememberAnswer>(closed.signal, command, request);
        resolve({ text, preview });
        box.hide();
      } catch (error) {
        if (closed.signal.aborted) return;
        box.busy = false;
        box.validationMessage = reasonOf(error);
      }
    };
    box.title = title;
    box.prompt = prompt;
    box.value = value;
    box.ignoreFocusOut = true;
    box.onDidChangeValue(() => {
      box.validationMessage = undefined;
    });
    box.onDidAccept(() => void keep());
    box.onDidHide(() => {
      closed.abort();
      box.dispose();
      resolve(undefined);
    });
    box.show();
  });
}

/** Asks what to remember about the selection, and of which kind it is, and keeps it. */
export async function rememberSelection(server: Server, folder: vscode.Uri | undefined): Promise<void> {
  const place = await selectedPlace();
  const workspace = (place?.folder ?? folder)?.toString();
  if (!workspace) {
    void vscode.window.showInformationMessage('Open a folder first: a memory belongs to a workspace.');
    return;
  }
  const cites = place ? [place.cite] : [];
  const wanted = { cites, origin: 'user', workspace } as const;
  const title = 'Helix: Remember Selection';
  const about = place ? `It will cite ${shown(place.cite)}.` : 'Nothing is selected, so it will cite no code.';
  const prompt = `One statement: what is so here, and why. ${about}`;
  const said = await statementFor(server, serverCommands.remember, wanted, { title, prompt });
  const read = said?.preview.items[0]?.kind;
  const kind = read && (await chosenKind(read));
  if (!kind) return;
  const request = { ...wanted, text: said.text, kind } satisfies RememberRequest;
  tellKept(await server.ask<RememberAnswer>(serverCommands.remember, request));
}

/**
 * Shows cited lines that changed and asks which the statement is about now: the citation of what is selected then, none,
 * or undefined where the question was closed.
 */
export async function linesCitedNow(uri: vscode.Uri, place: CitedLines, text: string): Promise<string[] | undefined> {
  const document = await vscode.workspace.openTextDocument(uri);
  const last = Math.min(place.end_line, document.lineCount) - 1;
  const first = Math.min(place.start_line - 1, last);
  const selection = new vscode.Range(first, 0, last, document.lineAt(last).text.length);
  const editor = await vscode.window.showTextDocument(document, { selection });
  editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  const [these, none] = ['Cite the Selection', 'Cite Nothing Here'];
  const question = `“${text}” cites ${placeOf(place)}, which changed. Select the lines that it is about now.`;
  const answer = await vscode.window.showInformationMessage(question, these, none);
  if (answer === undefined) return undefined;
  return answer === these ? [citeOf(place.source_id, selectedLines(editor.selection))] : [];
}

interface SelectedPlace {
  readonly folder: vscode.Uri;
  readonly cite: string;
}

/** The selection of the active editor as a citation; undefined where nothing of a workspace file is selected. */
async function selectedPlace(): Promise<SelectedPlace | undefined> {
  const editor = vscode.window.activeTextEditor;
  const folder = editor && vscode.workspace.getWorkspaceFolder(editor.document.uri);
  if (!folder || editor.selection.isEmpty || editor.document.uri.scheme !== 'file') return undefined;
  if (editor.document.isDirty) {
    // A citation is of the lines on disk.
    const save = 'Save and Remember';
    const question = 'The file has unsaved changes, and a memory cites lines as they are on disk.';
    if ((await vscode.window.showWarningMessage(question, { modal: true }, save)) !== save) {
      throw new vscode.CancellationError();
    }
    await editor.document.save();
  }
  const sourceId = editor.document.uri.path.slice(folder.uri.path.replace(/\/$/, '').length + 1);
  return { folder: folder.uri, cite: citeOf(sourceId, selectedLines(editor.selection)) };
}

async function chosenKind(read: string): Promise<string | undefined> {
  const rows = kindChoices(read).map((name) => {
    const { one, icon, meaning } = kindWords(name);
    return { label: `$(${icon}) ${one}`, description: name === read ? `${meaning} (as it reads)` : meaning, name };
  });
  const title = 'Helix: What Kind of Memory Is It?';
  return (await vscode.window.showQuickPick(rows, { title, ignoreFocusOut: true }))?.name;
}

/** Says what became of it where that is more than what was asked for. */
function tellKept({ items, redactions }: RememberAnswer): void {
  const [item] = items;
  if (!item) return;
  const text = `“${shown(item.text)}”`;
  const masked = redactions.reduce((sum, one) => sum + one.count, 0);
  const replaced = item.links.filter(({ relation }) => relation === 'supersedes').map((one) => `“${shown(one.text)}”`);
  const rivals = item.links
    .filter(({ relation }) => relation === 'conflicts_with')
    .map((one) => `“${shown(one.text)}”`);
  const notes = [
    ...(masked > 0 ? [`${count(masked, 'secret')} masked.`] : []),
    ...(item.is_new ? [] : ['It was known; this is one more who says so.']),
    ...(replaced.length > 0 ? [`It supersedes ${replaced.join(', ')}.`] : []),
    ...(rivals.length > 0 ? [`It contradicts ${rivals.join(', ')}.`] : []),
    ...(item.status === 'quarantined' ? [`It waits for review${item.why ? `: ${item.why}` : ''}.`] : []),
  ];
  if (notes.length > 0) void vscode.window.showInformationMessage(`Remembered: ${text} ${notes.join(' ')}`);
  else vscode.window.setStatusBarMessage('Helix: remembered', 5_000);
}
