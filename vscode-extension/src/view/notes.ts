/** Notes open like files and cannot be edited: `helix-note:` addresses, read from the server when one is opened. */
import * as vscode from 'vscode';
import { serverCommands } from '../base/protocol';
import type { Server } from '../server/server';

const scheme = 'helix-note';
/** The largest line number there is: the whole note. */
const lastLine = 10_000_000;

export const isNote = (sourceId: string): boolean => sourceId.startsWith(`${scheme}:`);

/** The folder whose memory holds the note is in the query: an address says everything that is needed to open it. */
export const noteUri = (folder: vscode.Uri, sourceId: string): vscode.Uri =>
  vscode.Uri.from({ scheme, path: sourceId.slice(scheme.length + 1), query: folder.toString() });

/** Nothing is requested before a note is opened. */
export const registerNotes = (server: Pick<Server, 'ask'>): vscode.Disposable =>
  vscode.workspace.registerTextDocumentContentProvider(scheme, {
    async provideTextDocumentContent(uri, token) {
      const asked = {
        source_id: `${scheme}:${uri.path}`,
        end_line: lastLine,
        ...(uri.query && { workspace: uri.query }),
      };
      return (await server.ask<{ readonly text: string }>(serverCommands.open, asked, token)).text;
    },
  });
