/** Reports settings with invalid values: once at the start, and when one is changed to an invalid value. */
import * as vscode from 'vscode';
import type { Logger } from '../base/logger';
import { wrongSettings } from '../base/settings';
import type { Contributed } from '../base/wrongSetting';

export function tellWrongSettings(settings: Readonly<Record<string, Contributed>>, logger: Logger): vscode.Disposable {
  const told = new Set<string>();
  const tell = async (): Promise<void> => {
    const wrong = wrongSettings(settings);
    const fresh = wrong.filter((sentence) => !told.has(sentence));
    told.clear();
    for (const sentence of wrong) told.add(sentence);
    if (fresh.length === 0) return;
    for (const sentence of fresh) logger.warn(sentence);
    const open = 'Open Settings';
    if ((await vscode.window.showWarningMessage(fresh.join(' '), open)) === open) {
      await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:helix-context.helix-context');
    }
  };
  void tell();
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('helix')) void tell();
  });
}
