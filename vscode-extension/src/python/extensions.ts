/** What the two Python extensions offer, as far as it is used here. Neither is a dependency: either may be missing. */
import * as vscode from 'vscode';
import { reasonOf } from '../base/logger';
import type { InterpreterSource, Named, SourceName } from './resolve';

interface EnvironmentsApi {
  getEnvironment(
    scope: vscode.Uri | undefined,
  ): Promise<{ readonly execInfo?: { readonly run?: { readonly executable?: string } } } | undefined>;
  readonly onDidChangeEnvironment?: vscode.Event<unknown>;
}

interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ readonly executable?: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

const answerMs = 10_000;

/** Both extensions as sources, and one event for either selecting another interpreter. */
export class PythonExtensions implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<string>();
  private readonly listeners: vscode.Disposable[] = [];
  private readonly listening = new Set<string>();
  readonly onChange = this.changes.event;

  sources(): InterpreterSource[] {
    return [
      this.source<EnvironmentsApi>('Python Environments extension', 'ms-python.vscode-python-envs', {
        event: (api) => api.onDidChangeEnvironment,
        path: async (api) => (await api.getEnvironment(firstFolder()))?.execInfo?.run?.executable,
      }),
      this.source<PythonApi>('Python extension', 'ms-python.python', {
        event: (api) => api.environments?.onDidChangeActiveEnvironmentPath,
        path: async (api) => {
          const active = api.environments?.getActiveEnvironmentPath(firstFolder());
          const resolved = active && (await api.environments?.resolveEnvironment(active));
          return resolved?.executable?.uri?.fsPath ?? active?.path;
        },
      }),
    ];
  }

  dispose(): void {
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
    this.changes.dispose();
  }

  private source<Api>(
    name: SourceName,
    id: string,
    how: {
      readonly event: (api: Api) => vscode.Event<unknown> | undefined;
      readonly path: (api: Api) => Promise<string | undefined>;
    },
  ): InterpreterSource {
    const find = async (): Promise<Named> => {
      const extension = vscode.extensions.getExtension<Api | undefined>(id);
      if (!extension) {
        return { none: 'not installed' };
      }
      try {
        const api = await inTime(extension.activate());
        if (!api) {
          return { none: 'offers no interpreter' };
        }
        this.listen(id, how.event(api));
        const path = await inTime(how.path(api));
        return path ? { paths: [path] } : { none: 'has no interpreter selected' };
      } catch (error) {
        return { none: reasonOf(error) };
      }
    };
    return { name, find };
  }

  private listen(id: string, event: vscode.Event<unknown> | undefined): void {
    if (event && !this.listening.has(id)) {
      this.listening.add(id);
      this.listeners.push(
        event(() => {
          this.changes.fire(`${id} told of a change`);
        }),
      );
    }
  }
}

function firstFolder(): vscode.Uri | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri;
}

async function inTime<T>(answer: Thenable<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      answer,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new Error(`did not answer within ${answerMs / 1000} s`));
        }, answerMs);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
