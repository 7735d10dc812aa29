/** Registers the model provider `helix` where the editor has such things; what it works with is loaded when it is asked. */
import * as vscode from 'vscode';
import { askedFolder } from '../commands/packets';
import type { Logger } from '../base/logger';
import { serverCommands, type Packet } from '../base/protocol';
import { offersEvidenceOnly } from '../base/settings';
import type { Proxy } from '../proxy/proxy';
import type { Server } from '../server/server';
import { supports } from '../base/supports';
import type { ModelAnswers } from '../view/modelAnswers';
import { Aftermath } from './aftermath';
import { HelixModels, type ChatFolder } from './provider';

export function registerModels(proxy: Proxy, server: Server, answers: ModelAnswers, logger: Logger): vscode.Disposable {
  if (!supports.modelProviders) {
    logger.info(
      'This editor has no model providers: chat with the proxy from another client (Helix: Copy Configuration for …).',
    );
    return vscode.Disposable.from();
  }
  const evidence = (question: string, token: vscode.CancellationToken): Promise<Packet> => {
    const workspace = askedFolder();
    return server.ask<Packet>(serverCommands.packet, { question, ...(workspace && { workspace }) }, token);
  };
  const models = new HelixModels(
    proxy,
    () => folderInFront(server),
    evidence,
    new Aftermath(server, answers, logger),
    logger,
    () => offersEvidenceOnly() && server.state.kind === 'running',
  );
  const listener = server.onState(() => {
    models.tell();
  });
  const changed = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('helix.chat.evidenceOnly')) models.tell();
  });
  const registered = vscode.lm.registerLanguageModelChatProvider('helix', models);
  models.tell();
  return vscode.Disposable.from(models, listener, changed, registered);
}

/** The folder a chat is about: that of the file in front, else the first one. */
function folderInFront(server: Server): ChatFolder | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const folder = (uri && vscode.workspace.getWorkspaceFolder(uri)) ?? vscode.workspace.workspaceFolders?.[0];
  if (!folder) {
    return undefined;
  }
  // The server names a folder by its real path.
  const known = server.statuses().find((status) => status.uri === folder.uri.toString());
  return { path: known?.workspace ?? folder.uri.fsPath, uri: folder.uri.toString() };
}
