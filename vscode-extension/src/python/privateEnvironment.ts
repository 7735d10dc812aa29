/**
 * The environment that the extension makes for itself from the wheel it carries: where it is, whether it is whole and of
 * this version, and how it is made. Everything is installed by hash from a lock file; only the wheel itself is local.
 * It holds what answering needs; an extra, such as the chat proxy, is added when the user wants it.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { run, RunError, type RunOptions } from './run';

/** What the extension carries; its fingerprint changes with any of it. */
export interface Bundle {
  readonly wheel: string;
  readonly lock: string;
  /** The lock file of each extra that this build can add. */
  readonly extras: Readonly<Partial<Record<Extra, string>>>;
  readonly fingerprint: string;
}

/** What is installed only when it is wanted. */
export type Extra = 'proxy' | 'models';
export const extraNames: readonly Extra[] = ['proxy', 'models'];

/** The program an environment is made with: an interpreter, or uv, which finds or fetches one itself. */
export interface Maker {
  readonly uv?: string;
  readonly python?: string;
}

export interface MakeOptions {
  /** Whether the interpreter of an environment that looks finished still runs Helix. */
  readonly works: (python: string) => Promise<boolean>;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
  readonly onLine: (line: string) => void;
}

const readyMark = 'helix-ready.json';
const stepMs = 15 * 60 * 1000;
const lockMs = 20 * 60 * 1000;

/** The bundle in `folder`, or undefined where the extension was built without one. */
export async function findBundle(folder: string): Promise<Bundle | undefined> {
  try {
    const wheelName = (await readdir(folder))
      .filter((name) => name.endsWith('.whl'))
      .sort()
      .at(-1);
    if (!wheelName) {
      return undefined;
    }
    const wheel = path.join(folder, wheelName);
    const lock = path.join(folder, 'requirements.lock');
    const hash = createHash('sha256');
    hash.update(await readFile(wheel)).update(await readFile(lock));
    const extras: Partial<Record<Extra, string>> = {};
    for (const extra of extraNames) {
      const file = path.join(folder, `requirements-${extra}.lock`);
      if (await exists(file)) {
        extras[extra] = file;
        hash.update(await readFile(file));
      }
    }
    return { wheel, lock, extras, fingerprint: hash.digest('hex').slice(0, 12) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

/** The interpreter of a finished environment made from this bundle, or why there is none. */
export async function findPrivate(
  storage: string,
  bundle: Bundle | undefined,
): Promise<{ readonly python: string } | { readonly none: string }> {
  if (!bundle) {
    return { none: 'this build of the extension carries no wheel' };
  }
  const folder = folderOf(storage, bundle);
  if (await exists(path.join(folder, readyMark))) {
    return { python: pythonOf(folder) };
  }
  const others = (await exists(storage)) && (await readdir(storage)).some((name) => name.startsWith('env-'));
  return { none: others ? 'made by another version of the extension' : 'not made yet' };
}

/**
 * Makes the environment, with the extras that the one of another version had, and removes those of other versions.
 * Rejects with a `RunError`, leaving nothing half-made.
 */
export async function makePrivate(
  storage: string,
  bundle: Bundle,
  maker: Maker,
  options: MakeOptions,
): Promise<string> {
  await mkdir(storage, { recursive: true });
  const folder = folderOf(storage, bundle);
  const release = await lock(path.join(storage, 'making.lock'), options);
  try {
    if ((await exists(path.join(folder, readyMark))) && (await options.works(pythonOf(folder)))) {
      return pythonOf(folder);
    }
    await rm(folder, { recursive: true, force: true });
    try {
      const extras = await extrasOfOthers(storage, bundle);
      await (maker.uv ? withUv(folder, bundle, maker, options) : withPip(folder, bundle, maker, options));
      for (const extra of extras) {
        await installExtra(folder, bundle, extra, maker, options);
      }
      await writeMark(folder, bundle, extras);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    await removeOthers(storage, path.basename(folder));
    return pythonOf(folder);
  } finally {
    await release();
  }
}

/**
 * Adds an extra to the finished environment. Rejects with a `RunError`; what was installed before that stays usable,
 * and a second try goes on from there.
 */
export async function addExtra(
  storage: string,
  bundle: Bundle,
  extra: Extra,
  maker: Maker,
  options: MakeOptions,
): Promise<void> {
  const folder = folderOf(storage, bundle);
  const release = await lock(path.join(storage, 'making.lock'), options);
  try {
    const extras = await extrasIn(folder);
    if (!extras.includes(extra)) {
      await installExtra(folder, bundle, extra, maker, options);
      await writeMark(folder, bundle, [...extras, extra]);
    }
  } finally {
    await release();
  }
}

async function installExtra(
  folder: string,
  bundle: Bundle,
  extra: Extra,
  maker: Maker,
  options: MakeOptions,
): Promise<void> {
  const file = bundle.extras[extra];
  if (!file) {
    throw new RunError(`this build of the extension carries no lock file of “${extra}”`, 'missing');
  }
  options.onStep(extra === 'proxy' ? 'Installing the chat proxy' : 'Installing what models need');
  const settings = runOptions(folder, options);
  await (maker.uv
    ? run(maker.uv, [...uvInstall(folder), '--require-hashes', '-r', file], settings)
    : run(pythonOf(folder), [...pipInstall, '--require-hashes', '-r', file], settings));
  if (!maker.uv) await withoutSpare(folder);
}

/** The extras of the newest environment of another version, as far as this build can add them. */
async function extrasOfOthers(storage: string, bundle: Bundle): Promise<Extra[]> {
  const found = new Set<Extra>();
  for (const name of await readdir(storage)) {
    if (name.startsWith('env-')) {
      (await extrasIn(path.join(storage, name))).forEach((extra) => found.add(extra));
    }
  }
  return [...found].filter((extra) => bundle.extras[extra]);
}

/** The extras that an environment's mark names; none where it has no mark. */
async function extrasIn(folder: string): Promise<Extra[]> {
  try {
    const { extras } = JSON.parse(await readFile(path.join(folder, readyMark), 'utf8')) as { extras?: unknown };
    return extraNames.filter((extra) => Array.isArray(extras) && extras.includes(extra));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) {
      return [];
    }
    throw error;
  }
}

async function writeMark(folder: string, bundle: Bundle, extras: readonly Extra[]): Promise<void> {
  await writeFile(path.join(folder, readyMark), JSON.stringify({ wheel: path.basename(bundle.wheel), extras }));
}

function folderOf(storage: string, bundle: Bundle): string {
  return path.join(storage, `env-${bundle.fingerprint}`);
}

function pythonOf(folder: string): string {
  return process.platform === 'win32' ? path.join(folder, 'Scripts', 'python.exe') : path.join(folder, 'bin', 'python');
}

async function withUv(folder: string, bundle: Bundle, maker: Maker, options: MakeOptions): Promise<void> {
  const uv = maker.uv ?? 'uv';
  const settings = runOptions(folder, options);
  options.onStep('Making the environment with uv');
  await run(uv, ['venv', '--no-project', '--python', maker.python ?? '>=3.11', folder], settings);
  const into = uvInstall(folder);
  options.onStep('Installing what Helix needs');
  await run(uv, [...into, '--require-hashes', '-r', bundle.lock], settings);
  options.onStep('Installing Helix');
  await run(uv, [...into, '--no-deps', '--no-index', bundle.wheel], settings);
}

async function withPip(folder: string, bundle: Bundle, maker: Maker, options: MakeOptions): Promise<void> {
  const settings = runOptions(folder, options);
  options.onStep('Making the environment');
  await run(maker.python ?? 'python3', ['-m', 'venv', folder], settings);
  options.onStep('Installing what Helix needs');
  const helix = `${pathToFileURL(bundle.wheel).href}#sha256=${await hashOf(bundle.wheel)}`;
  // One pip for both: each start of it takes more than a second.
  await run(pythonOf(folder), [...pipInstall, '--require-hashes', '-r', bundle.lock, helix], settings);
  await withoutSpare(folder);
}

async function hashOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

const setuptools =
  /^(?:setuptools|pkg_resources|_distutils_hack|distutils-precedence\.pth|setuptools-[\w.+]+\.dist-info)$/;

/** Takes out 17 MB that nothing needs: setuptools, which venv brings before Python 3.12, and the bytecode of pip. */
async function withoutSpare(folder: string): Promise<void> {
  const packages = await sitePackages(folder);
  const pip = path.join(packages, 'pip');
  const spare = [
    ...(await readdir(packages)).filter((name) => setuptools.test(name)).map((name) => path.join(packages, name)),
    ...(await readdir(pip, { recursive: true }))
      .filter((name) => path.basename(name) === '__pycache__')
      .map((name) => path.join(pip, name)),
  ];
  await Promise.all(spare.map((each) => rm(each, { recursive: true, force: true })));
}

async function sitePackages(folder: string): Promise<string> {
  if (process.platform === 'win32') return path.join(folder, 'Lib', 'site-packages');
  const [version = 'python3'] = (await readdir(path.join(folder, 'lib'))).filter((name) => name.startsWith('python'));
  return path.join(folder, 'lib', version, 'site-packages');
}

// Only the modules that run are compiled, by the first process that imports them: a third less on disk.
const pipInstall = [
  ...['-m', 'pip', '--disable-pip-version-check', '--no-input', 'install'],
  ...['--prefer-binary', '--no-compile'],
];

function uvInstall(folder: string): string[] {
  return ['pip', 'install', '--python', pythonOf(folder)];
}

function runOptions(folder: string, options: MakeOptions): RunOptions {
  return { cwd: path.dirname(folder), timeoutMs: stepMs, signal: options.signal, onLine: options.onLine };
}

/** Two windows make one environment: the second waits for the first, but not for one that died. */
async function lock(file: string, options: MakeOptions): Promise<() => Promise<void>> {
  for (;;) {
    let handle: FileHandle;
    try {
      handle = await open(file, 'wx');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw error;
      }
      if (await isAbandoned(file)) {
        await rm(file, { force: true });
        continue;
      }
      options.onStep('Waiting for another window to finish');
      await pause(500, options.signal);
      continue;
    }
    await handle.writeFile(String(process.pid));
    await handle.close();
    return () => rm(file, { force: true });
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  try {
    if (Date.now() - (await stat(file)).mtimeMs > lockMs) {
      return true;
    }
    const pid = Number(await readFile(file, 'utf8'));
    return pid > 0 && !isAlive(pid);
  } catch {
    // Gone in the meantime: its holder is done.
    return true;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  signal.throwIfAborted();
}

async function removeOthers(storage: string, kept: string): Promise<void> {
  for (const name of await readdir(storage)) {
    if (name.startsWith('env-') && name !== kept) {
      await rm(path.join(storage, name), { recursive: true, force: true });
    }
  }
}

async function exists(place: string): Promise<boolean> {
  try {
    await stat(place);
    return true;
  } catch {
    return false;
  }
}
