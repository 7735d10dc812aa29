/** Gathers the facts of the debug information and shows them. */
import os from 'node:os';
import * as vscode from 'vscode';
import { debugInformation } from './debugInformation';
import { serverCommands, type StatusAnswer } from '../base/protocol';
import type { CommandNeeds } from './needs';

export async function showDebugInformation(needs: CommandNeeds): Promise<void> {
  const { server, context } = needs;
  const manifest = context.extension.packageJSON as {
    version: string;
    contributes: { configuration: PackageSettings };
  };
  const text = debugInformation(
    {
      extension: manifest.version,
      editor: `${vscode.env.appName} ${vscode.version}`,
      platform: `${process.platform} ${process.arch}`,
      trusted: vscode.workspace.isTrusted,
      server: server.state,
      ...(server.pid !== undefined && { pid: server.pid }),
      ...(server.resolution && { resolution: server.resolution }),
      folders: server.statuses(),
      indexes: await indexes(needs),
      settings: changedSettings(manifest.contributes.configuration),
    },
    os.homedir(),
  );
  await needs.documents.preview('Debug Information', text);
}

interface PackageSettings {
  readonly properties: Readonly<Record<string, { readonly default?: unknown }>>;
}

async function indexes(needs: CommandNeeds): Promise<StatusAnswer[]> {
  if (needs.server.state.kind !== 'running') {
    return [];
  }
  const asked = needs.server.statuses().map(({ uri }) =>
    needs.server.ask<StatusAnswer>(serverCommands.status, { workspace: uri }).catch((error: unknown) => {
      needs.logs.logger.error('The index could not be asked for its status', error);
      return undefined;
    }),
  );
  return (await Promise.all(asked)).filter((one) => one !== undefined);
}

function changedSettings(contributed: PackageSettings): Record<string, unknown> {
  const names = Object.keys(contributed.properties).filter((name) => {
    const { globalValue, workspaceValue, workspaceFolderValue } =
      vscode.workspace.getConfiguration().inspect(name) ?? {};
    return globalValue !== undefined || workspaceValue !== undefined || workspaceFolderValue !== undefined;
  });
  return Object.fromEntries(names.map((name) => [name, vscode.workspace.getConfiguration().get(name)]));
}
