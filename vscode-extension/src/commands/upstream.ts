/** “Choose Upstream”: which model server answers chats. Written into the user's own `config.toml`, never a workspace's. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { reasonOf } from '../base/logger';
import { offerEvidenceOnly } from '../base/settings';
import type { ProxyState } from '../proxy/state';
import { refusedAddress, withKeptChats, withUpstream } from '../proxy/upstreamSetting';
import { run } from '../python/run';
import { launchOf } from '../server/launch';
import { count } from '../view/words';
import type { CommandNeeds } from './needs';

interface Known extends vscode.QuickPickItem {
  readonly url?: string;
}

const known: readonly Known[] = [
  { label: 'Ollama', description: 'http://127.0.0.1:11434', url: 'http://127.0.0.1:11434' },
  { label: 'LM Studio', description: 'http://127.0.0.1:1234', url: 'http://127.0.0.1:1234' },
  { label: 'llama.cpp', description: 'http://127.0.0.1:8080', url: 'http://127.0.0.1:8080' },
  { label: 'vLLM', description: 'http://127.0.0.1:8000', url: 'http://127.0.0.1:8000' },
  { label: 'Another Address…', description: 'any server that speaks the OpenAI API' },
];
const timeoutMs = 30_000;

export async function chooseUpstream(needs: CommandNeeds, given?: unknown): Promise<void> {
  const url = typeof given === 'string' ? given : await asked();
  if (url === undefined) {
    return;
  }
  const refused = refusedAddress(url);
  if (refused) {
    throw new Error(refused);
  }
  const { file, isAskedAboutChats } = await userSettings(needs);
  await change(file, (text) => withUpstream(text, url));
  needs.logs.logger.info('Another upstream was chosen.');
  if (isMissing(await needs.proxy.refresh()) && !(await needs.setup.install('proxy'))) {
    return;
  }
  if (!isAskedAboutChats) void askAboutChats(file, needs);
  const state = await needs.proxy.refresh(true);
  const open = 'Open Settings File';
  const models = 'Show Models';
  const isUp = state.kind === 'ready' && state.upstreams.some((one) => one.state === 'up');
  const sentence = isUp
    ? `Chats go to ${url}: ${count(state.models.length, 'model')} ${state.models.length === 1 ? 'is' : 'are'} offered. One step is left, once: see them in the list of models.`
    : `Chats go to ${url}, which does not answer yet; start it, and choose a model in the chat.`;
  const chosen = await vscode.window.showInformationMessage(sentence, ...(isUp ? [models] : []), open);
  if (chosen === models) {
    await showModels();
  } else if (chosen === open) {
    await vscode.window.showTextDocument(vscode.Uri.file(file));
  }
}

/** Asks once whether chats are kept: either answer is written down, and who looks away is asked the next time. */
async function askAboutChats(file: string, needs: CommandNeeds): Promise<void> {
  const keep = 'Keep Them';
  const dont = "Don't Keep Them";
  const question =
    'Keep chats with these models on this machine, so that facts can be drawn from them? Nothing is sent anywhere.';
  const chosen = await vscode.window.showInformationMessage(question, keep, dont);
  if (chosen === undefined) return;
  try {
    await change(file, (text) => withKeptChats(text, chosen === keep));
    needs.logs.logger.info(chosen === keep ? 'Chats are kept.' : 'Chats are not kept.');
  } catch (error) {
    needs.logs.logger.error('The answer could not be written', error);
    void vscode.window.showErrorMessage(`${reasonOf(error)} Chats are not kept.`);
  }
}

/** Replaces a settings file whole. */
async function change(file: string, edit: (text: string) => string): Promise<void> {
  const before = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return '';
    }
    throw error;
  });
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.new`, edit(before), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** The editor's own agent, which carries plain questions, wakes up once its list of models was seen. */
async function showModels(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.chat.manage');
}

/** Offers evidence as a model, so that `@helix` is asked where there is no other, and opens the chat. */
export async function chatWithoutModel(): Promise<void> {
  await offerEvidenceOnly();
  await vscode.commands.executeCommand('workbench.action.chat.open', { query: '@helix ', isPartialQuery: true });
}

function isMissing(state: ProxyState): boolean {
  return state.kind === 'off' && state.isMissing === true;
}

async function asked(): Promise<string | undefined> {
  const picked = await vscode.window.showQuickPick<Known>(known, {
    title: 'Helix: Choose Upstream',
    placeHolder: 'The server whose models answer chats; questions go there with the evidence Helix adds',
  });
  if (!picked || picked.url) {
    return picked?.url;
  }
  const typed = await vscode.window.showInputBox({
    title: 'Helix: Choose Upstream',
    prompt: 'Address of an OpenAI-compatible server. Its key comes from HELIX_UPSTREAM_KEY, not from here.',
    placeHolder: 'https://models.example.com/v1',
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() ? refusedAddress(value.trim()) : undefined),
  });
  const address = typed?.trim() ?? '';
  return address === '' ? undefined : address;
}

/** Where Helix reads this user's settings, as it says itself, and whether the user decided if chats are kept. */
async function userSettings(needs: CommandNeeds): Promise<{ file: string; isAskedAboutChats: boolean }> {
  const interpreter = await needs.server.interpreter();
  const launch = launchOf(interpreter, needs.cwd, process.env, ['config', '--json', needs.cwd]);
  const { stdout } = await run(launch.command, launch.args, { cwd: launch.cwd, env: { ...launch.env }, timeoutMs });
  const { files, settings } = JSON.parse(stdout) as {
    files: readonly { role: string; path: string }[];
    settings: readonly { key: string; origin: string }[];
  };
  const file = files.find(({ role }) => role === 'user')?.path;
  if (!file) {
    throw new Error('Helix names no settings file of yours; run “Helix: Doctor”.');
  }
  const learn = settings.find(({ key }) => key === 'memory.learn');
  return { file, isAskedAboutChats: learn !== undefined && learn.origin !== 'default' };
}
