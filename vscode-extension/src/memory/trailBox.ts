/** “Where Was I?”: a list of the places opened last, with marks that follow the disk while it is open; and its end. */
import * as vscode from 'vscode';
import { reasonOf, type Logger } from '../base/logger';
import { isLevel, serverCommands, type TrailAnswer, type TrailForgotten, type TrailPlace } from '../base/protocol';
import { recordTrail, showNoTrailOnOpen, showsTrailOnOpen } from '../base/settings';
import type { Server } from '../server/server';
import { Opener } from '../view/open';
import { isWholeFile, openingText, trailRows, type TrailRow } from './trailRows';

interface Row extends vscode.QuickPickItem {
  readonly row: TrailRow;
}

type Choice = TrailPlace | 'record' | undefined;

const mostPlaces = 10;
/** Milliseconds between two questions for the marks of an open list. */
const pollMs = 2_000;
const title = 'Helix: Where Was I?';
const record = 'Turn On Recording';
const showPlaces = 'Show Places';
const notAgain = 'Don’t Show Again';

export class TrailBox implements vscode.Disposable {
  private readonly opener = new Opener();
  private readonly began = Date.now() / 1000;
  /** The folders that have said where one was, since they were opened. */
  private readonly greeted = new Set<string>();
  private readonly parts: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly logger: Logger,
  ) {
    this.parts = [
      server.onStatus(({ uri, state }) => {
        if (isLevel(state)) void this.greet(uri);
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => void this.showed(editor)),
      vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
        for (const { uri } of removed) this.greeted.delete(uri.toString());
      }),
    ];
  }

  /** Lists the places and opens the one that is chosen; asks for consent where nothing was ever recorded. */
  async show(workspace: string | undefined): Promise<void> {
    if (!workspace) return;
    const answer = await this.ask(workspace);
    const isEmpty = !answer.recording && answer.last.length === 0;
    const chosen = isEmpty ? await consent() : await this.choose(workspace, answer);
    if (chosen === 'record') await turnOn();
    else if (chosen) await this.open(workspace, chosen);
  }

  /** Removes what was recorded of every folder of the window. */
  async forget(): Promise<void> {
    const forget = 'Forget';
    const detail = 'The record of the files that were opened here is removed, every byte of it. This cannot be undone.';
    const chosen = await vscode.window.showWarningMessage(
      'Forget the trail of this workspace?',
      { modal: true, detail },
      forget,
    );
    if (chosen !== forget) return;
    const folders = vscode.workspace.workspaceFolders ?? [];
    const answers = await Promise.all(
      folders.map(({ uri }) =>
        this.server.ask<TrailForgotten>(serverCommands.forgetTrail, { workspace: uri.toString() }),
      ),
    );
    const wasThere = answers.some(({ forgotten }) => forgotten);
    void vscode.window.showInformationMessage(
      wasThere ? 'Helix: the trail was removed.' : 'Helix: there was no trail.',
    );
  }

  dispose(): void {
    this.opener.dispose();
    for (const part of this.parts) part.dispose();
  }

  /** A document may stay open where no editor shows it, so that its second opening opens nothing. */
  private async showed(editor: vscode.TextEditor | undefined): Promise<void> {
    if (editor?.document.uri.scheme !== 'file') return;
    try {
      await this.server.showed(editor.document.uri.toString());
    } catch (error) {
      this.logger.error('The server was not told which file is shown', error);
    }
  }

  /** Says once where one was in a folder that was opened: a notification, which takes no focus. */
  private async greet(workspace: string): Promise<void> {
    if (this.greeted.has(workspace)) return;
    this.greeted.add(workspace);
    if (!showsTrailOnOpen()) return;
    try {
      const text = openingText(await this.ask(workspace), this.began, Date.now() / 1000);
      if (text === undefined) return;
      const chosen = await vscode.window.showInformationMessage(text, showPlaces, notAgain);
      if (chosen === showPlaces) await this.show(workspace);
      if (chosen === notAgain) await showNoTrailOnOpen();
    } catch (error) {
      this.logger.error('The trail could not be read', error);
    }
  }

  private ask(workspace: string): Promise<TrailAnswer> {
    return this.server.ask<TrailAnswer>(serverCommands.resumeTrail, { k: mostPlaces, workspace });
  }

  private choose(workspace: string, first: TrailAnswer): Promise<Choice> {
    return new Promise((resolve) => {
      const list = vscode.window.createQuickPick<Row>();
      let rows = '';
      const show = (answer: TrailAnswer): void => {
        const items = trailRows(answer, Date.now() / 1000).map(itemOf);
        // A list that is drawn again loses the active row.
        if (JSON.stringify(items) === rows) return;
        rows = JSON.stringify(items);
        const before = list.activeItems[0]?.row;
        list.items = items;
        const same = before && items.find(({ row }) => isSame(row, before));
        if (same) list.activeItems = [same];
      };
      let isOpen = true;
      const follow = async (): Promise<void> => {
        try {
          const answer = await this.ask(workspace);
          if (isOpen) show(answer);
          list.title = title;
        } catch (error) {
          this.logger.error('The trail could not be read', error);
          list.title = `Helix: ${reasonOf(error)}`;
        }
        // One question at a time, however slow the answers are.
        if (isOpen) timer = setTimeout(() => void follow(), pollMs);
      };
      let timer = setTimeout(() => void follow(), pollMs);
      list.title = title;
      list.placeholder = 'The places that you opened last, as they are now';
      list.matchOnDescription = true;
      list.onDidAccept(() => {
        const row = list.activeItems[0]?.row;
        if (row?.kind === 'place') resolve(row.place);
        if (row?.kind === 'consent') resolve('record');
        list.hide();
      });
      list.onDidHide(() => {
        isOpen = false;
        clearTimeout(timer);
        list.dispose();
        resolve(undefined);
      });
      show(first);
      list.show();
    });
  }

  private async open(workspace: string, place: TrailPlace): Promise<void> {
    const uri = vscode.Uri.joinPath(vscode.Uri.parse(workspace), ...place.source_id.split('/'));
    if (isWholeFile(place)) await vscode.window.showTextDocument(uri);
    else await this.opener.open({ uri, span: place, quote: '', inBuffer: true, keepFocus: false });
  }
}

async function consent(): Promise<Choice> {
  const chosen = await vscode.window.showInformationMessage(
    'Helix can list where you were, once it records which files you open: on this machine only, never their text.',
    record,
  );
  return chosen === record ? 'record' : undefined;
}

async function turnOn(): Promise<void> {
  await recordTrail();
  void vscode.window.setStatusBarMessage('Helix: the files you open are recorded from now on', 5_000);
}

function isSame(one: TrailRow, other: TrailRow): boolean {
  if (one.kind !== 'place' || other.kind !== 'place') return one.kind === other.kind && one.label === other.label;
  const [{ place: a }, { place: b }] = [one, other];
  return a.source_id === b.source_id && a.symbol === b.symbol && a.at === b.at;
}

function itemOf(row: TrailRow): Row {
  if (row.kind === 'separator') return { label: row.label, kind: vscode.QuickPickItemKind.Separator, row };
  if (row.kind !== 'place') return { label: row.label, alwaysShow: true, row };
  return { label: row.label, description: row.description, ...(row.detail && { detail: row.detail }), row };
}
