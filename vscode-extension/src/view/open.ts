/** Opens a pointer at its exact lines: the caret before them, scrolled to, highlighted for a moment. Never edits. */

import * as vscode from 'vscode';
import type { LineSpan } from '../base/protocol';
import { locate } from './locate';
import { lineEnd, linesOf } from './shown';

const litForMs = 1_600;

export interface OpenRequest {
  readonly uri: vscode.Uri;
  readonly span: LineSpan;
  /** What stood there on disk: finds the lines in a buffer with unsaved edits. Empty: the span is taken as it is. */
  readonly quote: string;
  /** The span is already the buffer's own. */
  readonly inBuffer: boolean;
  readonly keepFocus: boolean;
}

export class Opener implements vscode.Disposable {
  private readonly light = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    borderColor: new vscode.ThemeColor('editor.rangeHighlightBorder'),
    overviewRulerColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
  });
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Rejects where the file cannot be opened, with what the editor says about it. */
  async open(request: OpenRequest): Promise<void> {
    const document = await vscode.workspace.openTextDocument(request.uri);
    const span = document.isDirty && !request.inBuffer ? moved(document, request) : request.span;
    const range = rangeOf(document, span);
    // Nothing is selected: the next key typed would replace it.
    const caret = new vscode.Range(range.start, range.start);
    const editor = await vscode.window.showTextDocument(document, {
      selection: caret,
      preserveFocus: request.keepFocus,
      preview: true,
      ...visibleColumn(request.uri),
    });
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.lightUp(editor, range);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.light.dispose();
  }

  private lightUp(editor: vscode.TextEditor, range: vscode.Range): void {
    clearTimeout(this.timer);
    for (const visible of vscode.window.visibleTextEditors) visible.setDecorations(this.light, []);
    editor.setDecorations(this.light, [range]);
    this.timer = setTimeout(() => {
      for (const visible of vscode.window.visibleTextEditors) visible.setDecorations(this.light, []);
    }, litForMs);
  }
}

function moved(document: vscode.TextDocument, { span, quote }: OpenRequest): LineSpan {
  return locate(document.getText().split(lineEnd), span, linesOf(quote));
}

/** From the first character of the span to the last that is not blank; a document that is shorter by now ends it. */
function rangeOf(document: vscode.TextDocument, span: LineSpan): vscode.Range {
  const last = document.lineCount - 1;
  const start = Math.min(Math.max(span.start_line - 1, 0), last);
  let end = Math.min(Math.max(span.end_line - 1, start), last);
  while (end > start && document.lineAt(end).isEmptyOrWhitespace) end -= 1;
  return new vscode.Range(start, 0, end, document.lineAt(end).text.length);
}

/** Where the file is already looked at, it is not opened a second time. */
function visibleColumn(uri: vscode.Uri): Pick<vscode.TextDocumentShowOptions, 'viewColumn'> {
  const editor = vscode.window.visibleTextEditors.find((one) => one.document.uri.toString() === uri.toString());
  return editor?.viewColumn === undefined ? {} : { viewColumn: editor.viewColumn };
}
