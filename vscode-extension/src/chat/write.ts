/** Writes the parts of an answer into the editor's chat. */
import * as vscode from 'vscode';
import { isNote, noteUri } from '../view/notes';
import type { ChatPart, FilePlace } from './parts';

/** `folder` is the workspace folder the places are in. */
export function write(stream: vscode.ChatResponseStream, parts: readonly ChatPart[], folder: vscode.Uri): void {
  const referenced = new Set<string>();
  for (const part of parts) {
    switch (part.kind) {
      case 'text':
        stream.markdown(part.text);
        break;
      case 'place': {
        const location = locationOf(folder, part.place);
        const { source_id, start_line, end_line } = part.place;
        const title = `${source_id}:${start_line}`;
        stream.anchor(location, title);
        if (end_line > start_line) {
          stream.markdown(`–${end_line}`);
        }
        if (!referenced.has(title)) {
          referenced.add(title);
          stream.reference(location);
        }
        break;
      }
      case 'button': {
        const { title, command, arguments: given } = part.button;
        stream.button({ title, command, ...(given && { arguments: [...given] }) });
        break;
      }
    }
  }
}

/** Where a place begins: the editor selects a range that it opens, and the next key typed would replace it. */
function locationOf(folder: vscode.Uri, { source_id, start_line }: FilePlace): vscode.Location {
  const uri = isNote(source_id) ? noteUri(folder, source_id) : vscode.Uri.joinPath(folder, ...source_id.split('/'));
  return new vscode.Location(uri, new vscode.Position(start_line - 1, 0));
}
