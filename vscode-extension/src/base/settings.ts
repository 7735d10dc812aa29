/** The settings the extension itself reads. The rest is the server's, which pulls them for each folder. */
import * as vscode from 'vscode';
import type { AgentToolSetting } from './agentMode';
import type { InitializationOptions } from './protocol';

type Watch = InitializationOptions['helix']['watch'];
type Trace = InitializationOptions['helix']['trace'];

/** The interpreter the user named, with `~` resolved by nobody: a path must be whole. Empty when there is none. */
export function interpreterSetting(): string {
  return configuration().get('interpreter', '').trim();
}

/** Remembers the interpreter for every window of this machine. */
export async function rememberInterpreter(path: string): Promise<void> {
  await configuration().update('interpreter', path, vscode.ConfigurationTarget.Global);
}

/** How agents get Helix's tools. */
export function agentToolsSetting(): AgentToolSetting {
  return configuration().get<AgentToolSetting>('agentTools', 'auto');
}

export function initializationOptions(trusted: boolean): InitializationOptions {
  const from = configuration();
  return {
    helix: {
      trusted,
      watch: from.get<Watch>('watch.mode', 'auto'),
      paused: from.get('index.paused', false),
      hover: from.get('hover.enabled', true),
      codeLens: from.get('codeLens.enabled', false),
      diagnostics: from.get('diagnostics.enabled', true),
      trace: from.get<Trace>('trace.server', 'off'),
    },
  };
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('helix');
}
