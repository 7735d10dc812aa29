/**
 * Exports memories to a `.dna` file and imports one, asking for what a file needs. A passphrase is typed into a password
 * box, goes out in one request, and is kept nowhere: not in a setting, a log, a command line or a file.
 */
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { reasonOf } from '../base/logger';
import { serverCommands, type StrandClaims, type StrandExport, type StrandImport } from '../base/protocol';
import type { Server } from '../server/server';
import { shown } from '../view/shown';
import { count } from '../view/words';
import {
  changeLines,
  changesAnything,
  differenceWords,
  importedWords,
  keyWords,
  recipientsOf,
  secretOf,
  signerWords,
} from './strandWords';

const exportTitle = 'Helix: Export Memories';
const importTitle = 'Helix: Import Memories';
const filters = { 'Helix memories': ['dna'] };

/** Writes memories to a file that the user chooses, and shows its recovery code once. */
export async function exportMemories(server: Server, workspace: string): Promise<void> {
  const what = await vscode.window.showQuickPick(exports(), { title: exportTitle, placeHolder: 'Which memories?' });
  const file = what && (await chosenTarget(workspace));
  if (!file) return;
  const locks = await chosenLocks();
  if (!locks) return;
  const { share, scope, workspaces } = what;
  // The dialog has asked whether to replace a file that is there.
  const request = { ...locks, share, scope, workspaces, file: file.fsPath, force: true, workspace };
  const answer = await busy('Exporting memories…', () =>
    server.ask<StrandExport>(serverCommands.exportStrand, request),
  );
  if (answer.recovery_code) await showOnce(answer.recovery_code);
  const memories = count(answer.records.memory ?? 0, 'memory', 'memories');
  const said = `Exported ${memories} to ${path.basename(file.fsPath)}; it opens with ${answer.opens_with.join(', ')}.`;
  void vscode.window.showInformationMessage(said);
}

/** Takes in what a file holds, after showing who signed it and what would change; says whether it did. */
export async function importMemories(server: Server, workspace: string): Promise<boolean> {
  const [file] = (await vscode.window.showOpenDialog({ title: importTitle, filters, openLabel: 'Import' })) ?? [];
  if (!file) return false;
  const about = { file: file.fsPath };
  const verify = (): Promise<StrandClaims> => server.ask<StrandClaims>(serverCommands.verifyStrand, about);
  const found = await verify();
  const words = keyWords(found);
  if (words === undefined) {
    const mend = 'ask its sender to add yours (helix strand keys) with helix strand rekey';
    throw new Error(`${path.basename(file.fsPath)} is locked to keys of others; ${mend}`);
  }
  const signer = found.trust === 'none' ? await chosenTrust(server, found) : 'believed';
  if (!signer) return false;
  const claims = signer === 'accepted' ? await verify() : found;
  const believed = claims.trust !== 'none';
  const wanted = { ...about, review: !believed, workspace };
  const dryRun = (secret: object): Promise<StrandImport> =>
    server.ask<StrandImport>(serverCommands.importStrand, { ...wanted, ...secret, dry_run: true });
  const opened = words
    ? await opening(`${words}. ${signerWords(claims)}`, claims, dryRun)
    : { secret: {}, preview: await dryRun({}) };
  if (!opened) return false;
  if (!changesAnything(opened.preview)) {
    void vscode.window.showInformationMessage(`Nothing to import: ${differenceWords(opened.preview)}.`);
    return false;
  }
  const review = await chosenWay(opened.preview, believed);
  if (review === undefined) return false;
  const request = { ...wanted, ...opened.secret, review };
  const answer = await busy('Importing memories…', () =>
    server.ask<StrandImport>(serverCommands.importStrand, request),
  );
  void vscode.window.showInformationMessage(importedWords(answer));
  return true;
}

function exports(): (vscode.QuickPickItem & { share: boolean; scope: 'all' | 'workspace'; workspaces: string[] })[] {
  return [
    {
      label: 'All Memories',
      detail: 'Of every folder, with their history: a backup of your own',
      share: false,
      scope: 'all',
      workspaces: ['all'],
    },
    {
      label: 'Memories of This Folder',
      detail: 'And those for all, with their history',
      share: false,
      scope: 'all',
      workspaces: [],
    },
    {
      label: 'To Share',
      detail: 'Of this folder and those for all: in force, nothing private',
      share: true,
      scope: 'all',
      workspaces: [],
    },
    {
      label: 'To Share, of This Folder Only',
      detail: 'In force, nothing private',
      share: true,
      scope: 'workspace',
      workspaces: [],
    },
  ];
}

function chosenTarget(workspace: string): Thenable<vscode.Uri | undefined> {
  const name = `${path.posix.basename(vscode.Uri.parse(workspace).path) || 'memories'}.dna`;
  const defaultUri = vscode.Uri.file(path.join(os.homedir(), name));
  return vscode.window.showSaveDialog({ title: exportTitle, defaultUri, filters, saveLabel: 'Export' });
}

/** Who opens the file, as members of the request; undefined where no recipient is chosen, or a box was closed. */
async function chosenLocks(): Promise<object | undefined> {
  const rows = [
    { label: 'Passphrase', detail: 'Typed twice; there is no way back without it', picked: true },
    { label: 'Recovery Code', detail: 'Made by Helix and shown once, to be written down' },
    { label: 'Recipients', detail: 'The dna-recipient: keys of others, who need no passphrase' },
  ];
  const options = {
    title: exportTitle,
    placeHolder: 'What opens the file?',
    canPickMany: true,
    ignoreFocusOut: true,
  } as const;
  const chosen = (await vscode.window.showQuickPick(rows, options))?.map(({ label }) => label) ?? [];
  if (chosen.length === 0) return undefined;
  let locks: object = { recovery: chosen.includes('Recovery Code') };
  if (chosen.includes('Recipients')) {
    const typed = await vscode.window.showInputBox({
      title: exportTitle,
      prompt: 'Recipients: one key or more, separated by blanks.',
      ignoreFocusOut: true,
      validateInput: (text) => recipientsOf(text).problem,
    });
    if (typed === undefined) return undefined;
    locks = { ...locks, recipients: recipientsOf(typed).keys };
  }
  if (!chosen.includes('Passphrase')) return locks;
  const passphrase = await passwordBox(exportTitle, 'Passphrase', (typed) => Promise.resolve(typed));
  if (passphrase === undefined) return undefined;
  const again = await passwordBox(exportTitle, 'The same passphrase again', (typed) => {
    if (typed !== passphrase)
      throw new Error('This differs from what was typed first. Type it again, or press Escape.');
    return Promise.resolve(typed);
  });
  return again === undefined ? undefined : { ...locks, passphrase };
}

/** Asks about a signer who is not accepted; undefined where the question was closed. */
async function chosenTrust(server: Server, claims: StrandClaims): Promise<'accepted' | 'reviewed' | undefined> {
  const review = { label: 'Take the Memories as Proposals', detail: 'You approve or reject each of them' };
  const trust = {
    label: 'Trust This Signer From Now On…',
    description: 'compare the key with its owner first',
    detail: claims.signer,
  };
  const placeHolder = 'Signed by a key that you have not accepted';
  const options = { title: importTitle, placeHolder, ignoreFocusOut: true };
  const chosen = await vscode.window.showQuickPick([review, trust], options);
  if (chosen !== trust) return chosen && 'reviewed';
  const prompt = `Your own name for ${claims.signer}. The key identifies the signer, the name does not.`;
  const label = await vscode.window.showInputBox({ title: importTitle, prompt, ignoreFocusOut: true });
  if (label === undefined) return undefined;
  await server.ask(serverCommands.trustSigner, { signer: claims.signer, label });
  return 'accepted';
}

interface Opened {
  readonly secret: object;
  readonly preview: StrandImport;
}

/** Asks until a secret opens the file; every other refusal ends the import with its own sentence. */
async function opening(
  prompt: string,
  claims: StrandClaims,
  dryRun: (secret: object) => Promise<StrandImport>,
): Promise<Opened | undefined> {
  let refused: Error | undefined;
  const opened = await passwordBox<Opened | undefined>(importTitle, prompt, async (typed) => {
    const secret = secretOf(typed, claims);
    try {
      return { secret, preview: await dryRun(secret) };
    } catch (error) {
      if (isLocked(error)) throw new Error(wrongSecret, { cause: error });
      if ('recovery_code' in secret && isMistyped(error)) throw error;
      refused = error instanceof Error ? error : new Error(reasonOf(error));
      return undefined;
    }
  });
  if (refused !== undefined) throw refused;
  return opened;
}

const invalidParams = -32602;
const wrongSecret = 'This does not open the file. Type it again, or ask whoever made the file.';

function isLocked(error: unknown): boolean {
  return (error as { data?: { refused?: string } }).data?.refused === 'locked';
}

function isMistyped(error: unknown): boolean {
  return (error as { code?: number }).code === invalidParams;
}

/** Shows what would change, and asks for it; whether for review, or undefined for not at all. */
async function chosenWay(preview: StrandImport, believed: boolean): Promise<boolean | undefined> {
  const now = { label: 'Import', detail: differenceWords(preview), way: false };
  const review = {
    label: 'Import as Proposals',
    detail: `${differenceWords(preview)}; you approve or reject each`,
    way: true,
  };
  const cancel = { label: 'Cancel', detail: 'Nothing changes', way: undefined };
  const separator = { label: 'What would change', kind: vscode.QuickPickItemKind.Separator, way: undefined };
  const lines = changeLines(preview).map((label) => ({ label, way: undefined }));
  const rows = [...(believed ? [now] : []), review, cancel, separator, ...lines];
  const options = { title: importTitle, placeHolder: differenceWords(preview), ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(rows, options))?.way;
}

/** The code is in this dialog alone: a notification would keep it in the notification center. */
async function showOnce(code: string): Promise<void> {
  const copy = 'Copy Code';
  const detail = `${code}\n\nIt opens the file without the passphrase. Write it down now: it is not shown again.`;
  const chosen = await vscode.window.showInformationMessage('Recovery Code', { modal: true, detail }, copy);
  if (chosen === copy) await vscode.env.clipboard.writeText(code);
}

function busy<T>(title: string, act: () => Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, act);
}

/** A password box that stays open until `accept` takes what was typed: what it throws is shown below. */
function passwordBox<T>(title: string, prompt: string, accept: (typed: string) => Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const box = vscode.window.createInputBox();
    const take = async (): Promise<void> => {
      if (!box.value || box.busy) return;
      box.busy = true;
      try {
        resolve(await accept(box.value));
        box.hide();
      } catch (error) {
        box.validationMessage = shown(reasonOf(error));
      } finally {
        box.busy = false;
      }
    };
    box.title = title;
    box.prompt = prompt;
    box.password = true;
    box.ignoreFocusOut = true;
    box.onDidChangeValue(() => {
      box.validationMessage = undefined;
    });
    box.onDidAccept(() => void take());
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}
