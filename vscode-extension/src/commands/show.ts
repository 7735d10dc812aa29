/** What is shown on demand: the status with what can be done about it, why a verdict, and the doctor's findings. */
import * as vscode from 'vscode';
import { serverCommands, type DoctorAnswer, type Explanation } from '../base/protocol';
import { proxyText } from '../proxy/proxyText';
import { folderLine, folderName, statusText } from '../status/statusText';
import { noPythonText } from '../python/resolve';
import { doctorText, withoutServerText } from '../view/verdictText';
import type { CommandNeeds } from './needs';

const icons: Readonly<Record<string, string>> = {
  'helix.ask.question': 'comment-discussion',
  'helix.refreshIndex': 'refresh',
  'helix.pauseIndexing': 'debug-pause',
  'helix.resumeIndexing': 'debug-start',
  'helix.runDoctor': 'pulse',
  'helix.debugInformation': 'info',
  'helix.restart': 'debug-restart',
  'helix.showLogs': 'output',
  'helix.setUp': 'package',
  'helix.chooseInterpreter': 'settings-gear',
  'helix.chooseUpstream': 'plug',
  'helix.installProxy': 'cloud-download',
  'helix.setUpModel': 'sparkle',
  'workbench.trust.manage': 'shield',
};

interface Choice extends vscode.QuickPickItem {
  readonly command?: string;
}

export async function showStatus(needs: CommandNeeds): Promise<void> {
  const { server, proxy } = needs;
  const chat = proxyText(await proxy.refresh(), Date.now() / 1000);
  const now = statusText(server.state, server.statuses(), chat);
  const folders = server.statuses().map((folder): Choice => ({
    label: `$(root-folder) ${folderName(folder)}`,
    description: folderLine(folder),
    detail: [folder.message, folder.action].filter(Boolean).join(' '),
  }));
  const picked = await vscode.window.showQuickPick<Choice>(
    [
      ...(folders.length > 0 ? folders : [{ label: now.label }]),
      ...(server.state.kind === 'running' ? [{ label: '$(comment-discussion) Chat', description: chat.line }] : []),
      { label: 'What you can do', kind: vscode.QuickPickItemKind.Separator },
      ...choices(now.actions),
    ],
    { title: 'Helix: Status', placeHolder: now.label },
  );
  if (picked?.command) {
    await vscode.commands.executeCommand(picked.command);
  }
}

/** Of the place under the cursor, or of the one a code lens gives. */
export async function explainVerdict(needs: CommandNeeds, uri?: unknown, place?: unknown): Promise<void> {
  const asked = askedPlace(uri, place);
  if (asked?.uri.scheme !== 'file') {
    void vscode.window.showInformationMessage(
      'Open a file of this workspace and put the cursor where you want to know.',
    );
    return;
  }
  const { line, character } = asked.position;
  const explanation = await needs.server.ask<Explanation | null>(serverCommands.explain, {
    uri: asked.uri.toString(),
    position: { line, character },
  });
  if (explanation) {
    const folder = vscode.workspace.getWorkspaceFolder(asked.uri)?.uri ?? vscode.Uri.joinPath(asked.uri, '..');
    await needs.showVerdict({ explanation, workspace: folder.toString(), observedAt: Date.now() / 1000 });
  } else {
    void vscode.window.showInformationMessage(
      'Helix knows nothing about this place: the file does not count, or is new.',
    );
  }
}

/** Of the answer in the packet view: each ranker's list, and how sure it is. */
export async function explainAnswer(needs: CommandNeeds): Promise<void> {
  if (await needs.explainAnswer()) return;
  const ask = 'Ask a Question';
  const chosen = await vscode.window.showInformationMessage('Ask a question first: its answer can be explained.', ask);
  if (chosen === ask) await vscode.commands.executeCommand('helix.ask.question');
}

export async function runDoctor(needs: CommandNeeds): Promise<void> {
  const { state, resolution } = needs.server;
  if (state.kind === 'noPython' || state.kind === 'crashed') {
    const why = state.kind === 'noPython' ? noPythonText(state.resolution) : state.message;
    await needs.documents.preview('Doctor', withoutServerText(why, resolution?.steps ?? []));
    return;
  }
  const answer = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: 'Helix: examining this machine' },
    () => needs.server.ask<DoctorAnswer>(serverCommands.doctor, {}),
  );
  await needs.documents.preview('Doctor', doctorText(answer));
}

function askedPlace(uri: unknown, place: unknown): { uri: vscode.Uri; position: vscode.Position } | undefined {
  if (uri instanceof vscode.Uri && place instanceof vscode.Position) {
    return { uri, position: place };
  }
  const editor = vscode.window.activeTextEditor;
  return editor && { uri: editor.document.uri, position: editor.selection.active };
}

function choices(actions: readonly { readonly title: string; readonly command: string }[]): Choice[] {
  const more = [
    { title: 'Doctor', command: 'helix.runDoctor' },
    { title: 'Choose Upstream', command: 'helix.chooseUpstream' },
    { title: 'Debug Information', command: 'helix.debugInformation' },
    { title: 'Restart', command: 'helix.restart' },
    { title: 'Show Logs', command: 'helix.showLogs' },
  ];
  const all = [...actions, ...more.filter((one) => !actions.some((action) => action.command === one.command))];
  return all.map(({ title, command }) => ({ label: `$(${icons[command] ?? 'circle-small'}) ${title}`, command }));
}
