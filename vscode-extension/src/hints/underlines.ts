/** A dotted line below each hint: the editor draws a diagnostic of severity Hint as three dots that are easily missed. */
import * as vscode from 'vscode';

export class Underlines implements vscode.Disposable {
  private readonly line = vscode.window.createTextEditorDecorationType({
    textDecoration: 'underline dotted 1.5px var(--vscode-editorInfo-foreground); text-underline-offset: 3px',
    overviewRulerColor: new vscode.ThemeColor('editorInfo.foreground'),
    overviewRulerLane: vscode.OverviewRulerLane.Right,
  });
  private readonly parts: readonly { dispose(): unknown }[];

  constructor() {
    this.parts = [
      this.line,
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        const changed = new Set(uris.map(String));
        this.draw((editor) => changed.has(editor.document.uri.toString()));
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.draw(() => true);
      }),
    ];
    this.draw(() => true);
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private draw(isMeant: (editor: vscode.TextEditor) => boolean): void {
    for (const editor of vscode.window.visibleTextEditors.filter(isMeant)) {
      // Of a higher severity the editor draws its own line.
      const own = vscode.languages
        .getDiagnostics(editor.document.uri)
        .filter(({ source, severity }) => source === 'helix' && severity === vscode.DiagnosticSeverity.Hint);
      editor.setDecorations(
        this.line,
        own.map(({ range }) => range),
      );
    }
  }
}
