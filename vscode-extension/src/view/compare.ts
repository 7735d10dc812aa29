/** Shows a quote as it was next to the file as it is: the file with the quote in the place of its lines, in a diff. */

import * as vscode from 'vscode';
import type { LineSpan } from '../base/protocol';
import { asItWas } from './asItWas';
import { lineEnd } from './shown';

const scheme = 'helix-then';

export class Comparer implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  private serial = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.query) ?? '';
  }

  /** Rejects where the file cannot be read, with what the editor says about it. */
  async compare(uri: vscode.Uri, span: LineSpan, quote: readonly string[]): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    this.serial += 1;
    const id = `${this.serial}`;
    // Only the newest is looked at.
    this.texts.clear();
    this.texts.set(id, asItWas(document.getText().split(lineEnd), span, quote).join('\n'));
    const then = vscode.Uri.from({ scheme, path: uri.path, query: id });
    const name = uri.path.split('/').at(-1) ?? '';
    const line = Math.max(Math.min(span.start_line, document.lineCount) - 1, 0);
    const selection = new vscode.Range(line, 0, line, 0);
    await vscode.commands.executeCommand('vscode.diff', then, uri, `${name}: then ↔ now`, { selection, preview: true });
  }

  dispose(): void {
    this.registration.dispose();
    this.texts.clear();
  }
}
