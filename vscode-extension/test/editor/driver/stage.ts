/** What a scenario works with: one code-server, one workspace, one window that is opened when first needed. */
import fs from 'node:fs';
import path from 'node:path';

import type { Browser } from 'playwright-core';

import { artifacts } from './installation.ts';
import { type Part, type Process, helixProcesses } from './processes.ts';
import type { CodeServer } from './server.ts';
import { limit, pause, until } from './until.ts';
import { EditorWindow, type WindowOptions } from './window.ts';

export interface Run {
  browser: Browser;
  mark: string;
  vsix: string;
  /** A folder of this run, removed at its end. */
  scratch: string;
  measures: Record<string, number>;
  pictures: string[];
  /** Tests that a scenario had run elsewhere; taken into the outcomes when it ends. */
  noted: { title: string; ms: number; error?: string }[];
}

export class Stage {
  readonly run: Run;
  readonly server: CodeServer;
  readonly target: string;
  #window: EditorWindow | undefined;
  #others: EditorWindow[] = [];
  #ends: (() => void)[] = [];

  constructor(run: Run, server: CodeServer, target: string) {
    this.run = run;
    this.server = server;
    this.target = target;
  }

  /** The window of this act; a new one when there is none, or after `forget`. */
  async window(): Promise<EditorWindow> {
    this.#window ??= await EditorWindow.open(this.run.browser, this.server, this.target);
    return this.#window;
  }

  /** One more window, closed with the stage at the latest. */
  async anotherWindow(target: string, options: WindowOptions = {}): Promise<EditorWindow> {
    const window = await EditorWindow.open(this.run.browser, this.server, target, options);
    this.#others.push(window);
    return window;
  }

  /** Closes all windows: the next scenario begins with a fresh one. */
  async forget(): Promise<void> {
    const windows = [...this.#others, ...(this.#window === undefined ? [] : [this.#window])];
    this.#window = undefined;
    this.#others = [];
    for (const window of windows) if (!window.page.isClosed()) await window.close();
  }

  /** Helix's Python processes below this run. */
  processes(part: Part = 'any'): Process[] {
    return helixProcesses(this.run.mark, part);
  }

  /** Waits until the status item says so, and returns what it says. */
  async status(wanted: RegExp, withinMs = 30_000, window?: EditorWindow): Promise<string> {
    const shown = window ?? (await this.window());
    return until(
      `the status item says ${String(wanted)}`,
      async () => {
        const text = await shown.status();
        if (wanted.test(text)) return text;
        throw new Error(`the item says ${JSON.stringify(text)}`);
      },
      { withinMs },
    );
  }

  measure(name: string, milliseconds: number): void {
    this.run.measures[name] = Math.round(milliseconds);
  }

  /** Reports a test that ran elsewhere, in the window's extension host, beside the scenarios. */
  note(title: string, ms: number, error?: string): void {
    this.run.noted.push({ title, ms, ...(error === undefined ? {} : { error }) });
  }

  /** Keeps a picture of the window among the artefacts. */
  async picture(name: string, window?: EditorWindow): Promise<void> {
    const file = path.join(artifacts, `${name}.png`);
    await pause(300); // what is being drawn is drawn
    await (window ?? (await this.window())).page.screenshot({ path: file });
    this.run.pictures.push(path.basename(file));
  }

  /** Keeps what tells why a scenario failed: the picture, the browser's console, the logs of VS Code and of Helix. */
  async keepEvidence(name: string): Promise<void> {
    const folder = path.join(artifacts, 'failures', name);
    fs.mkdirSync(folder, { recursive: true });
    for (const [index, window] of [this.#window, ...this.#others].entries()) {
      if (window === undefined || window.page.isClosed()) continue;
      await window.page.screenshot({ path: path.join(folder, `window-${index}.png`), timeout: limit(5_000) });
      fs.writeFileSync(path.join(folder, `console-${index}.txt`), window.console.join('\n'));
    }
    for (const file of this.server.logs()) {
      fs.cpSync(file, path.join(folder, path.basename(path.dirname(file)), path.basename(file)));
    }
    if (fs.existsSync(this.server.runtime)) {
      for (const file of fs.readdirSync(this.server.runtime).filter((name) => name.endsWith('.log'))) {
        fs.cpSync(path.join(this.server.runtime, file), path.join(folder, file));
      }
    }
  }

  /** What else of this act ends with the stage. */
  atEnd(end: () => void): void {
    this.#ends.push(end);
  }

  async close(): Promise<void> {
    await this.forget();
    await this.server.stop();
    for (const end of this.#ends) end();
  }
}
