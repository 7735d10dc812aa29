/** What every in-host test needs: the extension, the workspace's files, and patience. */
import * as vscode from 'vscode';

import { until } from '../driver/until';

export interface HostTest {
  title: string;
  play(): Promise<void> | void;
}

export const test = (title: string, play: () => Promise<void> | void): HostTest => ({ title, play });

export const EXTENSION = 'helix-context.helix-context';

export function helix(): vscode.Extension<unknown> {
  const extension = vscode.extensions.getExtension(EXTENSION);
  if (extension === undefined) throw new Error(`${EXTENSION} is not there`);
  return extension;
}

export function workspaceFile(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) throw new Error('the window has no folder');
  return vscode.Uri.joinPath(folder.uri, name);
}

export async function opened(name: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(workspaceFile(name)));
}

/** The first place of `text` in a document. */
export function placeOf(document: vscode.TextDocument, text: string, within = ''): vscode.Position {
  const from = within === '' ? 0 : document.getText().indexOf(within);
  const at = document.getText().indexOf(text, from);
  if (at < 0) throw new Error(`${document.uri.path} does not contain ${text}`);
  return document.positionAt(at + 1);
}

/** The text of all hovers at a place, empty when there is none. */
export async function hoverText(uri: vscode.Uri, place: vscode.Position): Promise<string> {
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', uri, place);
  return hovers
    .flatMap((hover) => hover.contents)
    .map((content) => (content instanceof vscode.MarkdownString ? content.value : ''))
    .join('\n');
}

/** A server command of Helix, as the language client registers it; waits for the server to be there. */
export async function ask<T>(command: string, argument: Record<string, unknown> = {}): Promise<T> {
  const registered = async (): Promise<boolean> => (await vscode.commands.getCommands(true)).includes(command);
  await until(`${command} is registered`, registered, { withinMs: 30_000 });
  return vscode.commands.executeCommand<T>(command, argument);
}

export interface Live {
  state: string;
  files: number;
  server: { pid: number; version: string; mode: string };
}

export async function live(): Promise<Live> {
  return (await ask<{ live: Live }>('helix.status')).live;
}

export const fresh = (withinMs = 30_000): Promise<Live> =>
  until(
    'the index is fresh',
    async () => {
      const now = await live();
      return now.state === 'fresh' ? now : undefined;
    },
    { withinMs },
  );
