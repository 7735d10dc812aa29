/** The webview of the packet view: makes its page, and exchanges messages with it while there is one. */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { pageHtml } from './html';
import type { FromPage, ToPage } from './messages';

export class PageLink implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private listening = false;
  private readonly heard = new vscode.EventEmitter<FromPage>();
  /** What the user does on the page; `ready` whenever a page has been made. */
  readonly onMessage = this.heard.event;

  constructor(private readonly extension: vscode.Uri) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.listening = false;
    const dist = vscode.Uri.joinPath(this.extension, 'dist');
    const media = vscode.Uri.joinPath(this.extension, 'media', 'view');
    view.webview.options = { enableScripts: true, localResourceRoots: [dist, media] };
    view.webview.onDidReceiveMessage((message: FromPage) => {
      if (message.type === 'ready') this.listening = true;
      this.heard.fire(message);
    });
    // A hidden page is gone; it is made again, and says `ready` again, when it is looked at.
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.listening = false;
    });
    view.onDidDispose(() => {
      if (this.view === view) this.view = undefined;
    });
    view.webview.html = pageHtml({
      title: 'Context Packet',
      script: view.webview.asWebviewUri(vscode.Uri.joinPath(dist, 'view.js')).toString(),
      style: view.webview.asWebviewUri(vscode.Uri.joinPath(media, 'view.css')).toString(),
      cspSource: view.webview.cspSource,
      nonce: randomBytes(18).toString('base64url'),
    });
  }

  /** Is there a page that receives messages? */
  get hasPage(): boolean {
    return this.view !== undefined && this.listening;
  }

  /** Says it to the page, if there is one. A page that is made later asks for everything with `ready`. */
  tell(message: ToPage): void {
    void this.view?.webview.postMessage(message);
  }

  /** Brings the view to the front, making it if it was never there; the focus comes with it unless it is to stay. */
  async reveal(preserveFocus = false): Promise<void> {
    if (this.view === undefined) await vscode.commands.executeCommand('helix.packet.focus', { preserveFocus });
    else this.view.show(preserveFocus);
  }

  dispose(): void {
    this.heard.dispose();
  }
}
