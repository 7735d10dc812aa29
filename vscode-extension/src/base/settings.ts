/** The settings the extension itself reads. The rest is the server's, which pulls them for each folder. */
import * as vscode from 'vscode';
import type { AgentToolSetting } from './agentMode';
import type { InitializationOptions, ProxySettings } from './protocol';
import { wrongSetting, type Contributed } from './wrongSetting';

type Watch = InitializationOptions['helix']['watch'];
type Severity = InitializationOptions['helix']['severity'];
type Trace = InitializationOptions['helix']['trace'];

const defaults = {
  interpreter: '',
  agentTools: 'auto',
  'chat.evidenceOnly': false,
  'watch.mode': 'auto',
  'index.paused': false,
  'hover.enabled': true,
  'codeLens.enabled': false,
  'diagnostics.enabled': true,
  'diagnostics.severity': 'hint',
  'trail.showOnOpen': true,
  'trace.server': 'off',
} as const;

/**
 * The interpreter the user named, without resolving `~`: a path must be absolute. Empty when there is none, or when
 * the setting is not text, as `wrongSettings` says.
 */
export function interpreterSetting(): string {
  const value = configuration().get<unknown>('interpreter', '');
  return typeof value === 'string' ? value.trim() : '';
}

/** One sentence for each setting that the extension contributes (`helix.…`) whose value is none that it can have. */
export function wrongSettings(contributed: Readonly<Record<string, Contributed>>): string[] {
  const from = vscode.workspace.getConfiguration();
  return Object.entries(contributed).flatMap(([name, about]) => {
    const value = from.get<unknown>(name);
    return (value === undefined ? undefined : wrongSetting(name, value, about)) ?? [];
  });
}

/** The editor's own settings of the chat proxy, as `helix.proxy` takes them; what is not set is left out. */
export function proxySettings(): ProxySettings {
  const from = configuration();
  const number = (name: string, least: number, most: number): number | undefined => {
    const value = from.get<unknown>(name);
    return typeof value === 'number' ? Math.min(Math.max(value, least), most) : undefined;
  };
  const whole = (value: number | undefined): number | undefined => (Number.isInteger(value) ? value : undefined);
  const port = whole(number('proxy.port', 0, 65_535));
  const budget = whole(number('proxy.budgetTokens', 200, 200_000));
  const idle = number('proxy.idleSeconds', 1, 3_600);
  return {
    ...(port !== undefined && { port }),
    ...(budget !== undefined && { budget_tokens: budget }),
    ...(idle !== undefined && { idle_s: idle }),
  };
}

/** Remembers the interpreter for every window of this machine. */
export async function rememberInterpreter(path: string): Promise<void> {
  await configuration().update('interpreter', path, vscode.ConfigurationTarget.Global);
}

/** Whether evidence without a language model is offered as a model. */
export function offersEvidenceOnly(): boolean {
  return valueOf('chat.evidenceOnly') === true;
}

export async function offerEvidenceOnly(): Promise<void> {
  await configuration().update('chat.evidenceOnly', true, vscode.ConfigurationTarget.Global);
}

/** Records which files are opened, in every window of this machine. */
export async function recordTrail(): Promise<void> {
  await configuration().update('trail.record', true, vscode.ConfigurationTarget.Global);
}

/** Whether a folder that is opened says where one was. */
export function showsTrailOnOpen(): boolean {
  return valueOf('trail.showOnOpen') === true;
}

export async function showNoTrailOnOpen(): Promise<void> {
  await configuration().update('trail.showOnOpen', false, vscode.ConfigurationTarget.Global);
}

/** How agents get Helix's tools. */
export function agentToolsSetting(): AgentToolSetting {
  return valueOf('agentTools') as AgentToolSetting;
}

/** How hints are shown: in the editor only, or in the Problems view too. */
export function hintSeverity(): Severity {
  return valueOf('diagnostics.severity') === 'information' ? 'information' : 'hint';
}

export function initializationOptions(trusted: boolean): InitializationOptions {
  return {
    helix: {
      trusted,
      watch: valueOf('watch.mode') as Watch,
      paused: valueOf('index.paused') === true,
      hover: valueOf('hover.enabled') === true,
      codeLens: valueOf('codeLens.enabled') === true,
      diagnostics: valueOf('diagnostics.enabled') === true,
      severity: hintSeverity(),
      trace: valueOf('trace.server') as Trace,
    },
  };
}

/** The value of a setting; its default where the user gave one of another type. */
function valueOf(name: keyof typeof defaults): unknown {
  const usual = defaults[name];
  const value = configuration().get<unknown>(name, usual);
  return typeof value === typeof usual ? value : usual;
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('helix');
}
