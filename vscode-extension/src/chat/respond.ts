/** One question to `@helix` and its answer: from the editor's request to parts, and what the next question may lean on. */
import * as vscode from 'vscode';
import { questionOf } from '../commands/question';
import { reasonOf, type Logger } from '../base/logger';
import type { Server } from '../server/server';
import type { ModelAnswers } from '../view/modelAnswers';
import { answerTo, type ChatQuestion, type Pointed } from './answer';
import { chatCommand } from './followUps';
import { lastMemory } from './memory';
import { write } from './write';

export interface Turn {
  readonly request: vscode.ChatRequest;
  readonly context: vscode.ChatContext;
  readonly stream: vscode.ChatResponseStream;
  readonly token: vscode.CancellationToken;
}

export async function respond(
  { request, context, stream, token }: Turn,
  server: Server,
  answers: ModelAnswers,
  logger: Logger,
): Promise<vscode.ChatResult> {
  const named = askedBy(request, context);
  const asked = named && {
    ...named,
    modelAnswer: answers.last?.text,
    attachedText: named.command === 'check' ? await attachedText(request) : undefined,
  };
  if (!asked) {
    stream.markdown('Helix answers about a folder: open one, and ask again.');
    stream.button({ title: 'Open Folder', command: 'workbench.action.files.openFolder' });
    return {};
  }
  try {
    const { parts, memory } = await answerTo(asked, {
      ask: (command, argument) => server.ask(command, argument, token),
      progress: (message) => {
        stream.progress(message);
      },
      nowSeconds: () => Date.now() / 1000,
    });
    if (!token.isCancellationRequested) {
      write(stream, parts, vscode.Uri.parse(asked.workspace));
    }
    return memory ? { metadata: { ...memory } } : {};
  } catch (error) {
    if (token.isCancellationRequested) {
      return {};
    }
    logger.error('@helix', error);
    stream.button({ title: 'Show Logs', command: 'helix.showLogs' });
    return { errorDetails: { message: reasonOf(error) } };
  }
}

function askedBy(request: vscode.ChatRequest, context: vscode.ChatContext): ChatQuestion | undefined {
  const metadata = context.history.map((turn) =>
    turn instanceof vscode.ChatResponseTurn ? turn.result.metadata : undefined,
  );
  const last = lastMemory(metadata);
  const pointed = attached(request) ?? underCursor();
  const workspace = folderOf(pointed) ?? last?.workspace ?? vscode.workspace.workspaceFolders?.[0]?.uri.toString();
  return workspace === undefined
    ? undefined
    : { command: chatCommand(request.command), prompt: request.prompt, last, workspace, pointed };
}

/** The first file, or place in one, that the user put into the question. */
function attached(request: vscode.ChatRequest): Pointed | undefined {
  for (const { value } of request.references) {
    if (value instanceof vscode.Location && value.uri.scheme === 'file') {
      const { line, character } = value.range.start;
      return { uri: value.uri.toString(), position: { line, character }, attached: true, words: '' };
    }
    if (value instanceof vscode.Uri && value.scheme === 'file') {
      const words = vscode.workspace.asRelativePath(value, false);
      return { uri: value.toString(), position: { line: 0, character: 0 }, attached: true, words };
    }
  }
  return undefined;
}

/** The text of the first selection that the user put into the question. */
async function attachedText(request: vscode.ChatRequest): Promise<string | undefined> {
  for (const { value } of request.references) {
    if (value instanceof vscode.Location && !value.range.isEmpty) {
      const document = await vscode.workspace.openTextDocument(value.uri);
      return document.getText(value.range);
    }
  }
  return undefined;
}

function underCursor(): Pointed | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== 'file') {
    return undefined;
  }
  const { document, selection } = editor;
  const word = document.getWordRangeAtPosition(selection.active);
  const words = selection.isEmpty ? (word ? document.getText(word) : '') : questionOf(document.getText(selection));
  const { line, character } = selection.active;
  return { uri: document.uri.toString(), position: { line, character }, attached: false, words };
}

function folderOf(pointed: Pointed | undefined): string | undefined {
  return pointed && vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(pointed.uri))?.uri.toString();
}
