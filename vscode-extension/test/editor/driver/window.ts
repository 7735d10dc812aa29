/** One window of VS Code in a real browser: its palette, editors, hovers, notifications and pictures. */
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';

import type { CodeServer } from './server.ts';
import { limit, until } from './until.ts';

export interface WindowOptions {
  payload?: [string, string][];
  /** Another window of the same profile: it shares what the browser stores. */
  beside?: EditorWindow;
  /** Exposed to the page before it loads. */
  functions?: Record<string, (...values: unknown[]) => void>;
}

export interface Notification {
  message: string;
  buttons: string[];
}

/** VS Code draws every space as one. */
const NO_BREAK_SPACE = '\u00a0';
const SIZE = { width: 1400, height: 900 };

export class EditorWindow {
  readonly page: Page;
  readonly console: string[] = [];
  readonly #context: BrowserContext;

  private constructor(page: Page, context: BrowserContext) {
    this.page = page;
    this.#context = context;
    page.on('console', (message) => this.console.push(`${message.type()} ${message.text()}`));
  }

  /** Opens a folder or a `.code-workspace` file; the one place that is tried a second time. */
  static async open(
    browser: Browser,
    server: CodeServer,
    target: string,
    options: WindowOptions = {},
  ): Promise<EditorWindow> {
    try {
      return await EditorWindow.#load(browser, server, target, options);
    } catch (error) {
      console.log(`      a window did not open, trying once more: ${String(error).split('\n')[0] ?? ''}`);
      return EditorWindow.#load(browser, server, target, options);
    }
  }

  static async #load(
    browser: Browser,
    server: CodeServer,
    target: string,
    options: WindowOptions,
  ): Promise<EditorWindow> {
    const context = options.beside === undefined ? await newProfile(browser) : options.beside.#context;
    const page = await context.newPage();
    page.setDefaultTimeout(limit(15_000));
    const window = new EditorWindow(page, context);
    try {
      for (const [name, act] of Object.entries(options.functions ?? {})) await page.exposeFunction(name, act);
      await page.goto(server.address(target, options.payload), { timeout: limit(30_000) });
      await page
        .locator('.monaco-workbench .statusbar-item')
        .first()
        .waitFor({ timeout: limit(30_000) });
      return window;
    } catch (error) {
      await page.close();
      throw error;
    }
  }

  /** Runs a command by its whole title in the palette; the list is fixed when it opens, so it is opened until it has it. */
  async run(title: string, withinMs = 20_000): Promise<void> {
    const row = this.page.locator('.quick-input-list .monaco-list-row').filter({
      has: this.page.locator('.label-name').getByText(title, { exact: true }),
    });
    const none = this.page.locator('.quick-input-list').getByText('No matching commands');
    const choose = async (): Promise<boolean> => {
      await this.#quickInput('F1');
      await this.#fill(`>${title}`);
      // What is not in the list now is not waited for.
      await row
        .or(none)
        .first()
        .waitFor({ timeout: limit(2_000) });
      if ((await row.count()) === 0) return false;
      await row.first().click({ timeout: limit(2_000) });
      return true;
    };
    await until(`the palette runs ${title}`, choose, { withinMs });
  }

  /** Types an answer into the box a command has opened, the one that says `says` where that is given. */
  async answer(text: string, says = ''): Promise<void> {
    await this.#asked();
    const box = this.page.locator('.quick-input-widget', { hasText: says });
    await box.waitFor({ state: 'visible' });
    const input = box.locator('input').first();
    await input.fill(text);
    await input.press('Enter');
  }

  /** Runs a command that offers a list, and takes the entry with this label; a list that closes is opened again. */
  async choose(title: string, label: string): Promise<void> {
    const row = this.page.locator('.quick-input-list .monaco-list-row').filter({
      has: this.page.locator('.label-name').getByText(label, { exact: true }),
    });
    const choose = async (): Promise<boolean> => {
      await this.run(title);
      await this.#asked();
      await this.#fill(label);
      await row.first().click({ timeout: limit(2_000) });
      return true;
    };
    await until(`${title} offers ${label}`, choose, { withinMs: 30_000 });
  }

  /** Opens a file of the workspace, at a line counted from 1. */
  async openFile(name: string, line = 1): Promise<void> {
    const base = name.split('/').at(-1) ?? name;
    const row = this.page.locator('.quick-input-list .monaco-list-row').filter({
      has: this.page.locator('.label-name').getByText(base, { exact: true }),
    });
    const open = async (): Promise<boolean> => {
      await this.#quickInput('Control+P');
      await this.#fill(`${name}:${line}`);
      await row.first().click({ timeout: limit(2_000) });
      return true;
    };
    await until(`${name} is among the files`, open, { withinMs: 20_000 });
    await this.page.locator(`.tab.active[data-resource-name="${base}"]`).waitFor();
    // What is typed next goes there: the editor has the focus, and the cursor is in the line.
    await this.page.locator('.editor-instance .monaco-editor.focused .view-line').first().waitFor();
    await until(`the cursor is in line ${line}`, async () => (await this.cursorLine()) === line, { withinMs: 10_000 });
  }

  /** The line of the cursor, counted from 1, as the status bar says it. */
  async cursorLine(): Promise<number> {
    const shown = await this.page.locator('.statusbar-item', { hasText: /Ln \d+/ }).innerText();
    return Number(/Ln (\d+)/.exec(shown)?.[1]);
  }

  /** What the status bar says of a selection; empty where nothing is selected. */
  async selected(): Promise<string> {
    const shown = await this.page.locator('.statusbar-item', { hasText: /Ln \d+/ }).innerText();
    return /\([^)]*selected\)/.exec(shown)?.[0] ?? '';
  }

  /** Moves the mouse over a word in the active editor and returns the hover's text, once it contains `expected`. */
  async hover(word: string, expected: string | RegExp, withinMs = 15_000): Promise<string> {
    const what = `a hover over ${word} that says ${String(expected)}`;
    const move = async (): Promise<string> => {
      await this.page.mouse.move(5, 450);
      const { x, y } = await this.#placeOf(word);
      await this.page.mouse.move(x - 2, y);
      await this.page.mouse.move(x, y, { steps: 3 });
      return this.#shownHover(what, expected);
    };
    return until(what, move, { withinMs });
  }

  /** Moves the mouse over the status item and returns the tooltip's text, once it contains `expected`. */
  async statusTooltip(expected: string): Promise<string> {
    const what = `a tooltip of the status item that says ${expected}`;
    const move = async (): Promise<string> => {
      await this.leave();
      await this.statusItem().hover();
      return this.#shownHover(what, expected);
    };
    return until(what, move, { withinMs: 20_000 });
  }

  /** Ends any hover: the mouse goes where nothing is. */
  async leave(): Promise<void> {
    await this.page.mouse.move(700, 5);
    await this.page.keyboard.press('Escape');
  }

  /** What Helix's status item shows, as a screen reader hears it; empty when it is not there. */
  async status(): Promise<string> {
    const item = this.statusItem();
    if ((await item.count()) === 0) return '';
    return (await item.getAttribute('aria-label')) ?? (await item.innerText());
  }

  statusItem(): ReturnType<Page['locator']> {
    return this.page.locator('.statusbar-item[id^="helix-context"], .statusbar-item[id*="helix"]').first();
  }

  /** The pop-ups in the corner, newest first. */
  async notifications(): Promise<Notification[]> {
    return this.page.locator('.notifications-toasts .notification-list-item').evaluateAll((items) =>
      items.map((item) => ({
        message: item.querySelector('.notification-list-item-message')?.textContent ?? '',
        buttons: [...item.querySelectorAll('.notification-list-item-buttons-container .monaco-button')].map(
          (button) => button.textContent,
        ),
      })),
    );
  }

  /** Makes the side bar so many pixels wide. */
  async widenSideBar(width: number): Promise<void> {
    const box = await this.page.locator('.part.sidebar').boundingBox();
    if (box === null) throw new Error('no side bar is shown');
    await this.page.mouse.move(box.x + box.width + 1, 400);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + width, 400, { steps: 4 });
    await this.page.mouse.up();
    await this.leave(); // else the border stays lit
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Types into the active editor, and waits until the last of the lines is drawn. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    const last = text.trim().split('\n').at(-1) ?? '';
    await until(`the editor shows ${last}`, async () => (await this.editorText()).includes(last), { withinMs: 5_000 });
  }

  /** The text of the active editor as far as it is drawn. */
  async editorText(): Promise<string> {
    const lines = await this.page.locator('.editor-instance .view-line').allInnerTexts();
    return lines.join('\n').replaceAll(NO_BREAK_SPACE, ' ');
  }

  /** The page inside a webview, the one whose document matches `selector`. */
  async webview(selector: string, withinMs = 20_000): Promise<Frame> {
    const find = async (): Promise<Frame | undefined> => {
      for (const frame of this.page
        .frames()
        .filter((frame) => frame.name() === 'active-frame' || frame.url().includes('fake.html'))) {
        if ((await frame.locator(selector).count()) > 0) return frame;
      }
      return undefined;
    };
    return until(`a webview with ${selector}`, find, { withinMs });
  }

  /** Runs Debug Information and returns its rendered text, once it is one that `isWhole`. */
  async debugInformation(isWhole: (text: string) => boolean): Promise<string> {
    await this.run('Helix: Debug Information');
    const text = await until(
      'the debug information is shown, rendered',
      async () => {
        const page = await this.webview('h1:has-text("Helix: debug information")', 2_000);
        const shown = await page.locator('body').innerText();
        return isWhole(shown) ? shown : undefined;
      },
      { withinMs: 20_000 },
    );
    return text;
  }

  async close(): Promise<void> {
    await this.page.close();
    if (this.#context.pages().length === 0) await this.#context.close();
  }

  /** A notification or a menu can swallow the key, so it is pressed until the box is there. */
  async #quickInput(key: string): Promise<void> {
    const box = this.page.locator('.quick-input-widget');
    const open = async (): Promise<boolean> => {
      await this.page.keyboard.press('Escape');
      await this.page.keyboard.press(key);
      await box.waitFor({ state: 'visible', timeout: limit(2_000) });
      return true;
    };
    await until(`${key} opens the quick input`, open, { withinMs: 20_000, everyMs: 300 });
  }

  /** Waits until the box of a command is there: the palette closes first, and what is typed into it is lost. */
  async #asked(): Promise<void> {
    const input = this.page.locator('.quick-input-widget input').first();
    const opened = async (): Promise<boolean> =>
      (await input.isVisible()) && !(await input.inputValue()).startsWith('>');
    await until('the command asks', opened, { withinMs: 5_000 });
  }

  /** What takes the focus just then closes the box again, so nobody waits long for it. */
  async #fill(text: string): Promise<void> {
    await this.page
      .locator('.quick-input-widget input')
      .first()
      .fill(text, { timeout: limit(2_000) });
  }

  /** The text of the hover that is shown, once it contains `expected`; the mouse is there. */
  async #shownHover(what: string, expected: string | RegExp): Promise<string> {
    const find = async (): Promise<string> => {
      const shown = await this.#hoverText();
      if (typeof expected === 'string' ? shown.includes(expected) : expected.test(shown)) return shown;
      throw new Error(shown === '' ? 'no hover' : shown);
    };
    return until(what, find, { withinMs: 1_500, everyMs: 100 });
  }

  async #hoverText(): Promise<string> {
    const shown = await this.page
      .locator('.monaco-hover:not(.hidden) .hover-row, .monaco-hover:not(.hidden)')
      .allInnerTexts();
    return [...new Set(shown)].join('\n').replaceAll(NO_BREAK_SPACE, ' ');
  }

  async #placeOf(word: string): Promise<{ x: number; y: number }> {
    const place = await this.page.locator('.editor-instance .view-line').evaluateAll((lines, wanted) => {
      for (const line of lines) {
        const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
          const at = (node.textContent ?? '').indexOf(wanted);
          if (at < 0) continue;
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + wanted.length);
          const box = range.getBoundingClientRect();
          return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        }
      }
      return undefined;
    }, word);
    if (place === undefined) throw new Error(`the editor does not show ${word}`);
    return place;
  }
}

/** What a browser stores, the extension's own state included, lives and dies with it. */
function newProfile(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({ viewport: SIZE, reducedMotion: 'reduce' });
}
