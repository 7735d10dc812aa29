/** Quick fixes where a memory cites lines that are not as they were: confirm it, or say what is so now. */
import * as vscode from 'vscode';
import { citedMemory, type CitedMemory } from './memoryList';

const fixes = [
  { title: 'Helix: The memory is still so; cite these lines', command: 'helix.memories.confirm' },
  { title: 'Helix: Something else is so now…', command: 'helix.memories.supersede' },
] as const;

export function registerStaleCitations(): vscode.Disposable {
  const provider: vscode.CodeActionProvider = {
    provideCodeActions(document, _range, { diagnostics }) {
      const workspace = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.toString();
      return workspace === undefined ? [] : diagnostics.flatMap((one) => actionsFor(one, workspace));
    },
  };
  return vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, provider, {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });
}

function actionsFor(diagnostic: vscode.Diagnostic, workspace: string): vscode.CodeAction[] {
  const cited = citedMemory(diagnostic);
  if (cited === undefined) return [];
  return fixes.map(({ title, command }) => {
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.diagnostics = [diagnostic];
    action.command = { title, command, arguments: [{ cited, workspace } satisfies CitedMemory] };
    return action;
  });
}
