/** One code-server: a real VS Code whose files, settings, extensions and environment are its own and go with it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

import { codeServer, node, python } from './installation.ts';
import { MARK } from './processes.ts';
import { limit, pause, until } from './until.ts';

export interface ServerOptions {
  mark: string;
  /** A short path: Helix's socket below it must stay within the 108 bytes a Unix socket's name may have. */
  scratch: string;
  extensions?: string[];
  settings?: Record<string, unknown>;
  /** Added to the environment of the editor and of all it starts; undefined takes a variable away. */
  environment?: Record<string, string | undefined>;
  /** Leaves Workspace Trust on, so that an unknown folder opens in Restricted Mode. */
  askForTrust?: boolean;
  /** Lets a window run a test suite inside its extension host; such windows show no pop-ups. */
  runsSuites?: boolean;
}

const QUIET_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off', // in a browser the default is to save after a moment, and nothing would ever be unsaved
  'git.openRepositoryInParentFolders': 'never',
  'remote.autoForwardPorts': false, // else a pop-up about our own ports takes the keyboard
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'always',
};

export class CodeServer {
  readonly root: string;
  readonly runtime: string;
  readonly port: number;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #process: ChildProcess;

  private constructor(root: string, port: number, environment: NodeJS.ProcessEnv, child: ChildProcess) {
    this.root = root;
    this.runtime = path.join(root, 'run');
    this.port = port;
    this.#environment = environment;
    this.#process = child;
  }

  static async start(options: ServerOptions): Promise<CodeServer> {
    const root = fs.mkdtempSync(path.join(options.scratch, 's-'));
    const port = await freePort();
    const settings = { ...QUIET_SETTINGS, ...options.settings };
    fs.mkdirSync(path.join(root, 'data', 'User'), { recursive: true });
    fs.writeFileSync(path.join(root, 'config.yaml'), 'auth: none\n');
    fs.writeFileSync(path.join(root, 'data', 'User', 'settings.json'), JSON.stringify(settings, undefined, 2));
    const environment = surroundings(root, options);
    for (const file of options.extensions ?? []) install(root, file, environment);
    const flags = [...folders(root), '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry'];
    flags.push('--disable-update-check', '--disable-getting-started-override', '--disable-proxy');
    // Without the first, the extension host outlives a closed page for three hours.
    flags.push('--reconnection-grace-time', '3');
    if (options.runsSuites === true) flags.push('--vscode-option', 'enable-smoke-test-driver');
    if (options.askForTrust !== true) flags.push('--disable-workspace-trust');
    const log = fs.openSync(path.join(root, 'server.log'), 'w');
    const child = spawn(node, [codeServer, ...flags], { env: environment, stdio: ['ignore', log, log] });
    fs.closeSync(log);
    const server = new CodeServer(root, port, environment, child);
    try {
      await server.#answers();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** The address of a folder or of a `.code-workspace` file; `payload` reaches the workbench as it is. */
  address(target: string, payload: [string, string][] = []): string {
    const query = new URLSearchParams({ [target.endsWith('.code-workspace') ? 'workspace' : 'folder']: target });
    if (payload.length > 0) query.set('payload', JSON.stringify(payload));
    return `http://127.0.0.1:${this.port}/?${query.toString()}`;
  }

  /** What a command of Helix prints in a folder, in the surroundings of this server. */
  helix(folder: string, ...words: string[]): string {
    const ran = spawnSync(python, ['-m', 'helix_ls.cli', ...words], {
      cwd: folder,
      env: this.#environment,
      encoding: 'utf8',
    });
    if (ran.status !== 0) throw new Error(`helix ${words.join(' ')}: ${ran.stdout}${ran.stderr}`);
    return ran.stdout;
  }

  /** Adds an extension; windows opened from now on have it. */
  install(file: string): void {
    install(this.root, file, this.#environment);
  }

  /** Changes the user's settings; undefined removes one. */
  set(changed: Record<string, unknown>): void {
    const file = path.join(this.root, 'data', 'User', 'settings.json');
    const settings = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;
    fs.writeFileSync(file, JSON.stringify({ ...settings, ...changed }, undefined, 2));
  }

  /** The files VS Code and the extensions of this server have logged, newest last. */
  logs(): string[] {
    const folder = path.join(this.root, 'data', 'logs');
    if (!fs.existsSync(folder)) return [];
    return fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(folder, name))
      .filter((file) => fs.statSync(file).isFile());
  }

  async stop(): Promise<void> {
    if (this.#isRunning()) {
      const gone = new Promise((resolve) => this.#process.once('exit', resolve));
      this.#process.kill('SIGTERM');
      await Promise.race([gone, pause(limit(8_000))]);
      if (this.#isRunning()) this.#process.kill('SIGKILL');
    }
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
  }

  async #answers(): Promise<void> {
    const ask = async (): Promise<boolean> => {
      if (!this.#isRunning()) throw new Error(`code-server ended: ${this.#lastWords()}`);
      return (await fetch(`http://127.0.0.1:${this.port}/healthz`)).ok;
    };
    await until('code-server answers', ask, { withinMs: 60_000, everyMs: 100 });
  }

  #isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  #lastWords(): string {
    return fs.readFileSync(path.join(this.root, 'server.log'), 'utf8').slice(-1500);
  }
}

function folders(root: string): string[] {
  const places = { '--user-data-dir': 'data', '--extensions-dir': 'ext', '--config': 'config.yaml' };
  return Object.entries(places).flatMap(([flag, name]) => [flag, path.join(root, name)]);
}

function install(root: string, file: string, environment: NodeJS.ProcessEnv): void {
  const made = spawnSync(node, [codeServer, ...folders(root), '--install-extension', file], {
    env: environment,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`could not install ${file}: ${made.stdout}${made.stderr}`);
}

/** VS Code asks the user's login shell for its environment; this one has none of its own and runs what it is given. */
function plainShell(root: string): string {
  const file = path.join(root, 'sh');
  fs.writeFileSync(file, '#!/bin/sh\nwhile [ "$1" != -c ]; do shift; done\nexec /bin/sh -c "$2"\n', { mode: 0o755 });
  return file;
}

/** Nothing of the user's own Helix, git or Python settings reaches the editor; all Helix writes goes below `root`. */
function surroundings(root: string, options: ServerOptions): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(HELIX_|GIT_|PYTHON|VIRTUAL_ENV|VSCODE_|npm_)/.test(name),
  );
  const environment: NodeJS.ProcessEnv = {
    ...Object.fromEntries(own),
    SHELL: plainShell(root),
    PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}`,
    HELIX_CACHE_DIR: path.join(root, 'cache'),
    HELIX_RUNTIME_DIR: path.join(root, 'run'),
    HELIX_CONFIG: path.join(root, 'helix.toml'),
    HELIX_STATE_DIR: path.join(root, 'state'),
    HELIX_DATA_DIR: path.join(root, 'memory'),
    HELIX_PROXY_PORT: '0',
    HELIX_IDLE_S: '5',
    [MARK]: options.mark,
    ...options.environment,
  };
  return environment;
}

async function freePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}
