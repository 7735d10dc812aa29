/** The packet view as a user meets it: its question box, its rows and their marks. */
import type { Frame } from 'playwright-core';

import { limit, until } from './until.ts';
import type { EditorWindow } from './window.ts';

export type Mark = 'verified' | 'stale_risk' | 'needs_refresh';

export interface Row {
  mark: Mark;
  symbol: string;
  /** As shown: `folder/file:10-20`. */
  where: string;
  reason: string;
}

export class PacketView {
  readonly #window: EditorWindow;

  constructor(window: EditorWindow) {
    this.#window = window;
  }

  /** Asks from the palette and waits for the answer. */
  async askByPalette(question: string): Promise<Row[]> {
    await this.#window.run('Helix: Context Packet for Question');
    await this.#window.answer(question);
    return this.answered(question);
  }

  /** Asks in the view's own box and waits for the answer. */
  async ask(question: string, task?: string): Promise<Row[]> {
    // A page that is loaded anew meanwhile takes what was typed with it.
    const put = async (): Promise<boolean> => {
      const page = await this.page();
      if (task !== undefined) await page.locator('select').first().selectOption(task);
      await page.locator('#question').fill(question);
      await page.locator('#question').press('Enter');
      return true;
    };
    await until(`the view is asked ${question}`, put, { withinMs: 20_000 });
    return this.answered(question);
  }

  /** The rows of the answer to `question`, asked again only when another one is shown, or none. */
  async showing(question: string): Promise<Row[]> {
    if ((await this.#window.page.locator('iframe.webview').count()) > 0) {
      const page = await this.page();
      const shown = await page.locator('h2.query').allInnerTexts();
      if (shown[0]?.trim() === question) return this.rows();
    }
    return this.askByPalette(question);
  }

  /** The rows, once the answer shown is the one to `question`. */
  async answered(question: string, withinMs = 20_000): Promise<Row[]> {
    return until(
      `the packet view answers ${question}`,
      async () => {
        const page = await this.page(2_000);
        const shown = await page.locator('h2.query').innerText({ timeout: limit(1_000) });
        const busy = (await page.locator('.main.busy').count()) > 0;
        if (!busy && shown.trim() === question) return this.rows();
        throw new Error(`it shows the answer to ${shown}`);
      },
      { withinMs },
    );
  }

  async rows(): Promise<Row[]> {
    const page = await this.page(2_000);
    return page.locator('.item').evaluateAll((items) =>
      items.map((item) => {
        const words = (selector: string): string => (item.querySelector(selector)?.textContent ?? '').trim();
        const mark = [...item.classList].find((name) => name.startsWith('s-'))?.slice(2) ?? '';
        return { mark: mark as Mark, symbol: words('.name'), where: words('.where'), reason: words('.reason .word') };
      }),
    );
  }

  /** Waits until a row of `file` carries a mark, and maybe a reason, without anything being asked again. */
  async marked(file: string, mark: Mark, withinMs: number, reason?: RegExp): Promise<Row> {
    const find = async (): Promise<Row> => {
      const rows = (await this.rows()).filter(({ where }) => where.startsWith(file));
      const found = rows.find((row) => row.mark === mark && (reason?.test(row.reason) ?? true));
      if (found !== undefined) return found;
      throw new Error(JSON.stringify(rows));
    };
    return until(`${file} is ${mark} ${reason?.source ?? ''}`, find, { withinMs, everyMs: 20 });
  }

  /** A changed row is marked; a packet that was asked before the index was whole asks itself again, and tells what went. */
  async tellsOfChange(file: string, withinMs: number): Promise<void> {
    const name = file.slice(file.lastIndexOf('/') + 1);
    const tells = async (): Promise<true> => {
      const rows = (await this.rows()).filter(({ where }) => where.startsWith(file));
      if (rows.some((row) => row.mark === 'needs_refresh' && row.reason.includes('changed'))) return true;
      const [, after = ''] = (await (await this.page()).locator('body').innerText()).split('Asked again');
      if (after.includes(name)) return true;
      throw new Error(JSON.stringify(rows));
    };
    await until(`the packet tells that ${file} changed`, tells, { withinMs, everyMs: 20 });
  }

  /** The page inside the view. */
  page(withinMs?: number): Promise<Frame> {
    return this.#window.webview('#question', withinMs);
  }
}
