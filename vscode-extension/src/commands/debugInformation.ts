/** What helps to understand a problem, as text that can be shown to anybody: no token, no question, no home folder. */
import type { LiveStatus, StatusAnswer } from '../base/protocol';
import type { Resolution } from '../python/resolve';
import type { ServerState } from '../server/state';
import { count } from '../view/words';

export interface DebugFacts {
  readonly extension: string;
  readonly editor: string;
  readonly platform: string;
  readonly trusted: boolean;
  readonly server: ServerState;
  readonly pid?: number;
  readonly resolution?: Resolution;
  readonly folders: readonly LiveStatus[];
  readonly indexes: readonly StatusAnswer[];
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The document, with `home` and what looks like a secret taken out. */
export function debugInformation(facts: DebugFacts, home: string): string {
  const lines = [
    '# Helix: debug information',
    '',
    `- extension ${facts.extension}, editor ${facts.editor}, ${facts.platform}`,
    `- workspace ${facts.trusted ? 'trusted' : 'restricted'}`,
    `- server ${serverLine(facts)}`,
    '',
    '## Interpreter',
    '',
    ...interpreterLines(facts),
    '',
    '## Folders',
    '',
    ...(facts.folders.length > 0 ? facts.folders.flatMap((folder) => folderLines(folder, facts.indexes)) : ['- none']),
    '',
    '## Settings that are not the default',
    '',
    ...settingLines(facts.settings),
    '',
  ];
  return redacted(lines.join('\n'), home);
}

/** `text` without the home folder's path and without what looks like a token or a password. */
export function redacted(text: string, home: string): string {
  const homes = [home, home.replaceAll('\\', '/'), encodeURI(home.replaceAll('\\', '/'))].filter(
    (one) => one.length > 1,
  );
  const withoutHome = [...new Set(homes)].reduce((left, one) => withoutFolder(left, one), text);
  return withoutHome
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, '$1 …')
    .replace(/\b(token|secret|password|passwd|api[_-]?key)(["']?\s*[=:]\s*["']?)[^\s"',;]+/gi, '$1$2…')
    .replace(/(\w+:\/\/)[^\s/@]+@/g, '$1…@');
}

function withoutFolder(text: string, folder: string): string {
  const end = folder.endsWith('/') || folder.endsWith('\\') ? '' : String.raw`(?![\w.-])`;
  return text.replace(new RegExp(folder.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&') + end, 'g'), '~');
}

function serverLine(facts: DebugFacts): string {
  const live = facts.folders[0]?.server;
  const parts: string[] = [facts.server.kind];
  if (facts.pid) {
    parts.push(`process ${facts.pid}`);
  }
  if (live) {
    parts.push(`Helix ${live.version}, ${live.mode} ${live.pid}`);
  }
  if (facts.server.kind === 'crashed') {
    parts.push(facts.server.message);
  }
  return parts.join(', ');
}

function interpreterLines(facts: DebugFacts): string[] {
  const chosen = facts.resolution?.interpreter;
  const first = chosen
    ? `- ${chosen.path}: Python ${chosen.python} with Helix ${chosen.helix}, from ${chosen.source}`
    : '- none was found';
  const steps = (facts.resolution?.steps ?? []).map(
    (step) => `  - ${step.source}${step.path ? ` (${step.path})` : ''}: ${step.reason}`,
  );
  return [first, ...steps];
}

function folderLines(folder: LiveStatus, indexes: readonly StatusAnswer[]): string[] {
  const index = indexes.find((one) => one.workspace === folder.workspace);
  const pending = index ? index.pending.changed_or_new + index.pending.gone : undefined;
  return [
    `- ${folder.workspace}`,
    `  - ${folder.state}, watching: ${folder.watching}${folder.restricted ? ', restricted' : ''}`,
    `  - ${count(folder.files, 'file')}, ${count(folder.items, 'item')}${pending === undefined ? '' : `, ${pending} waiting`}`,
    ...(index ? [`  - index of ${index.index.size_bytes} bytes at ${index.index.path}`] : []),
    ...(index ? [`  - left out: ${JSON.stringify(index.skipped)}`] : []),
    ...(folder.message ? [`  - ${folder.message} ${folder.action}`.trimEnd()] : []),
  ];
}

function settingLines(settings: Readonly<Record<string, unknown>>): string[] {
  const lines = Object.entries(settings).map(([name, value]) => `- ${name} = ${JSON.stringify(value)}`);
  return lines.length > 0 ? lines : ['- none'];
}
