/**
 * What the status item says, as a pure function of the state of the server and of each folder.
 * Nothing is guessed here: a folder without a status yet is starting.
 */
import { isLevel, type LiveStatus } from '../base/protocol';
import type { ProxyText } from '../proxy/proxyText';
import { noPythonText, refusedSetting } from '../python/resolve';
import type { ServerState } from '../server/state';
import { count as counted } from '../view/words';

export type Look = 'plain' | 'warning' | 'error';

export interface StatusText {
  /** Text of the item, with a codicon. */
  readonly text: string;
  /** Markdown, without command links. */
  readonly tooltip: string;
  /** What a screen reader says. */
  readonly label: string;
  readonly look: Look;
  /** What a click does. */
  readonly command: 'helix.showStatus' | 'helix.restart' | 'helix.setUp' | 'helix.showLogs';
  /** What is offered below the details. */
  readonly actions: readonly StatusAction[];
}

export interface StatusAction {
  readonly title: string;
  readonly command: string;
}

interface Overall {
  readonly icon: string;
  readonly word: string;
  readonly suffix?: string;
  readonly look?: Look;
}

const act = {
  ask: { title: 'Ask', command: 'helix.ask.question' },
  refresh: { title: 'Refresh', command: 'helix.refreshIndex' },
  pause: { title: 'Pause', command: 'helix.pauseIndexing' },
  resume: { title: 'Resume', command: 'helix.resumeIndexing' },
  restart: { title: 'Restart', command: 'helix.restart' },
  logs: { title: 'Show Logs', command: 'helix.showLogs' },
  setUp: { title: 'Set Up', command: 'helix.setUp' },
  trust: { title: 'Manage Trust', command: 'workbench.trust.manage' },
  setting: { title: 'Open Setting', command: 'helix.openInterpreterSetting' },
  choose: { title: 'Choose Interpreter', command: 'helix.chooseInterpreter' },
  model: { title: 'Set Up Embedding Model', command: 'helix.setUpModel' },
} as const satisfies Record<string, StatusAction>;

export function statusText(server: ServerState, folders: readonly LiveStatus[], chat?: ProxyText): StatusText {
  switch (server.kind) {
    case 'stopped':
      return serverOnly('circle-slash', 'stopped', 'The language server does not run.', 'plain', act.restart);
    case 'settingUp':
      return serverOnly('sync~spin', 'setting up', 'The private environment is being made.', 'plain', act.logs);
    case 'crashed':
      return serverOnly('error', 'error', server.message, 'error', act.restart, act.logs);
    case 'noPython':
      if (refusedSetting(server.resolution) !== undefined) {
        const why = noPythonText(server.resolution);
        return serverOnly('error', 'interpreter', why, 'error', act.setting, act.choose, act.setUp, act.logs);
      }
      return server.resolution.base
        ? serverOnly('warning', 'set up', 'Helix has no Python environment yet.', 'warning', act.setUp, act.choose)
        : serverOnly(
            'error',
            'no Python',
            'No Python 3.11 or newer was found.',
            'error',
            act.setUp,
            act.choose,
            act.logs,
          );
    case 'starting':
      return serverOnly('sync~spin', 'starting', 'The language server is starting.', 'plain', act.logs);
    case 'running':
      return running(folders, chat);
  }
}

/** One line on a folder: its state, what is in its index, and what to do where something is wrong. */
export function folderLine(folder: LiveStatus): string {
  const parts = [stateWords(folder)];
  if (folder.state !== 'error' && folder.state !== 'missing') {
    parts.push(`${counted(folder.files, 'file')}, ${counted(folder.items, 'item')}`);
  }
  if (folder.branch) {
    parts.push(`on ${folder.branch}`);
  }
  if (folder.watching === 'polling') {
    parts.push('watching by polling');
  }
  if (folder.watching === 'off') {
    parts.push('not watching');
  }
  if (folder.restricted) {
    parts.push('restricted');
  }
  return parts.join(' · ');
}

export function folderName(folder: LiveStatus): string {
  return folder.workspace.split(/[\\/]/).filter(Boolean).at(-1) ?? folder.workspace;
}

function running(folders: readonly LiveStatus[], chat: ProxyText | undefined): StatusText {
  const overall = overallOf(folders);
  const text = overall.suffix ? `$(${overall.icon}) Helix ${overall.suffix}` : `$(${overall.icon}) Helix`;
  const problems = folders.filter((folder) => folder.message);
  const lines = folders.map((folder) => `**${escaped(folderName(folder))}** — ${escaped(folderLine(folder))}`);
  const notes = problems.map((folder) => escaped([folder.message, folder.action].filter(Boolean).join(' ')));
  const paused = folders.some((folder) => folder.state === 'paused');
  const restricted = folders.some((folder) => folder.restricted);
  if (restricted) {
    notes.push('Restricted Mode: nothing that this workspace brings along is used or run.');
  }
  if (chat) {
    notes.push(`**Chat** — ${escaped(chat.line)}`);
  }
  return {
    text,
    tooltip: [`**Helix** is ${overall.word}`, ...lines, ...notes].join('\n\n'),
    label: [`Helix: ${overall.word}`, ...folders.map((folder) => `${folderName(folder)}: ${folderLine(folder)}`)].join(
      '. ',
    ),
    look: overall.look ?? 'plain',
    command: 'helix.showStatus',
    actions: [
      act.ask,
      act.refresh,
      paused ? act.resume : act.pause,
      ...(overall.look === 'error' ? [act.restart] : []),
      ...(chat?.action ? [chat.action] : []),
      ...(folders.length > 0 && !restricted ? [act.model] : []),
    ],
  };
}

/** The state of all folders in one: the one that most wants to be seen. */
function overallOf(folders: readonly LiveStatus[]): Overall {
  const has = (state: LiveStatus['state']): boolean => folders.some((folder) => folder.state === state);
  const indexing = folders.filter((folder) => folder.state === 'indexing');
  if (has('error')) {
    return { icon: 'error', word: 'in trouble', look: 'error' };
  }
  if (has('missing')) {
    return { icon: 'warning', word: 'missing a folder', look: 'warning' };
  }
  if (indexing.length > 0) {
    const done = sum(indexing.map((folder) => folder.done));
    const total = sum(indexing.map((folder) => folder.total));
    return { icon: 'sync~spin', word: 'indexing', ...(total > 0 && { suffix: `${count(done)}/${count(total)}` }) };
  }
  if (folders.length === 0 || has('starting')) {
    return folders.length === 0
      ? { icon: 'circle-outline', word: 'waiting for a folder' }
      : { icon: 'sync~spin', word: 'starting' };
  }
  if (has('paused')) {
    return { icon: 'debug-pause', word: 'paused', suffix: 'paused' };
  }
  const setAside = sum(folders.map((folder) => folder.set_aside ?? 0));
  if (setAside > 0) {
    return { icon: 'warning', word: `without ${count(setAside)} of the files`, suffix: `${count(setAside)} set aside` };
  }
  if (folders.some((folder) => folder.restricted)) {
    return { icon: 'shield', word: 'fresh, restricted' };
  }
  if (folders.some((folder) => folder.watching === 'polling')) {
    return { icon: 'history', word: 'fresh, polling', suffix: 'polling' };
  }
  return { icon: 'pass', word: 'fresh' };
}

function stateWords(folder: LiveStatus): string {
  if (isLevel(folder.state) && folder.set_aside) {
    return `${count(folder.set_aside)} set aside`;
  }
  if (folder.state !== 'indexing') {
    return folder.state;
  }
  const phase = folder.phase || 'indexing';
  return folder.total > 0 ? `${phase} ${count(folder.done)} of ${count(folder.total)}` : phase;
}

function serverOnly(
  icon: string,
  word: string,
  sentence: string,
  look: Look,
  ...actions: readonly StatusAction[]
): StatusText {
  const first = actions[0]?.command;
  const command =
    first === 'helix.restart' || first === 'helix.setUp' || first === 'helix.showLogs' ? first : undefined;
  return {
    text: look === 'plain' ? `$(${icon}) Helix` : `$(${icon}) Helix: ${word}`,
    tooltip: `**Helix**: ${escaped(sentence)}`,
    label: `Helix: ${word}. ${sentence}`,
    look,
    command: command ?? 'helix.showStatus',
    actions,
  };
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Names of folders and branches are others' text: it must not become Markdown, nor an icon. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~$&-]/g, '\\$&');
}
