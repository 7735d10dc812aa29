/**
 * The model provider `helix`: the models of the upstreams behind the proxy, each answering with evidence from the
 * workspace. What belongs to one answer lives in its call, never on this object, so that two chats cannot mix.
 */
import * as vscode from 'vscode';
import type { Logger } from '../base/logger';
import type { Packet } from '../base/protocol';
import { ask, bodyOf, headerText } from '../proxy/http';
import type { Proxy } from '../proxy/proxy';
import { upstreamName } from '../proxy/state';
import { answerParts } from './answer';
import { evidenceOnly, evidenceText, questionIn } from './evidenceOnly';
import { failureOf, type Failure } from './failure';
import type { Aftermath } from './aftermath';
import { sentFacts } from './footer';
import { offeredModels, type OfferedModel } from './offered';
import { chatBody } from './request';
import { estimatedTokens, messageTokens } from './tokens';

const kindNames = { forbidden: 'NoPermissions', missing: 'NotFound', blocked: 'Blocked' } as const;
const listTimeoutMs = 12_000;
const noUpstream = 'No upstream answers chats; run “Helix: Choose Upstream”.';

/** A workspace folder, as the proxy and as the editor name it. */
export interface ChatFolder {
  readonly path: string;
  readonly uri: string;
}

export class HelixModels implements vscode.LanguageModelChatProvider<OfferedModel> {
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly listener: vscode.Disposable;
  readonly onDidChangeLanguageModelChatInformation = this.changes.event;

  constructor(
    private readonly proxy: Proxy,
    private readonly folder: () => ChatFolder | undefined,
    private readonly evidence: (question: string, token: vscode.CancellationToken) => Promise<Packet>,
    private readonly aftermath: Aftermath,
    private readonly logger: Logger,
    private readonly offersEvidence: () => boolean,
  ) {
    this.listener = proxy.onOffers(() => {
      this.tell();
    });
  }

  /** There may be other models. An editor that knows none of ours yet asks only after this event. */
  tell(): void {
    this.changes.fire();
  }

  dispose(): void {
    this.listener.dispose();
    this.changes.dispose();
  }

  /** The upstreams' models; while there are none, what answers without any, where the user wants that. Never asks anybody while `silent`. */
  async provideLanguageModelChatInformation(
    options: vscode.PrepareLanguageModelChatModelOptions,
    token: vscode.CancellationToken,
  ): Promise<OfferedModel[]> {
    const models = await this.upstreamModels(options, token);
    // The editor takes what is offered alone for its default, so it is offered only on request.
    return models.length > 0 || !this.offersEvidence() ? models : [evidenceOnly];
  }

  private async upstreamModels(
    options: vscode.PrepareLanguageModelChatModelOptions,
    token: vscode.CancellationToken,
  ): Promise<OfferedModel[]> {
    const state = await this.proxy.refresh();
    if (state.kind === 'waiting') {
      // Not awaited: its models are announced when it listens.
      void this.proxy.refresh(true);
    }
    if (state.kind !== 'ready') {
      if (!options.silent && state.kind === 'noUpstream') {
        await vscode.commands.executeCommand('helix.chooseUpstream');
      }
      return [];
    }
    const abort = abortWith(token);
    try {
      const answer = await ask(state.endpoint, {
        method: 'GET',
        path: '/v1/models',
        signal: abort.signal,
        timeoutMs: listTimeoutMs,
      });
      const body = await bodyOf(answer);
      if (answer.statusCode !== 200) {
        this.logger.warn(`The models could not be listed: ${failureOf(answer.statusCode ?? 0, body).sentence}`);
        return [];
      }
      return offeredModels(JSON.parse(body), state.upstreams.map(upstreamName));
    } catch (error) {
      if (!token.isCancellationRequested) {
        this.logger.error('The models could not be listed', error);
      }
      return [];
    } finally {
      abort.dispose();
    }
  }

  async provideLanguageModelChatResponse(
    model: OfferedModel,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    if (model.id === evidenceOnly.id) {
      const packet = await this.evidence(questionIn(messages), token);
      progress.report(new vscode.LanguageModelTextPart(evidenceText(packet, Date.now() / 1000)));
      return;
    }
    const state = this.proxy.state.kind === 'ready' ? this.proxy.state : await this.proxy.wanted();
    if (state.kind !== 'ready') {
      throw vscode.LanguageModelError.NotFound(state.kind === 'off' ? state.reason : noUpstream);
    }
    const mustCall = options.toolMode === vscode.LanguageModelChatToolMode.Required;
    const chat = { tools: options.tools, modelOptions: options.modelOptions, mustCall };
    const body = chatBody(model.id, messages, chat, (what) => {
      this.logger.debug(`Left out of a chat: ${what}`);
    });
    const folder = this.folder();
    const abort = abortWith(token);
    try {
      const answer = await ask(state.endpoint, {
        method: 'POST',
        path: '/v1/chat/completions',
        body,
        headers: { accept: 'text/event-stream', ...(folder && { 'x-helix-workspace': headerText(folder.path) }) },
        signal: abort.signal,
      });
      if (answer.statusCode !== 200) {
        throw refused(failureOf(answer.statusCode ?? 0, await bodyOf(answer), answer.headers['retry-after']));
      }
      let text = '';
      let calls = 0;
      for await (const part of answerParts(answer)) {
        if ('text' in part) {
          text += part.text;
        } else {
          calls += 1;
        }
        progress.report(
          'text' in part
            ? new vscode.LanguageModelTextPart(part.text)
            : new vscode.LanguageModelToolCallPart(part.call.id, part.call.name, part.call.input),
        );
      }
      // An answer that calls tools goes on: only the last one of a question has an end to write below.
      if (calls === 0 && text.trim() !== '') {
        const facts = sentFacts(answer.headers);
        const { path: workspace, uri } = folder ?? {};
        const { endpoint } = state;
        const question = questionIn(messages);
        const answered = { question, text, facts, endpoint, workspace, folder: uri };
        const footer = await this.aftermath.footer(answered, token);
        if (footer !== '' && !token.isCancellationRequested) {
          progress.report(new vscode.LanguageModelTextPart(footer));
        }
      }
    } catch (error) {
      if (token.isCancellationRequested) {
        throw new vscode.CancellationError();
      }
      throw error;
    } finally {
      abort.dispose();
      void this.proxy.refresh();
    }
  }

  provideTokenCount(_model: OfferedModel, text: string | vscode.LanguageModelChatRequestMessage): Promise<number> {
    return Promise.resolve(typeof text === 'string' ? estimatedTokens(text) : messageTokens(text));
  }
}

/** Aborts when the token does, or when it is disposed: leaving the answer closes the connection. */
function abortWith(token: vscode.CancellationToken): { readonly signal: AbortSignal; dispose(): void } {
  const abort = new AbortController();
  const listener = token.onCancellationRequested(() => {
    abort.abort();
  });
  if (token.isCancellationRequested) {
    abort.abort();
  }
  return {
    signal: abort.signal,
    dispose: () => {
      listener.dispose();
      abort.abort();
    },
  };
}

/** One line and nothing more: a chat shows whatever else an error carries. */
function refused({ kind, sentence }: Failure): Error {
  const error = new Error(sentence);
  error.name = kind === 'other' ? 'Error' : kindNames[kind];
  error.stack = '';
  return error;
}
