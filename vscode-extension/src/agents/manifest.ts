/** What the extension reads of its own manifest. */
import type { ExtensionContext } from 'vscode';
import type { Contributed } from '../base/wrongSetting';
import type { ToolWords } from './tools';

export interface Manifest {
  readonly version: string;
  readonly tools: readonly ToolWords[];
  /** What it contributes, by the whole name. */
  readonly settings: Readonly<Record<string, Contributed>>;
}

export function manifestOf(context: ExtensionContext): Manifest {
  const { version, contributes } = context.extension.packageJSON as {
    readonly version: string;
    readonly contributes: {
      readonly languageModelTools: readonly ToolWords[];
      readonly configuration: { readonly properties: Readonly<Record<string, Contributed>> };
    };
  };
  return { version, tools: contributes.languageModelTools, settings: contributes.configuration.properties };
}
