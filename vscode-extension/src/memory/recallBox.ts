/** The search box of the memory: what answers, as one types, each with its mark; or that nothing does. */
import * as vscode from 'vscode';
import { reasonOf, type Logger } from '../base/logger';
import { serverCommands, type RecallAnswer } from '../base/protocol';
import type { Server } from '../server/server';
import { memoryRows, recallRows, type MemoryGroup, type RecallRow, type Remembered } from './memoryList';

interface Row extends vscode.QuickPickItem {
  readonly memory?: Remembered;
}

/** The editor sorts by label while the user types, unless this is set; older ones ignore it. */
type Unsorted = vscode.QuickPick<Row> & { sortByLabel?: boolean };

/** Milliseconds without a keystroke after which the memory is asked. */
const debounceMs = 200;
const mostFound = 20;

/** Resolves to the memory that was chosen; `known` are the rows before a word is typed. */
export function recalled(
  server: Pick<Server, 'askUntil' | 'statuses'>,
  known: readonly MemoryGroup[],
  logger: Logger,
): Promise<Remembered | undefined> {
  return new Promise((resolve) => {
    const list: Unsorted = vscode.window.createQuickPick<Row>();
    const title = 'Helix: Search Memory';
    let asking = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const show = (rows: readonly RecallRow[]): void => {
      // The server ranks: the list neither filters nor sorts by what is typed.
      list.items = rows.map((row) => ({ ...row, alwaysShow: true }));
      list.busy = false;
    };
    const ask = async (question: string, { signal }: AbortController): Promise<void> => {
      try {
        const answers = await Promise.all(
          server.statuses().map(async ({ uri: workspace }) => {
            const asked = { question, k: mostFound, workspace };
            return { workspace, answer: await server.askUntil<RecallAnswer>(signal, serverCommands.recall, asked) };
          }),
        );
        if (!signal.aborted) show(recallRows(answers));
      } catch (error) {
        if (signal.aborted) return;
        logger.error('helix.memories.search', error);
        list.title = `Helix: ${reasonOf(error)}`;
        list.busy = false;
      }
    };
    const stop = (): void => {
      clearTimeout(timer);
      asking.abort();
    };
    list.title = title;
    list.placeholder = 'What was decided, agreed or learned? Ask in words';
    list.sortByLabel = false;
    list.onDidChangeValue((value) => {
      stop();
      const asked = (asking = new AbortController());
      const question = value.trim();
      list.title = title;
      if (!question) {
        show(memoryRows(known));
        return;
      }
      list.busy = true;
      timer = setTimeout(() => void ask(question, asked), debounceMs);
    });
    list.onDidAccept(() => {
      const [chosen] = list.activeItems;
      if (!chosen?.memory) return;
      resolve(chosen.memory);
      list.hide();
    });
    list.onDidHide(() => {
      stop();
      list.dispose();
      resolve(undefined);
    });
    show(memoryRows(known));
    list.show();
  });
}
