/** The chat view as a user meets it: its box, its model picker, its answers and what can be clicked in them. */
import type { Locator } from 'playwright-core';

import { limit, until } from './until.ts';
import type { EditorWindow } from './window.ts';

const ANSWERING_MS = 45_000;
const VIEW = '.part.auxiliarybar';

/** The editor's own agent, which answers plain chats, was not active yet and asks for an account instead. */
export class SignInError extends Error {}

const unspaced = (text: string): string => text.replaceAll(/\s/g, '');

export class Chat {
  readonly #window: EditorWindow;

  constructor(window: EditorWindow) {
    this.#window = window;
  }

  /** Shows the view and its model picker. A notification or a menu can swallow the key, so it is pressed until it is there. */
  async show(): Promise<void> {
    const { page } = this.#window;
    const shown = async (): Promise<boolean> => {
      await page.keyboard.press('Escape');
      if ((await this.#box().count()) === 0) await page.keyboard.press('Control+Alt+i');
      await this.#picker().waitFor({ timeout: limit(3_000) });
      return true;
    };
    await until('the chat is shown', shown, { withinMs: 60_000, everyMs: 500 });
  }

  /** Shows the view, with an empty chat in it. */
  async begin(): Promise<void> {
    const { page } = this.#window;
    const empty = async (): Promise<boolean> => {
      await this.show();
      if ((await page.locator(`${VIEW} .interactive-request`).count()) === 0) return this.#hasModel();
      const another = page.locator(`${VIEW} .title .action-label[aria-label^="New Chat"]`).first();
      await another.click({ timeout: limit(2_000) });
      return (await page.locator(`${VIEW} .interactive-request`).count()) === 0;
    };
    await until('an empty chat is shown', empty, { withinMs: 60_000, everyMs: 500 });
  }

  /** Sends a message and waits until its answer has ended with what is expected. Returns its text. */
  async ask(message: string, expected: RegExp): Promise<string> {
    await this.send(message);
    return until(
      `the chat answers ${message} with ${String(expected)}`,
      async () => {
        if (await this.#wantsToSignIn()) throw new SignInError('the editor’s own agent is not there yet');
        const { request, answer: text } = await this.#last();
        if (!unspaced(request).includes(unspaced(message))) throw new Error(`after ${request}`);
        if (!expected.test(text) || (await this.#stop().count()) > 0) throw new Error(text.slice(0, 600));
        return text;
      },
      { withinMs: ANSWERING_MS, everyMs: 100, fatal: SignInError },
    );
  }

  /** Waits until the answer to the last message has begun with something like this; it may go on. */
  async answering(expected: RegExp): Promise<void> {
    await until(
      `the chat has begun to answer with ${String(expected)}`,
      async () => {
        const { answer: text } = await this.#last();
        if (!expected.test(text)) throw new Error(text.slice(0, 600));
        return true;
      },
      { withinMs: ANSWERING_MS, everyMs: 100 },
    );
  }

  /** Closes the dialog in which the editor's own agent asks for an account; nothing here needs one. */
  async declineToSignIn(): Promise<void> {
    await this.#window.page.locator('.monaco-dialog-box .codicon-dialog-close').click();
  }

  async #wantsToSignIn(): Promise<boolean> {
    return (await this.#window.page.locator('.monaco-dialog-box', { hasText: 'Sign in to use' }).count()) > 0;
  }

  /** Types a message and sends it. */
  async send(message: string): Promise<void> {
    const { page } = this.#window;
    const typed = async (): Promise<string> => unspaced(await this.#box().locator('.view-lines').innerText());
    const holds = (wanted: string): Promise<boolean> =>
      until(`the box holds ${JSON.stringify(wanted)}`, async () => (await typed()) === unspaced(wanted), {
        withinMs: 1_500,
      });
    // What takes the focus meanwhile gets some of the keys, so it is typed until it is there as a whole.
    const type = async (): Promise<boolean> => {
      await this.#box().click();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      await holds('');
      await page.keyboard.type(message, { delay: 5 });
      return holds(message);
    };
    await until('the message is typed', type, { withinMs: 20_000 });
    // The list of completions swallows the key, so it is closed before.
    const go = async (): Promise<boolean> => {
      if ((await page.locator('.suggest-widget.visible').count()) > 0) await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
      return holds('');
    };
    await until('the message is sent', go, { withinMs: 20_000 });
  }

  /** Takes a model from the picker. */
  async choose(model: string): Promise<void> {
    const { page } = this.#window;
    const taken = async (): Promise<boolean> => {
      if ((await this.model()).includes(model)) return true;
      await page.keyboard.press('Escape');
      await this.#picker().click({ timeout: limit(2_000) });
      const search = page.locator('input[placeholder="Search models"]');
      await search.fill(model, { timeout: limit(2_000) });
      const row = page.locator('.action-widget .monaco-list-row', { hasText: model }).first();
      await row.click({ timeout: limit(2_000) });
      return (await this.model()).includes(model);
    };
    await until(`${model} is chosen`, taken, { withinMs: 20_000, everyMs: 300 });
  }

  /** What the picker says is chosen. */
  model(): Promise<string> {
    return this.#picker().innerText();
  }

  /** The models the picker offers now. */
  async models(): Promise<string> {
    const { page } = this.#window;
    const list = page.locator('.action-widget').first();
    if (!(await list.isVisible())) await this.#picker().click();
    await list.waitFor();
    const text = await list.innerText();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    return text;
  }

  /** Stops the answer that is being written. */
  async stop(): Promise<void> {
    await this.#stop().first().click();
  }

  /** Opens a place that the last answer links to, and waits for its file. Returns what the link shows. */
  async open(file: string): Promise<string> {
    const link = this.#answers().last().locator('.chat-inline-anchor-widget', { hasText: file }).first();
    const label = await link.innerText();
    // Scrolled under the question that sticks to the top, it could not be clicked.
    await link.evaluate((element) => {
      (element as HTMLElement).click();
    });
    await this.#window.page.locator(`.tab.active[data-resource-name="${file}"]`).waitFor();
    return label;
  }

  /** Follows a link of the last answer that no file is behind, and lets the editor open it. */
  async follow(label: string): Promise<void> {
    const link = this.#answers().last().locator('a', { hasText: label }).first();
    await link.evaluate((element) => {
      (element as HTMLElement).click();
    });
    const dialog = this.#window.page.locator('.monaco-dialog-box .monaco-button', { hasText: /^Open$/ });
    await dialog.click({ timeout: 2_000 }).catch(() => undefined);
  }

  /** Shows the last answer from its beginning. */
  async toTop(): Promise<void> {
    const { page } = this.#window;
    const box = await page.locator(`${VIEW} .interactive-list`).first().boundingBox();
    if (box === null) throw new Error('no answers are shown');
    const rows = page.locator(`${VIEW} .interactive-list .monaco-list-rows`).first();
    let before: string | null = '';
    // One turn of the wheel goes a few lines, however far it is.
    const isThere = async (): Promise<boolean> => {
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, -400);
      const [last, now] = [before, await rows.getAttribute('style')];
      before = now;
      return last === now;
    };
    await until('the chat is scrolled up', isThere, { withinMs: 10_000, everyMs: 300 });
    await this.#window.leave();
  }

  /** What may be asked next, as the view offers it. */
  followUp(label: string): Locator {
    return this.#window.page.locator('.interactive-input-followups a', { hasText: label }).first();
  }

  /** The editor asks nobody, no participant either, before some model is chosen. */
  async #hasModel(): Promise<boolean> {
    return (await this.model()).trim() !== 'Models';
  }

  /** The texts of the newest request and of the newest answer: rows come and go, and stand in no order. */
  async #last(): Promise<{ request: string; answer: string }> {
    const rows = await this.#window.page.locator(`${VIEW} .interactive-list .monaco-list-row`).evaluateAll((all) =>
      all
        .map((row) => ({
          at: Number(row.getAttribute('data-index')),
          isRequest: row.querySelector('.interactive-request') !== null,
          text: (row as HTMLElement).innerText.replaceAll('\u00a0', ' '),
        }))
        .sort((one, other) => one.at - other.at),
    );
    const request = rows.findLast(({ isRequest }) => isRequest);
    const answer = rows.findLast(({ isRequest }) => !isRequest);
    return { request: request?.text ?? '', answer: (answer?.at ?? 0) > (request?.at ?? 0) ? (answer?.text ?? '') : '' };
  }

  #answers(): Locator {
    return this.#window.page.locator(`${VIEW} .interactive-response`);
  }

  #box(): Locator {
    return this.#window.page.locator(`${VIEW} .interactive-input-part .monaco-editor`).first();
  }

  #picker(): Locator {
    return this.#window.page.locator(`${VIEW} .chat-input-picker-item`).nth(1);
  }

  #stop(): Locator {
    return this.#window.page.locator(`${VIEW} .interactive-input-part .codicon-stop-circle`);
  }
}
