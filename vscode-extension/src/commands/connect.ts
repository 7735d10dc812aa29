/** “Copy Configuration for …”: the client configuration that `helix connect` prints, on the clipboard. Writes no file. */
import * as vscode from 'vscode';
import { launchOf } from '../server/launch';
import { run, RunError } from '../python/run';
import type { CommandNeeds } from './needs';
import { askedFolder } from './packets';

export const clients = {
  continue: { name: 'Continue', wantsModel: true },
  cursor: { name: 'Cursor', wantsModel: false },
  cline: { name: 'Cline', wantsModel: true },
  zed: { name: 'Zed', wantsModel: true },
  claude: { name: 'Claude', wantsModel: false },
  codex: { name: 'Codex', wantsModel: false },
} as const;
export type AgentProgram = keyof typeof clients;

interface Connection {
  readonly where: string;
  readonly configuration: string;
  /** There where the configuration holds this user's key. */
  readonly api_key?: string;
}

const timeoutMs = 30_000;

export async function copyConfiguration(needs: CommandNeeds, client: AgentProgram): Promise<void> {
  const { name, wantsModel } = clients[client];
  const model = wantsModel ? await chosenModel(needs, name) : undefined;
  if (model === null) {
    return;
  }
  const { where, configuration, api_key: key } = await connection(needs, client, model);
  await vscode.env.clipboard.writeText(configuration);
  const secret = key ? ' It holds your key: keep it to yourself.' : '';
  void vscode.window.showInformationMessage(`Copied the configuration for ${name}; it goes into ${where}.${secret}`);
}

async function connection(needs: CommandNeeds, client: AgentProgram, model: string | undefined): Promise<Connection> {
  const workspace = askedFolder();
  const interpreter = await needs.server.interpreter();
  const words = ['connect', client, '--json'];
  if (workspace) {
    words.push('--path', vscode.Uri.parse(workspace).fsPath);
  }
  if (model) {
    words.push('--model', model);
  }
  const launch = launchOf(interpreter, needs.cwd, process.env, words);
  try {
    const { stdout } = await run(launch.command, launch.args, { cwd: launch.cwd, env: { ...launch.env }, timeoutMs });
    return JSON.parse(stdout) as Connection;
  } catch (error) {
    throw error instanceof RunError ? new Error(sentenceOf(error.message)) : error;
  }
}

/** One of the models behind the proxy, which begins to listen for it; null where the user left. */
async function chosenModel(needs: CommandNeeds, client: string): Promise<string | undefined | null> {
  const state = await needs.proxy.wanted();
  if (state.kind !== 'ready') {
    const choose = 'Choose Upstream';
    const said = state.kind === 'off' ? state.reason : `${client} would ask the chat proxy, which has no upstream yet.`;
    if ((await vscode.window.showWarningMessage(said, choose)) === choose) {
      await vscode.commands.executeCommand('helix.chooseUpstream');
    }
    return null;
  }
  if (state.models.length <= 1) {
    return state.models[0];
  }
  const title = `Helix: Copy Configuration for ${client}`;
  return (await vscode.window.showQuickPick([...state.models], { title, placeHolder: 'Which model?' })) ?? null;
}

/** `ended with status 2: error: no server is running; …` without what only a terminal wants. */
function sentenceOf(message: string): string {
  return message.replace(/^.*?\berror:\s*/i, '');
}
