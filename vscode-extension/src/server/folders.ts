/** The server runs for folders: it starts with the first one, and what it reported of a removed one is dropped. */
import * as vscode from 'vscode';
import type { Server } from './server';

export function startForFolders(server: Server): vscode.Disposable {
  const start = (): void => {
    if (server.state.kind === 'stopped' && (vscode.workspace.workspaceFolders ?? []).length > 0) {
      void server.restart('a folder is open');
    }
  };
  start();
  return vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
    removed.forEach((folder) => {
      server.forget(folder.uri);
    });
    start();
  });
}
