/** The dashboard in an editor tab: the same page that a browser shows. It asks this extension, which asks the proxy. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { reasonOf, type Logger } from '../base/logger';
import { serverCommands } from '../base/protocol';
import { proxySettings } from '../base/settings';
import { ask, bodyOf } from '../proxy/http';
import type { ProxyAnswer, ProxyRequest } from '../proxy/protocol';
import { endpointOf, type Endpoint } from '../proxy/state';
import type { Server } from '../server/server';
import { pageHtml } from '../view/html';
import { questionOf, type PageQuestion, type PageRequest } from './routes';

const answersWithinMs = 60_000;

export class DashboardPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private folder: vscode.Uri | undefined;
  /** Names the page in the tab: requests and replies of another page are not this one's. */
  private page = '';

  constructor(
    private readonly server: Server,
    private readonly extension: vscode.Uri,
    private readonly logger: Logger,
  ) {}

  /** Shows the dashboard of a folder, in the tab that is there already. Rejects where it cannot be read. */
  async show(folder: string | undefined): Promise<void> {
    const shown = folder === undefined ? undefined : vscode.Uri.parse(folder);
    await this.endpoint(shown);
    const isOther = shown?.toString() !== this.folder?.toString();
    this.folder = shown;
    if (this.panel === undefined) {
      this.panel = this.made();
    } else {
      this.panel.reveal();
      if (isOther) {
        this.panel.webview.html = this.html(this.panel.webview);
      }
    }
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private made(): vscode.WebviewPanel {
    const dist = vscode.Uri.joinPath(this.extension, 'dist');
    const panel = vscode.window.createWebviewPanel('helix.dashboard', 'Helix Dashboard', vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [dist],
    });
    panel.iconPath = vscode.Uri.joinPath(this.extension, 'media', 'helix.svg');
    panel.webview.onDidReceiveMessage((message: unknown) => {
      const { page, folder } = this;
      const question = questionOf(message, { page, folder: folder?.fsPath });
      if (question) {
        void this.reply(panel.webview, question, page, folder);
      }
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    panel.webview.html = this.html(panel.webview);
    return panel;
  }

  private html(webview: vscode.Webview): string {
    const file = (name: string): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(this.extension, 'dist', name)).toString();
    this.page = randomBytes(12).toString('base64url');
    return pageHtml({
      title: 'Helix Dashboard',
      script: file('dashboard.js'),
      style: file('dashboard.css'),
      cspSource: webview.cspSource,
      nonce: randomBytes(18).toString('base64url'),
      page: this.page,
      isModule: true,
    });
  }

  private async reply(
    webview: vscode.Webview,
    { ask: reply, request }: PageQuestion,
    page: string,
    folder: vscode.Uri | undefined,
  ): Promise<void> {
    try {
      await webview.postMessage({ page, reply, answer: await this.answer(request, folder) });
    } catch (error) {
      this.logger.error('dashboard', error);
      await webview.postMessage({ page, reply, error: reasonOf(error) });
    }
  }

  private async answer(request: PageRequest, folder: vscode.Uri | undefined): Promise<unknown> {
    const answer = await ask(await this.endpoint(folder), { ...request, timeoutMs: answersWithinMs });
    const said = JSON.parse(await bodyOf(answer)) as { error?: { message?: string } };
    if (answer.statusCode !== 200) {
      throw new Error(said.error?.message ?? `The Helix proxy answered with status ${answer.statusCode ?? 0}.`);
    }
    return said;
  }

  /** Where the proxy listens; begins to listen for this folder. */
  private async endpoint(folder: vscode.Uri | undefined): Promise<Endpoint> {
    if (!vscode.workspace.isTrusted) {
      throw new Error('The dashboard is off in Restricted Mode; trust this folder to open it.');
    }
    const request: ProxyRequest = {
      start: true,
      ...(folder && { workspace: folder.toString() }),
      ...proxySettings(),
    };
    const endpoint = endpointOf(await this.server.ask<ProxyAnswer>(serverCommands.proxy, request));
    if (!endpoint) {
      throw new Error('Helix serves no dashboard here; run “Helix: Install Chat Proxy”.');
    }
    return endpoint;
  }
}
