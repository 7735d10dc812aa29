/** Registers `@helix`. What answers is loaded with the first question. */
import * as vscode from 'vscode';
import type { Logger } from '../base/logger';
import type { Server } from '../server/server';
import { supports } from '../base/supports';
import type { ModelAnswers } from '../view/modelAnswers';
import { chatCommand, followUps } from './followUps';
import { lastMemory } from './memory';

export function registerParticipant(
  server: Server,
  answers: ModelAnswers,
  icon: vscode.Uri,
  logger: Logger,
): vscode.Disposable {
  if (!supports.participants) {
    logger.info('This editor has no chat participants: @helix is not offered.');
    return vscode.Disposable.from();
  }
  const participant = vscode.chat.createChatParticipant('helix.chat', async (request, context, stream, token) => {
    const { respond } = await import('./respond');
    const result = await respond({ request, context, stream, token }, server, answers, logger);
    return { ...result, metadata: { ...result.metadata, command: request.command } };
  });
  participant.iconPath = icon;
  participant.followupProvider = {
    provideFollowups: ({ metadata }) => {
      const after = (metadata as { command?: unknown } | undefined)?.command;
      return followUps(chatCommand(typeof after === 'string' ? after : undefined), lastMemory([metadata]));
    },
  };
  return vscode.Disposable.from(participant);
}
