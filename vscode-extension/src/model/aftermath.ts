/** What is asked once a model has answered: the evidence it was sent, and which of its references are wrong. */
import * as vscode from 'vscode';
import { reasonOf, type Logger } from '../base/logger';
import { serverCommands, type CheckAnswer, type CheckRequest } from '../base/protocol';
import { sentContext } from '../proxy/sent';
import type { Endpoint } from '../proxy/state';
import type { Server } from '../server/server';
import { pointers, type ModelAnswers } from '../view/modelAnswers';
import { evidenceLink } from '../commands/evidence';
import { footerOf, type SentFacts } from './footer';

const mostCharacters = 262_144;
/** The answer is shown meanwhile: what is checked on a slow machine comes later rather than never. */
const withinMs = 10_000;

export interface SentAnswer {
  readonly question: string;
  readonly text: string;
  readonly facts: SentFacts;
  readonly endpoint: Endpoint;
  /** The workspace folder, by its path and by its uri. */
  readonly workspace: string | undefined;
  readonly folder: string | undefined;
}

export class Aftermath {
  constructor(
    private readonly server: Server,
    private readonly answers: ModelAnswers,
    private readonly logger: Logger,
  ) {}

  /** The footer of the answer, which is remembered; what does not come in time, or is cancelled, is left out of it. */
  async footer(answered: SentAnswer, token: vscode.CancellationToken): Promise<string> {
    const { facts, question, text, folder = '' } = answered;
    if (facts.became !== 'added' || facts.packetId === '') {
      return footerOf(facts, '', undefined);
    }
    const cancel = new vscode.CancellationTokenSource();
    const abort = new AbortController();
    const giveUp = (): void => {
      cancel.cancel();
      abort.abort();
    };
    const late = setTimeout(giveUp, withinMs);
    const cancelled = token.onCancellationRequested(giveUp);
    try {
      const [sent, check] = await Promise.all([
        this.known(sentContext(answered.endpoint, facts.packetId, answered.workspace, abort.signal), cancel.token),
        this.known(this.check(text, folder, cancel.token), cancel.token),
      ]);
      const items = pointers(sent?.blocks ?? []);
      this.answers.keep({ packetId: facts.packetId, question, folder, text, items, ...(check && { check }) });
      return footerOf(facts, evidenceLink(facts.packetId, folder), check);
    } finally {
      clearTimeout(late);
      cancelled.dispose();
      cancel.dispose();
    }
  }

  private check(text: string, folder: string, token: vscode.CancellationToken): Promise<CheckAnswer> {
    const request: CheckRequest = { text: text.slice(0, mostCharacters), ...(folder && { workspace: folder }) };
    return this.server.ask<CheckAnswer>(serverCommands.check, request, token);
  }

  /** What comes before the token is cancelled; nothing where it fails, as the answer itself is whole. */
  private async known<T>(asked: Promise<T>, token: vscode.CancellationToken): Promise<T | undefined> {
    const late = new Promise<undefined>((resolve) => {
      token.onCancellationRequested(() => {
        resolve(undefined);
      });
    });
    const answered = asked.catch((error: unknown) => {
      if (!token.isCancellationRequested) {
        this.logger.warn(`An answer has no evidence below it: ${reasonOf(error)}`);
      }
      return undefined;
    });
    return Promise.race([answered, late]);
  }
}
