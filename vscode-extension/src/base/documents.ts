/** Texts of Helix that open like files and cannot be edited: explanations, findings, debug information. */
import * as vscode from 'vscode';

const scheme = 'helix';

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** By title, of which there are few; a preview reads them again after its document was closed. */
  private readonly texts = new Map<string, string>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(scheme, this),
  );
  readonly onDidChange = this.changes.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? '';
  }

  /** Opens `text` as a read-only Markdown document titled `title`; one that is open already is brought up to date. */
  async show(title: string, text: string, where: vscode.ViewColumn = vscode.ViewColumn.Active): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${title}.md` });
    this.texts.set(uri.path, text);
    this.changes.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: where });
  }

  /** Shows `text` rendered, beside the active editor, which keeps the focus. */
  async preview(title: string, text: string): Promise<void> {
    const before = vscode.window.activeTextEditor;
    const uri = vscode.Uri.from({ scheme, path: `/${title}.md` });
    this.texts.set(uri.path, text);
    this.changes.fire(uri);
    await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
    if (before) {
      await vscode.window.showTextDocument(before.document, {
        selection: before.selection,
        ...(before.viewColumn !== undefined && { viewColumn: before.viewColumn }),
      });
    }
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}
