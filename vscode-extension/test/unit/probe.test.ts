import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { probeIn } from '../../src/python/probe';
import { run, RunError } from '../../src/python/run';
import { onSearchPath } from '../../src/python/searchPath';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'helix-probe-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function script(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

describe('a probe', () => {
  it('tells the version of a real Python, and why Helix cannot be imported there', async () => {
    const bare = await script('bare', '#!/bin/sh\nexec python3 -I -S "$@"\n');
    const probed = await probeIn(folder)(bare);
    expect(probed).toMatchObject({ ran: true, python: expect.stringMatching(/^3\.\d+\.\d+/) as string });
    expect(probed).not.toHaveProperty('helix');
  });

  it('says of a program that is not a Python that it is none', async () => {
    expect(await probeIn(folder)(await script('other', '#!/bin/sh\necho hello\n'))).toEqual({
      ran: false,
      reason: 'did not answer like a Python',
    });
  });

  it('says of what is not there that it is not there', async () => {
    expect(await probeIn(folder)(path.join(folder, 'gone'))).toEqual({ ran: false, reason: 'not found' });
  });
});

describe('a program', () => {
  it('that runs too long is ended', async () => {
    const slow = await script('slow', '#!/bin/sh\nexec sleep 60\n');
    await expect(run(slow, [], { cwd: folder, timeoutMs: 200 })).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('is ended when it is cancelled', async () => {
    const slow = await script('slow', '#!/bin/sh\nexec sleep 60\n');
    const abort = new AbortController();
    const running = run(slow, [], { cwd: folder, timeoutMs: 60_000, signal: abort.signal });
    abort.abort();
    await expect(running).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('that fails says so with its last line', async () => {
    const failing = await script('failing', '#!/bin/sh\necho first >&2\necho "no space left" >&2\nexit 3\n');
    const error: unknown = await run(failing, [], { cwd: folder, timeoutMs: 10_000 }).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(RunError);
    expect((error as RunError).message).toBe('ended with status 3: no space left');
  });
});

describe('the search path', () => {
  it('gives interpreters newest name first, and nothing from a workspace or from a relative entry', async () => {
    const bin = path.join(folder, 'bin');
    const workspace = path.join(folder, 'workspace');
    await mkdir(bin);
    await mkdir(path.join(workspace, 'bin'), { recursive: true });
    for (const name of ['bin/python3', 'bin/python3.12', 'workspace/bin/python3.14']) {
      await script(name, '#!/bin/sh\n');
    }
    const searchPath = ['bin', path.join(workspace, 'bin'), bin].join(path.delimiter);
    expect(await onSearchPath(searchPath, [workspace])).toEqual([
      path.join(bin, 'python3.12'),
      path.join(bin, 'python3'),
    ]);
  });
});
