/** The one status bar item. What it says is decided in `status.ts`. */
import * as vscode from 'vscode';
import type { Proxy } from '../proxy/proxy';
import { proxyText } from '../proxy/proxyText';
import type { Server } from '../server/server';
import { statusText, type Look } from './statusText';

const backgrounds: Record<Look, vscode.ThemeColor | undefined> = {
  plain: undefined,
  warning: new vscode.ThemeColor('statusBarItem.warningBackground'),
  error: new vscode.ThemeColor('statusBarItem.errorBackground'),
};

export function showStatusItem(server: Server, proxy: Proxy): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('helix.status', vscode.StatusBarAlignment.Left, 10);
  item.name = 'Helix';
  const update = (): void => {
    const now = statusText(server.state, server.statuses(), proxyText(proxy.state, Date.now() / 1000));
    item.text = now.text;
    item.command = now.command;
    item.backgroundColor = backgrounds[now.look];
    item.accessibilityInformation = { label: now.label, role: 'button' };
    const links = now.actions.map((action) => `[${action.title}](command:${action.command})`).join(' · ');
    const tooltip = new vscode.MarkdownString(`${now.tooltip}\n\n---\n\n${links}`);
    tooltip.isTrusted = { enabledCommands: now.actions.map((action) => action.command) };
    item.tooltip = tooltip;
    setContexts(server);
    // In a window without a folder Helix has nothing to say.
    if (server.state.kind === 'stopped') {
      item.hide();
    } else {
      item.show();
    }
  };
  update();
  return vscode.Disposable.from(item, server.onState(update), server.onStatus(update), proxy.onChange(update));
}

// Which of pause and resume the palette offers, and whether the walkthrough's first step is done.
function setContexts(server: Server): void {
  const folders = server.statuses();
  const paused = folders.filter((folder) => folder.state === 'paused').length;
  const contexts = {
    'helix.running': server.state.kind === 'running',
    'helix.somePaused': paused > 0,
    'helix.allPaused': paused > 0 && paused === folders.length,
  };
  for (const [name, value] of Object.entries(contexts)) {
    void vscode.commands.executeCommand('setContext', name, value);
  }
}
