/** Gives each command its handler, and each failure of one a message that says what to do next. */
import * as vscode from 'vscode';
import { reasonOf } from '../base/logger';
import { rememberSelection } from '../memory/rememberBox';
import { exportMemories, importMemories } from '../memory/strandBox';
import { copyConfiguration } from './connect';
import { showDebugInformation } from './debug';
import type { CommandId } from '../base/commandIds';
import { pauseIndexing, rebuildIndex, refreshIndex, resumeIndexing } from './indexing';
import { checkAnswer } from './evidence';
import type { CommandNeeds } from './needs';
import { askedFolder, packetForFile, packetForQuestion, packetForSelection, packetForSymbol } from './packets';
import { openInterpreterSetting } from './setup';
import { chatWithoutModel, chooseUpstream } from './upstream';
import { explainAnswer, explainVerdict, runDoctor, showStatus } from './show';
import { whereIs } from './where';

type Handler = (needs: CommandNeeds, ...given: readonly unknown[]) => Promise<void> | void;

const handlers: Record<CommandId, Handler> = {
  'helix.ask.question': packetForQuestion,
  'helix.ask.selection': packetForSelection,
  'helix.ask.symbol': packetForSymbol,
  'helix.ask.file': packetForFile,
  'helix.ask.verdict': explainVerdict,
  'helix.ask.answer': explainAnswer,
  'helix.ask.where': whereIs,
  'helix.checkAnswer': checkAnswer,
  'helix.hints.next': ({ hints }) => hints.next(),
  'helix.hints.refresh': ({ hints }) => hints.refresh(),
  'helix.hints.export': ({ hints }, format) => hints.export(format),
  'helix.hints.showIgnored': ({ hints }) => {
    hints.showIgnored(true);
  },
  'helix.hints.hideIgnored': ({ hints }) => {
    hints.showIgnored(false);
  },
  'helix.hints.ignore': ({ hints }, node) => hints.ignore(node, false),
  'helix.hints.restore': ({ hints }, node) => hints.ignore(node, true),
  'helix.hints.openOther': ({ hints }, node) => hints.openOther(node),
  'helix.remember.selection': async ({ server, memories }) => {
    const folder = askedFolder();
    await rememberSelection(server, folder === undefined ? undefined : vscode.Uri.parse(folder));
    await memories.refresh();
  },
  'helix.memories.search': ({ memories }) => memories.search(),
  'helix.memories.export': async ({ server }) => {
    await exportMemories(server, carriedFolder());
  },
  'helix.memories.import': async ({ server, memories }) => {
    if (await importMemories(server, carriedFolder())) await memories.refresh();
  },
  'helix.memories.refresh': ({ memories }) => memories.refresh(),
  'helix.memories.confirm': ({ memories }, node) => memories.confirm(node),
  'helix.memories.supersede': ({ memories }, node) => memories.supersede(node),
  'helix.memories.forget': ({ memories }, node) => memories.forget(node),
  'helix.memories.copy': ({ memories }, node) => memories.copy(node),
  'helix.memories.accept': ({ memories }, node) => memories.decide(node, 'approve'),
  'helix.memories.reject': ({ memories }, node) => memories.decide(node, 'reject'),
  'helix.whereWasI': ({ trail }) => trail.show(askedFolder()),
  'helix.forgetTrail': ({ trail }) => trail.forget(),
  'helix.openDashboard': ({ dashboard }) => dashboard.show(askedFolder()),
  'helix.showStatus': showStatus,
  'helix.refreshIndex': refreshIndex,
  'helix.rebuildIndex': rebuildIndex,
  'helix.pauseIndexing': pauseIndexing,
  'helix.resumeIndexing': resumeIndexing,
  'helix.restart': ({ server }) => server.restart('asked for'),
  'helix.showLogs': ({ logs }) => {
    logs.show();
    return Promise.resolve();
  },
  'helix.runDoctor': runDoctor,
  'helix.debugInformation': showDebugInformation,
  'helix.chooseInterpreter': ({ setup }) => setup.choose(),
  'helix.openInterpreterSetting': openInterpreterSetting,
  'helix.setUp': ({ setup }) => setup.setUp(),
  'helix.openWalkthrough': async ({ context }) => {
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${context.extension.id}#start`, false);
  },
  'helix.chooseUpstream': chooseUpstream,
  'helix.chatWithoutModel': chatWithoutModel,
  'helix.installProxy': async ({ setup }) => {
    await setup.install('proxy');
  },
  'helix.setUpModel': ({ setup }) => setup.setUpModel(modelFolder()),
  'helix.copyConfiguration.continue': (needs) => copyConfiguration(needs, 'continue'),
  'helix.copyConfiguration.cursor': (needs) => copyConfiguration(needs, 'cursor'),
  'helix.copyConfiguration.cline': (needs) => copyConfiguration(needs, 'cline'),
  'helix.copyConfiguration.zed': (needs) => copyConfiguration(needs, 'zed'),
  'helix.copyConfiguration.claude': (needs) => copyConfiguration(needs, 'claude'),
  'helix.copyConfiguration.codex': (needs) => copyConfiguration(needs, 'codex'),
};

function modelFolder(): string {
  const folder = askedFolder();
  if (folder === undefined) throw new Error('Open a folder first: a model is set up for what is in it.');
  return vscode.Uri.parse(folder).fsPath;
}

function carriedFolder(): string {
  const folder = askedFolder();
  if (folder === undefined) throw new Error('Open a folder first: memories are carried to and from a workspace.');
  return folder;
}

export function registerCommands(needs: CommandNeeds): vscode.Disposable {
  const registered = Object.entries(handlers).map(([id, handler]) =>
    vscode.commands.registerCommand(id, async (...given: unknown[]) => {
      try {
        await handler(needs, ...given);
      } catch (error) {
        await tell(needs, id, error);
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

async function tell(needs: CommandNeeds, id: string, error: unknown): Promise<void> {
  if (error instanceof vscode.CancellationError) {
    return;
  }
  needs.logs.logger.error(id, error);
  const showLogs = 'Show Logs';
  if ((await vscode.window.showErrorMessage(reasonOf(error), showLogs)) === showLogs) {
    needs.logs.show();
  }
}
