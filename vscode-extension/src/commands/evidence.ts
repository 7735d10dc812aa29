/** Shows a model's answer in the packet view: by the link below it in the chat, or the last one by command. */
import * as vscode from 'vscode';
import { serverCommands, type CheckAnswer, type CheckRequest } from '../base/protocol';
import { sentContext } from '../proxy/sent';
import { pointers } from '../view/modelAnswers';
import type { CommandNeeds } from './needs';

const extensionId = 'helix-context.helix-context';
const path = '/evidence/';

/** The address that a chat may link to: the editor gives it to `openEvidence`. */
export function evidenceLink(packetId: string, folder: string): string {
  const query = folder ? `?folder=${encodeURIComponent(folder)}` : '';
  return `${vscode.env.uriScheme}://${extensionId}${path}${packetId}${query}`;
}

/** Anybody may open such an address: it shows what this window was sent, and does nothing else. */
export function registerEvidenceLinks(needs: CommandNeeds): vscode.Disposable {
  return vscode.window.registerUriHandler({
    handleUri: async (uri) => {
      try {
        await openEvidence(needs, uri);
      } catch (error) {
        needs.logs.logger.warn(`A link to evidence was not opened: ${String(error)}`);
        void vscode.window.showInformationMessage('This evidence is not kept any more; ask the question again.');
      }
    },
  });
}

async function openEvidence(needs: CommandNeeds, uri: vscode.Uri): Promise<void> {
  const packetId = /^\/evidence\/([0-9a-f]{16})$/.exec(uri.path)?.[1];
  if (packetId === undefined) {
    throw new Error('not an address of evidence');
  }
  const known = needs.answers.ofPacket(packetId);
  if (known && known.items.length > 0) {
    await needs.showAnswer(known);
    return;
  }
  const wanted = new URLSearchParams(uri.query).get('folder') ?? '';
  const folder = vscode.workspace.workspaceFolders?.find((one) => one.uri.toString() === wanted);
  const state = await needs.proxy.wanted();
  if (state.kind !== 'ready') {
    throw new Error('no chat proxy');
  }
  const status = needs.server.statuses().find((one) => one.uri === folder?.uri.toString());
  const sent = await sentContext(state.endpoint, packetId, status?.workspace ?? folder?.uri.fsPath);
  await needs.showAnswer({
    packetId,
    question: known?.question ?? 'What a model was sent',
    folder: folder?.uri.toString() ?? '',
    text: '',
    items: pointers(sent.blocks),
    ...(known?.check && { check: known.check }),
  });
}

export async function checkAnswer(needs: CommandNeeds): Promise<void> {
  const last = needs.answers.last;
  if (!last) {
    void vscode.window.showInformationMessage(
      'No model of Helix has answered in this window yet; ask one, and try again.',
    );
    return;
  }
  const request: CheckRequest = { text: last.text, ...(last.folder && { workspace: last.folder }) };
  const check = await needs.server.ask<CheckAnswer>(serverCommands.check, request);
  await needs.showAnswer({ ...last, check });
}
