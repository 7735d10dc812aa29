/** The five places where an interpreter is looked for, in their order. */
import * as vscode from 'vscode';
import { interpreterSetting } from '../base/settings';
import type { PythonExtensions } from './extensions';
import { findBundle, findPrivate } from './privateEnvironment';
import type { InterpreterSource } from './resolve';
import { onSearchPath } from './searchPath';

export interface Places {
  /** Where the extension keeps what it makes. */
  readonly storage: string;
  /** Where the wheel is that came with the extension. */
  readonly bundled: string;
}

/** In a workspace that is not trusted only the user's own choices count, not what a folder made an extension select. */
export function interpreterSources(
  places: Places,
  extensions: PythonExtensions,
  trusted: boolean,
): InterpreterSource[] {
  return [
    {
      name: 'setting helix.interpreter',
      find: () => {
        const path = interpreterSetting();
        return Promise.resolve(path ? { paths: [path] } : { none: 'not set' });
      },
    },
    {
      name: 'private environment',
      find: async () => {
        const found = await findPrivate(places.storage, await findBundle(places.bundled));
        return 'python' in found ? { paths: [found.python] } : found;
      },
    },
    ...extensions.sources().map((source) => (trusted ? source : withheld(source))),
    {
      name: 'PATH',
      find: async () => {
        const paths = await onSearchPath(process.env['PATH'] ?? '', workspaceFolders());
        return paths.length > 0 ? { paths } : { none: 'no Python on it' };
      },
    },
  ];
}

/** The folders of this window that are on disk. */
export function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === 'file')
    .map((folder) => folder.uri.fsPath);
}

function withheld(source: InterpreterSource): InterpreterSource {
  return { name: source.name, find: () => Promise.resolve({ none: 'not asked: this workspace is not trusted' }) };
}
