/** Texts of Helix that are shown rendered and cannot be edited: findings, debug information, why a memory is believed. */
import * as vscode from 'vscode';

/** A page of the editor's own looks: no script runs in it, and nothing is loaded. */
const head =
  '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" ' +
  "content=\"default-src 'none'; base-uri 'none'; form-action 'none'\"></head><body>";

export class Documents implements vscode.Disposable {
  /** By title, of which there are few. */
  private readonly panels = new Map<string, vscode.WebviewPanel>();

  /** Shows Markdown next to the active editor; the focus stays where it is. */
  async preview(title: string, markdown: string): Promise<void> {
    const body = await vscode.commands.executeCommand<string>('markdown.api.render', markdown);
    const panel = this.panels.get(title) ?? this.open(title);
    panel.webview.html = `${head}${body}</body></html>`;
    panel.reveal(undefined, true);
  }

  dispose(): void {
    for (const panel of [...this.panels.values()]) panel.dispose();
  }

  private open(title: string): vscode.WebviewPanel {
    const viewColumn = vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const panel = vscode.window.createWebviewPanel(
      'helix.document',
      title,
      { viewColumn, preserveFocus: true },
      { enableFindWidget: true, enableScripts: false, localResourceRoots: [] },
    );
    panel.onDidDispose(() => this.panels.delete(title));
    this.panels.set(title, panel);
    return panel;
  }
}
