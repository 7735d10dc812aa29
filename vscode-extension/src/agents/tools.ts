/** Helix's language-model tools: named and described in the manifest as MCP names and describes them, answered alike. */
import * as vscode from 'vscode';
import { fitted } from './cut';
import type { ToolProcess } from './toolProcess';

export interface ToolWords {
  readonly name: string;
  readonly displayName: string;
}

export function registerTools(tools: readonly ToolWords[], process: ToolProcess): vscode.Disposable {
  return vscode.Disposable.from(...tools.map((tool) => vscode.lm.registerTool(tool.name, toolOf(tool, process))));
}

function toolOf({ name, displayName }: ToolWords, process: ToolProcess): vscode.LanguageModelTool<object> {
  return {
    prepareInvocation: ({ input }) => ({ invocationMessage: `Helix: ${displayName}${aboutOf(input)}` }),
    invoke: async ({ input, tokenizationOptions }, token) => {
      const abort = new AbortController();
      const listener = token.onCancellationRequested(() => {
        abort.abort();
      });
      try {
        const { text, isError } = await process.call(name, input, abort.signal);
        if (isError) {
          throw new Error(text);
        }
        const said = tokenizationOptions
          ? await fitted(text, tokenizationOptions.tokenBudget, async (part) =>
              tokenizationOptions.countTokens(part, token),
            )
          : text;
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(said)]);
      } catch (error) {
        throw token.isCancellationRequested ? new vscode.CancellationError() : error;
      } finally {
        listener.dispose();
      }
    },
  };
}

function aboutOf(input: object): string {
  const { question, source_id: file } = input as { question?: unknown; source_id?: unknown };
  const about = typeof question === 'string' ? `“${question.slice(0, 80)}”` : typeof file === 'string' ? file : '';
  return about ? `, ${about}` : '';
}
