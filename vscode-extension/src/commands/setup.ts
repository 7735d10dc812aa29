/**
 * What is shown when there is no Python to run on, and how one comes to be: chosen by the user, or made with consent.
 * Each way ends: in a server, in a message with two actions, or because the user said no.
 */
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { reasonOf, type Logs } from '../base/logger';
import {
  addExtra,
  findBundle,
  findPrivate,
  makePrivate,
  type Extra,
  type MakeOptions,
  type Maker,
} from '../python/privateEnvironment';
import { PackageCount } from '../python/packageCount';
import { isNewEnough, refusedSetting, type Interpreter, type Probe, type Resolution } from '../python/resolve';
import { run, RunError } from '../python/run';
import { program } from '../python/searchPath';
import { workspaceFolders, type Places } from '../python/sources';
import { launchOf, safePath } from '../server/launch';
import type { Server } from '../server/server';
import { rememberInterpreter } from '../base/settings';
import { setUpCost } from '../view/missing';

const setUpTitle = 'Set Up';
const againTitle = 'Set Up Again';
const chooseTitle = 'Choose Interpreter';
const settingTitle = 'Open Setting';
const logsTitle = 'Show Logs';

const consent =
  `${setUpCost} The packages Helix needs are downloaded from your package index, each ` +
  'checked against a pinned hash. Nothing else on your machine is changed.';

const installTitle = 'Install';
const copyTitle = 'Copy Command';
const setUpModelTitle = 'Set Up Model';
const isCheckedMs = 30_000;

/** What is said of an extra before anything is downloaded. */
interface ExtraWords {
  /** The object of “install”. */
  readonly name: string;
  readonly consent: string;
  readonly command: string;
}

const checked = 'from your package index into Helix’s private environment, each checked against a pinned hash.';

export const extraWords: Readonly<Record<Extra, ExtraWords>> = {
  proxy: {
    name: 'the chat proxy',
    consent: `Chats with a model server go through Helix’s proxy on this machine. About 20 packages (26 MB) are downloaded ${checked}`,
    command: 'pip install "helix-context-engine[proxy,keyring]"',
  },
  models: {
    name: 'what embedding models need',
    consent:
      'An embedding model finds places by meaning better than the built-in vectors, and runs on this machine. Another ' +
      `14 packages (117 MB on disk) are downloaded ${checked} The model itself is asked about afterwards.`,
    command: 'pip install "helix-context-engine[models]"',
  },
};

export class Setup implements vscode.Disposable {
  private told = false;
  private making: Promise<void> | undefined;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly places: Places,
    private readonly probe: Probe,
    private readonly logs: Logs,
  ) {
    this.listener = server.onState((state) => {
      if (state.kind === 'noPython') {
        void this.tellOnce(state.resolution);
      } else if (state.kind === 'running') {
        this.told = false;
      } else if (state.kind === 'crashed') {
        void this.tellCrashed(state.message);
      }
    });
  }

  /** Asks for consent, then makes the private environment with progress and starts the server in it. */
  async setUp(): Promise<void> {
    const answer = await vscode.window.showInformationMessage(
      'Set up a private Python environment for Helix?',
      { modal: true, detail: consent },
      setUpTitle,
    );
    if (answer === setUpTitle) {
      await this.make();
    }
  }

  /** Asks for consent, then adds an extra to the private environment. Returns whether it is there at the end. */
  async install(extra: Extra): Promise<boolean> {
    const { name, consent: cost, command } = extraWords[extra];
    const bundle = await findBundle(this.places.bundled);
    const found = await findPrivate(this.places.storage, bundle);
    const { interpreter } = this.server.resolution ?? {};
    if (!bundle || !('python' in found) || interpreter?.path !== found.python) {
      const sentence = `Helix runs on ${interpreter?.path ?? 'no Python yet'}; install ${name} there with: ${command}`;
      if ((await vscode.window.showInformationMessage(sentence, copyTitle)) === copyTitle) {
        await vscode.env.clipboard.writeText(command);
      }
      return false;
    }
    const asked = await vscode.window.showInformationMessage(
      `Install ${name}?`,
      { modal: true, detail: cost },
      installTitle,
    );
    if (asked !== installTitle) {
      return false;
    }
    const maker = await this.maker();
    try {
      await this.withProgress(
        (options) => addExtra(this.places.storage, bundle, extra, maker, options),
        bundle.extras[extra],
      );
      return true;
    } catch (error) {
      this.logs.logger.error(`Helix could not install ${name}`, error);
      if (!wasCancelled(error)) {
        void this.tell(`Helix could not install ${name}: ${reasonOf(error)}.`, [logsTitle]);
      }
      return false;
    }
  }

  /**
   * Sees to it that models can run, then offers `helix embed setup` in a terminal, which says what the model costs and
   * asks before it is fetched. `folder` is what is embedded.
   */
  async setUpModel(folder: string): Promise<void> {
    const interpreter = await this.server.interpreter();
    if (!(await this.canRunModels(interpreter)) && !(await this.install('models'))) return;
    const asked = 'Set up an embedding model? A terminal says its size and license, and asks before it is fetched.';
    if ((await vscode.window.showInformationMessage(asked, setUpModelTitle)) !== setUpModelTitle) return;
    const { command, args, cwd } = launchOf(interpreter, this.places.storage, {}, ['embed', 'setup', '--path', folder]);
    const terminal = vscode.window.createTerminal({
      name: 'Helix',
      shellPath: command,
      shellArgs: [...args],
      cwd,
      env: { ...safePath },
    });
    // The terminal goes with its program; where that failed, the editor leaves it open.
    const closing = vscode.window.onDidCloseTerminal((closed) => {
      if (closed !== terminal) return;
      closing.dispose();
      if (closed.exitStatus?.code === 0) {
        void vscode.window.showInformationMessage(
          'The embedding model is set up. Open folders are embedded while the machine is idle.',
        );
      }
    });
    terminal.show();
  }

  private async canRunModels(interpreter: Interpreter): Promise<boolean> {
    const asked = 'from helix_core.extras import missing; print(*missing("models"))';
    const options = { cwd: this.places.storage, timeoutMs: isCheckedMs, env: { ...process.env, ...safePath } };
    return (await run(interpreter.path, ['-P', '-c', asked], options)).stdout.trim() === '';
  }

  /** Lets the user pick an interpreter; one that cannot run Helix is refused with its reason. */
  async choose(): Promise<void> {
    const found = (this.server.resolution?.steps ?? [])
      .filter((step) => step.path)
      .sort((one, other) => Number(other.accepted) - Number(one.accepted));
    const picked = await vscode.window.showQuickPick(
      [
        ...found.map((step) => ({
          label: step.path ?? '',
          description: step.source,
          detail: step.reason,
          path: step.path,
        })),
        { label: '$(folder-opened) Browse…', description: 'a Python executable', detail: '', path: undefined },
      ],
      {
        title: 'Choose the Python that runs Helix',
        placeHolder: 'It needs Python 3.11 or newer, with Helix installed',
      },
    );
    const path = picked && (picked.path ?? (await browse()));
    if (!path) {
      return;
    }
    const probed = await this.probe(path);
    if (!probed.ran || !isNewEnough(probed.python) || probed.helix === undefined) {
      const why = probed.ran
        ? `it is Python ${probed.python}${probed.helix === undefined ? ' without Helix' : ''}`
        : probed.reason;
      await this.tell(`Helix cannot run on ${path}: ${why}.`, [chooseTitle, setUpTitle]);
      return;
    }
    await rememberInterpreter(path);
    await this.server.restart(`the interpreter ${path} was chosen`);
  }

  dispose(): void {
    this.listener.dispose();
  }

  private async tellOnce(resolution: Resolution): Promise<void> {
    if (this.told || this.making) {
      return;
    }
    this.told = true;
    const refused = refusedSetting(resolution);
    if (refused !== undefined) {
      await this.tell(refused, [settingTitle, chooseTitle, setUpTitle]);
    } else if (resolution.base && (await findBundle(this.places.bundled))) {
      await this.tell(
        `Helix needs a Python environment and can make one of its own. ${consent}`,
        [setUpTitle, chooseTitle],
        'information',
      );
    } else if (resolution.base) {
      const found = `Python ${resolution.base.python} at ${resolution.base.path}`;
      await this.tell(`Helix is not installed in any Python it found (${found}).`, [chooseTitle, logsTitle]);
    } else {
      await this.tell('Helix needs Python 3.11 or newer and found none.', [chooseTitle, logsTitle]);
    }
  }

  private async tellCrashed(message: string): Promise<void> {
    const restart = 'Restart';
    const answer = await vscode.window.showErrorMessage(
      `Helix stopped: its language server ended five times within three minutes. ${message}`,
      restart,
      logsTitle,
    );
    if (answer === restart) {
      await this.server.restart('asked for after five crashes');
    } else if (answer === logsTitle) {
      this.logs.showServer();
    }
  }

  private async tell(
    message: string,
    titles: readonly string[],
    kind: 'error' | 'information' = 'error',
  ): Promise<void> {
    const show = kind === 'error' ? vscode.window.showErrorMessage : vscode.window.showInformationMessage;
    const answer = await show(message, ...titles);
    if (answer === setUpTitle || answer === againTitle) {
      await this.make();
    } else if (answer === settingTitle) {
      await openInterpreterSetting();
    } else if (answer === chooseTitle) {
      await this.choose();
    } else if (answer === logsTitle) {
      this.logs.show();
    }
  }

  private make(): Promise<void> {
    return (this.making ??= this.makeOnce().finally(() => {
      this.making = undefined;
    }));
  }

  private async makeOnce(): Promise<void> {
    const { logger } = this.logs;
    const bundle = await findBundle(this.places.bundled);
    if (!bundle) {
      await this.tell('This build of the extension carries no Helix wheel.', [chooseTitle, logsTitle]);
      return;
    }
    const maker = await this.maker();
    if (!maker.python && !maker.uv) {
      await this.tell(
        'Helix needs Python 3.11 or newer to make its environment, and found none. Install one and set up again.',
        [againTitle, chooseTitle],
      );
      return;
    }
    await this.server.hold('settingUp');
    try {
      const python = await this.withProgress(
        (options) => makePrivate(this.places.storage, bundle, maker, options),
        bundle.lock,
      );
      logger.info(`The private environment is ready: ${python}`);
    } catch (error) {
      await this.failed(error);
      return;
    }
    await this.server.restart('the private environment is ready');
  }

  /** Runs a step of setting up with a notification that shows where it is and can cancel it. */
  private async withProgress<T>(make: (options: MakeOptions) => Promise<T>, lock = ''): Promise<T> {
    const { logger } = this.logs;
    const packages = new PackageCount(lock === '' ? '' : await readFile(lock, 'utf8'));
    return vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: 'Helix', cancellable: true },
      async (progress, token) => {
        const abort = new AbortController();
        const say = (step: string): void => {
          progress.report({ message: step });
          this.server.setUpStep(step);
        };
        token.onCancellationRequested(() => {
          abort.abort();
        });
        return make({
          signal: abort.signal,
          works: async (path) => {
            const probed = await this.probe(path);
            return probed.ran && probed.helix !== undefined;
          },
          onStep: (step) => {
            logger.info(step);
            packages.step = step;
            say(step);
          },
          onLine: (line) => {
            logger.debug(line);
            const counted = packages.seen(line);
            if (counted !== undefined) say(counted);
          },
        });
      },
    );
  }

  private async failed(error: unknown): Promise<void> {
    const cancelled = wasCancelled(error);
    this.logs.logger.error('The private environment could not be made', error);
    // What was there before serves on, where there was something.
    this.told = true;
    await this.server.restart(cancelled ? 'setting up was cancelled' : 'setting up failed');
    if (!cancelled) {
      void this.tell(`Helix could not make its Python environment: ${reasonOf(error)}.`, [logsTitle, againTitle]);
    }
  }

  private async maker(): Promise<Maker> {
    const searchPath = process.env['PATH'] ?? '';
    const uv = await program('uv', searchPath, workspaceFolders());
    const { interpreter, base } = this.server.resolution ?? {};
    const python = base?.path ?? interpreter?.path;
    return { ...(uv && { uv }), ...(python && { python }) };
  }
}

function wasCancelled(error: unknown): boolean {
  return error instanceof RunError ? error.kind === 'cancelled' : (error as Error).name === 'AbortError';
}

/** The setting where the workspace overrides it, else the user's. */
export async function openInterpreterSetting(): Promise<void> {
  const inspected = vscode.workspace.getConfiguration('helix').inspect<unknown>('interpreter');
  const where = inspected?.workspaceValue === undefined ? 'openSettings' : 'openWorkspaceSettings';
  await vscode.commands.executeCommand(`workbench.action.${where}`, 'helix.interpreter');
}

async function browse(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: 'Choose a Python executable',
    openLabel: 'Choose',
    canSelectMany: false,
  });
  return chosen?.[0]?.fsPath;
}
