import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addExtra,
  findBundle,
  findPrivate,
  makePrivate,
  type Bundle,
  type MakeOptions,
} from '../../src/python/privateEnvironment';
import { run } from '../../src/python/run';

// A wheel is a zip archive: this one carries a package that knows its version, and depends on nothing.
const wheelMaker = `
import sys, zipfile
info = "tiny_helix-1.0.dist-info/"
files = {"tiny_helix.py": "version = '1.0'\\n", info + "METADATA": "Metadata-Version: 2.1\\nName: tiny-helix\\nVersion: 1.0\\n",
         info + "WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"}
files[info + "RECORD"] = "".join(name + ",,\\n" for name in [*files, info + "RECORD"])
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
`;
const aPython = ['python3.13', 'python3.12', 'python3.11', 'python3'].find((name) => {
  try {
    execFileSync(name, ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
});

let folder: string;
let storage: string;
let bundle: Bundle;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'helix-env-'));
  storage = path.join(folder, 'storage');
  const bundled = path.join(folder, 'bundled');
  await mkdir(bundled);
  await writeFile(path.join(bundled, 'requirements.lock'), '# nothing\n');
  await writeFile(path.join(bundled, 'requirements-proxy.lock'), '# nothing either\n');
  await run(aPython ?? 'python3', ['-c', wheelMaker, path.join(bundled, 'tiny_helix-1.0-py3-none-any.whl')], {
    cwd: folder,
    timeoutMs: 30_000,
  });
  const found = await findBundle(bundled);
  if (!found) {
    throw new Error('the bundle is not there');
  }
  bundle = found;
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function options(changes: Partial<MakeOptions> = {}): MakeOptions {
  return {
    signal: new AbortController().signal,
    works: () => Promise.resolve(true),
    onStep: () => undefined,
    onLine: () => undefined,
    ...changes,
  };
}

const maker = { python: aPython ?? 'python3' };

describe.skipIf(!aPython)('the private environment', () => {
  it('is made from the wheel, found afterwards, and not made a second time', { timeout: 120_000 }, async () => {
    expect(await findPrivate(storage, bundle)).toEqual({ none: 'not made yet' });
    const steps: string[] = [];
    const python = await makePrivate(storage, bundle, maker, options({ onStep: (step) => steps.push(step) }));
    expect(steps).toEqual(['Making the environment', 'Installing what Helix needs']);
    const { stdout } = await run(python, ['-c', 'import tiny_helix; print(tiny_helix.version)'], {
      cwd: storage,
      timeoutMs: 30_000,
    });
    expect(stdout.trim()).toBe('1.0');
    expect(await findPrivate(storage, bundle)).toEqual({ python });
    const files = await readdir(path.dirname(path.dirname(python)), { recursive: true });
    const spare = /site-packages.(?:(?:setuptools|pkg_resources|_distutils_hack|distutils)[^\\/]*$)|pip.__pycache__/;
    expect(files.filter((name) => spare.test(name))).toEqual([]);
    expect(files.some((name) => /site-packages.pip$/.test(name))).toBe(true);
    const again: string[] = [];
    await makePrivate(storage, bundle, maker, options({ onStep: (step) => again.push(step) }));
    expect(again).toEqual([]);
    const added = options({ onStep: (step) => again.push(step) });
    await addExtra(storage, bundle, 'proxy', maker, added);
    await addExtra(storage, bundle, 'proxy', maker, added);
    expect(again).toEqual(['Installing the chat proxy']);
    await expect(addExtra(storage, bundle, 'models', maker, added)).rejects.toThrow(/no lock file/);
    expect(await findPrivate(storage, bundle)).toEqual({ python });
  });

  it(
    'replaces that of another version, keeps its extras, and waits for no window that died making it',
    { timeout: 120_000 },
    async () => {
      const old = path.join(storage, 'env-0123456789ab');
      await mkdir(old, { recursive: true });
      await writeFile(path.join(old, 'helix-ready.json'), '{"wheel": "old.whl", "extras": ["proxy", "unknown"]}');
      await writeFile(path.join(storage, 'making.lock'), '999999999');
      expect(await findPrivate(storage, bundle)).toEqual({ none: 'made by another version of the extension' });
      const steps: string[] = [];
      await makePrivate(storage, bundle, maker, options({ onStep: (step) => steps.push(step) }));
      expect(steps.at(-1)).toBe('Installing the chat proxy');
      expect(await readdir(storage)).toEqual([`env-${bundle.fingerprint}`]);
    },
  );

  it('that was cancelled leaves nothing behind', { timeout: 120_000 }, async () => {
    const abort = new AbortController();
    const making = makePrivate(storage, bundle, maker, {
      ...options(),
      signal: abort.signal,
      onStep: () => {
        abort.abort();
      },
    });
    await expect(making).rejects.toMatchObject({ kind: 'cancelled' });
    expect(await readdir(storage)).toEqual([]);
  });

  it('that cannot be installed says why and leaves nothing behind', { timeout: 120_000 }, async () => {
    const { href } = pathToFileURL(bundle.wheel);
    await writeFile(bundle.lock, `tiny-helix @ ${href} --hash=sha256:${'0'.repeat(64)}\n`);
    await expect(makePrivate(storage, bundle, maker, options())).rejects.toThrow(/DO NOT MATCH THE HASHES/);
    expect(await readdir(storage)).toEqual([]);
  });

  it('is made from a wheel in a folder with any name, by one pip', { timeout: 120_000 }, async () => {
    const odd = path.join(folder, 'a #b %41 c');
    await mkdir(odd);
    await rename(path.dirname(bundle.wheel), path.join(odd, 'bundled'));
    const moved = await findBundle(path.join(odd, 'bundled'));
    if (!moved) throw new Error('the bundle is not there');
    const lines: string[] = [];
    await makePrivate(storage, moved, maker, options({ onLine: (line) => lines.push(line) }));
    expect(lines.filter((line) => line.includes('tiny-helix') && line.startsWith('Successfully'))).toHaveLength(1);
  });

  it('that another window is making is waited for, until somebody cancels', { timeout: 120_000 }, async () => {
    await mkdir(storage, { recursive: true });
    const lock = path.join(storage, 'making.lock');
    await writeFile(lock, String(process.pid));
    const abort = new AbortController();
    const making = makePrivate(storage, bundle, maker, {
      ...options(),
      signal: abort.signal,
      onStep: () => {
        abort.abort();
      },
    });
    await expect(making).rejects.toThrow();
    expect(await readFile(lock, 'utf8')).toBe(String(process.pid));
  });
});

describe('a bundle', () => {
  it('is none where the extension was built without a wheel', async () => {
    expect(await findBundle(path.join(folder, 'nowhere'))).toBeUndefined();
    expect(await findPrivate(storage, undefined)).toEqual({ none: 'this build of the extension carries no wheel' });
  });
});
