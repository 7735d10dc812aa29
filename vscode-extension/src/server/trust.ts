/** When a workspace becomes trusted, what was withheld from it is given, without a reload. */
import * as vscode from 'vscode';
import type { Server } from './server';

export function restartOnTrust(server: Server): vscode.Disposable {
  return vscode.workspace.onDidGrantWorkspaceTrust(() => {
    void server.restart('the workspace is trusted now');
  });
}
