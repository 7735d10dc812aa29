/** Refresh, rebuild, pause and resume: of every folder in the window. Progress is the server's to show. */
import * as vscode from 'vscode';
import { serverCommands, type IndexReport } from '../base/protocol';
import { count } from '../view/words';
import type { CommandNeeds } from './needs';

const shownMs = 5000;

export async function refreshIndex(needs: CommandNeeds): Promise<void> {
  tellDone(await onEachFolder<IndexReport>(needs, serverCommands.refreshIndex));
}

export async function rebuildIndex(needs: CommandNeeds): Promise<void> {
  tellDone(await onEachFolder<IndexReport>(needs, serverCommands.rebuildIndex));
}

export async function pauseIndexing(needs: CommandNeeds): Promise<void> {
  await onEachFolder(needs, serverCommands.pauseIndex);
}

export async function resumeIndexing(needs: CommandNeeds): Promise<void> {
  await onEachFolder(needs, serverCommands.resumeIndex);
}

async function onEachFolder<T>(needs: CommandNeeds, command: string): Promise<T[]> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
  return Promise.all(folders.map((folder) => needs.server.ask<T>(command, { workspace: folder.uri.toString() })));
}

function tellDone(reports: readonly IndexReport[]): void {
  const total = (of: (report: IndexReport) => number): number => reports.reduce((sum, report) => sum + of(report), 0);
  const seconds = (Math.max(0, ...reports.map((report) => report.elapsed_ms)) / 1000).toFixed(1);
  const changed = total((report) => report.added + report.changed + report.removed);
  vscode.window.setStatusBarMessage(
    `Helix: ${count(
      total((report) => report.files),
      'file',
    )}, ${changed} of them new, changed or gone (${seconds} s)`,
    shownMs,
  );
}
