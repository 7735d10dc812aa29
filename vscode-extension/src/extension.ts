/** Wires the rooms of the extension together; holds no logic. `activate` returns before anything was started. */
import { mkdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import { AgentTools } from './agents/agentTools';
import { registerParticipant } from './chat/participant';
import type { CommandNeeds } from './commands/needs';
import { askedFolder } from './commands/packets';
import { registerEvidenceLinks } from './commands/evidence';
import { registerCommands } from './commands/register';
import { DashboardPanel } from './dashboard/dashboardPanel';
import { HintView } from './hints/hintView';
import { MemoryView } from './memory/memoryView';
import { registerStaleCitations } from './memory/staleCitations';
import { TrailBox } from './memory/trailBox';
import { Documents } from './base/documents';
import { startForFolders } from './server/folders';
import { Logs } from './base/logger';
import { registerModels } from './model/register';
import { Proxy } from './proxy/proxy';
import { PythonExtensions } from './python/extensions';
import { probeIn } from './python/probe';
import { resolveInterpreter } from './python/resolve';
import { interpreterSources, type Places } from './python/sources';
import { Server } from './server/server';
import { ModelAnswers } from './view/modelAnswers';
import { packetSource } from './view/serverSource';
import { initializationOptions } from './base/settings';
import { Setup } from './commands/setup';
import { tellWrongSettings } from './commands/wrongSettings';
import { showStatusItem } from './status/statusItem';
import { manifestOf } from './agents/manifest';
import { registerNotes } from './view/notes';
import { restartOnTrust } from './server/trust';
import { registerPacketView } from './view/packetView';

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const logs = new Logs();
  const { logger } = logs;
  const places: Places = {
    storage: context.globalStorageUri.fsPath,
    bundled: vscode.Uri.joinPath(context.extensionUri, 'bundled').fsPath,
  };
  const extensions = new PythonExtensions();
  const probe = probeIn(places.storage);
  const server = new Server({
    logs,
    cwd: places.storage,
    resolve: async () => {
      await mkdir(places.storage, { recursive: true });
      return resolveInterpreter(interpreterSources(places, extensions, vscode.workspace.isTrusted), probe, (step) => {
        logger.info(`Interpreter: ${step.source}${step.path ? `: ${step.path}` : ''}: ${step.reason}`);
      });
    },
    options: () => initializationOptions(vscode.workspace.isTrusted),
  });
  running = server;
  const setup = new Setup(server, places, probe, logs);
  const documents = new Documents();
  const proxy = new Proxy(server, askedFolder, logger);
  const manifest = manifestOf(context);
  const view = registerPacketView(context, packetSource(server), logger);
  const answers = new ModelAnswers();
  const hints = new HintView(server, logger);
  const memories = new MemoryView(server, documents, logger);
  const trail = new TrailBox(server, logger);
  const dashboard = new DashboardPanel(server, context.extensionUri, logger);
  const needs: CommandNeeds = {
    context,
    server,
    proxy,
    setup,
    documents,
    hints,
    memories,
    trail,
    dashboard,
    logs,
    cwd: places.storage,
    showPacket: async (request) => {
      await view.show(request);
    },
    answers,
    showAnswer: (answer) => view.showAnswer(answer),
    showVerdict: (verdict) => view.showVerdict(verdict),
    explainAnswer: () => view.explainAnswer(),
  };
  context.subscriptions.push(
    logs,
    server,
    setup,
    documents,
    extensions,
    hints,
    memories,
    trail,
    dashboard,
    registerCommands(needs),
    registerStaleCitations(),
    registerEvidenceLinks(needs),
    registerNotes(server),
    proxy,
    showStatusItem(server, proxy),
    registerParticipant(server, answers, vscode.Uri.joinPath(context.extensionUri, 'media', 'helix.svg'), logger),
    registerModels(proxy, server, answers, logger),
    new AgentTools({ server, logger, cwd: places.storage, tools: manifest.tools, version: manifest.version }),
    restartOnTrust(server),
    extensions.onChange((reason) => void server.interpreterMayHaveChanged(reason)),
    startForFolders(server),
    tellWrongSettings(manifest.settings, logger),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('helix.interpreter')) {
        void server.interpreterMayHaveChanged('the setting helix.interpreter changed');
      }
    }),
  );
}

export async function deactivate(): Promise<void> {
  await running?.stop();
  running = undefined;
}
