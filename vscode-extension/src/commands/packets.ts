/** The four ways to ask for a packet from the palette. */
import * as vscode from 'vscode';
import type { CommandNeeds } from './needs';
import { questionOf } from './question';

export async function packetForQuestion(needs: CommandNeeds, given?: unknown): Promise<void> {
  const question =
    typeof given === 'string'
      ? given
      : await vscode.window.showInputBox({
          title: 'Helix: Context Packet',
          prompt: 'What do you want to know? Names, paths and “quoted text” are understood too.',
          placeHolder: 'how are payments refunded?',
          ignoreFocusOut: true,
        });
  if (question?.trim()) {
    await ask(needs, question.trim());
  }
}

export async function packetForSelection(needs: CommandNeeds): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const question = editor ? questionOf(editor.document.getText(editor.selection)) : '';
  if (!question) {
    void vscode.window.showInformationMessage('Select some text first: it becomes the question.');
    return;
  }
  await ask(needs, question);
}

export async function packetForSymbol(needs: CommandNeeds): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const range = editor?.document.getWordRangeAtPosition(editor.selection.active);
  if (!editor || !range) {
    void vscode.window.showInformationMessage('Put the cursor on a name first.');
    return;
  }
  await ask(needs, editor.document.getText(range));
}

export async function packetForFile(needs: CommandNeeds, given?: unknown): Promise<void> {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file' || !vscode.workspace.getWorkspaceFolder(uri)) {
    void vscode.window.showInformationMessage('Open a file of this workspace first.');
    return;
  }
  await ask(needs, vscode.workspace.asRelativePath(uri, false), uri);
}

/** The folder a question is about: that of the file in front, else the first one. */
export function askedFolder(uri?: vscode.Uri): string | undefined {
  const about = uri ?? vscode.window.activeTextEditor?.document.uri;
  const folder = (about && vscode.workspace.getWorkspaceFolder(about)) ?? vscode.workspace.workspaceFolders?.[0];
  return folder?.uri.toString();
}

async function ask(needs: CommandNeeds, question: string, uri?: vscode.Uri): Promise<void> {
  const document = uri ?? vscode.window.activeTextEditor?.document.uri;
  const workspace = askedFolder(document);
  await needs.showPacket({
    question,
    open: true,
    ...(workspace && { workspace }),
    ...(document?.scheme === 'file' && { uri: document.toString() }),
  });
}
