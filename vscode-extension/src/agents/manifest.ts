/** What the extension reads of its own manifest. */
import type { ExtensionContext } from 'vscode';
import type { ToolWords } from './tools';

export interface Manifest {
  readonly version: string;
  readonly tools: readonly ToolWords[];
}

export function manifestOf(context: ExtensionContext): Manifest {
  const { version, contributes } = context.extension.packageJSON as {
    readonly version: string;
    readonly contributes: { readonly languageModelTools: readonly ToolWords[] };
  };
  return { version, tools: contributes.languageModelTools };
}
