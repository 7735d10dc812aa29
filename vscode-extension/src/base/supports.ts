/** Which of the editor's newer parts are there: forks and older builds lack some, and Helix works without each of them. */
import * as vscode from 'vscode';

const api: { readonly chat?: Partial<typeof vscode.chat>; readonly lm?: Partial<typeof vscode.lm> } = vscode;

const isThere = (part: unknown): boolean => typeof part === 'function';

export const supports = {
  participants: isThere(api.chat?.createChatParticipant),
  modelProviders: isThere(api.lm?.registerLanguageModelChatProvider),
  tools: isThere(api.lm?.registerTool),
  mcpServers: isThere(api.lm?.registerMcpServerDefinitionProvider),
} as const;
