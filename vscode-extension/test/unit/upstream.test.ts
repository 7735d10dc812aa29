/** Choosing an upstream asks whether chats are kept, until it was answered; only a yes keeps any. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const said: (readonly string[])[] = [];
let answer: (question: string) => string | undefined;
vi.mock('vscode', () => ({
  window: {
    showInformationMessage: (...words: string[]) => {
      said.push(words);
      return Promise.resolve(answer(words[0] ?? ''));
    },
    showErrorMessage: (...words: string[]) => said.push(words),
  },
  workspace: { getConfiguration: () => ({ get: () => undefined }) },
  commands: { executeCommand: () => Promise.resolve() },
  Uri: { file: (name: string) => name },
}));
const { chooseUpstream } = await import('../../src/commands/upstream');

const address = 'http://127.0.0.1:11434';
let folder: string;
let settings: string;

/** Answers `helix config --json` as Helix does: the origin of `memory.learn` is `user` once the file has it. */
const program = (file: string): string =>
  [
    '#!/bin/sh',
    'origin=default',
    `grep -q '^learn' '${file}' 2>/dev/null && origin=user`,
    `echo '{"files": [{"role": "user", "path": "${file}"}],' \\`,
    `  '"settings": [{"key": "memory.learn", "value": false, "origin": "'$origin'"}]}'`,
  ].join('\n');

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'helix-upstream-'));
  settings = path.join(folder, 'config.toml');
  await writeFile(path.join(folder, 'python'), program(settings));
  await chmod(path.join(folder, 'python'), 0o755);
  said.length = 0;
  answer = () => undefined;
});

afterEach(() => rm(folder, { recursive: true }));

async function choose(): Promise<string> {
  const logger = { info: () => undefined, error: () => undefined };
  await chooseUpstream(
    {
      cwd: folder,
      logs: { logger },
      server: { interpreter: () => Promise.resolve({ path: path.join(folder, 'python') }) },
      proxy: { refresh: () => Promise.resolve({ kind: 'ready', upstreams: [], models: [] }) },
    } as never,
    address,
  );
  await vi.waitFor(async () => {
    const text = await readFile(settings, 'utf8');
    expect(questions().length === 0 || answer(questions()[0]?.[0] ?? '') === undefined || /^learn/m.test(text)).toBe(
      true,
    );
  });
  return readFile(settings, 'utf8');
}

const questions = (): (readonly string[])[] => said.filter(([question]) => question?.startsWith('Keep chats'));

it.each([
  ['Keep Them', 'learn = true'],
  ["Don't Keep Them", 'learn = false'],
])('%s is written down, and nobody is asked again', async (chosen, written) => {
  answer = (question) => (question.startsWith('Keep chats') ? chosen : undefined);
  const text = await choose();
  expect(text).toContain(address);
  expect(text).toContain(written);
  const [question] = questions();
  expect(question?.slice(1)).toEqual(['Keep Them', "Don't Keep Them"]);
  expect(question?.[0]).toContain('on this machine, so that facts can be drawn from them? Nothing is sent anywhere.');
  await choose();
  expect(questions()).toHaveLength(1);
});

it('who looks away keeps no chats, and is asked the next time', async () => {
  expect(await choose()).not.toContain('learn');
  expect(await choose()).not.toContain('learn');
  expect(questions()).toHaveLength(2);
});

it('who answered by helix config --keep-chats is not asked', async () => {
  await writeFile(settings, '[memory]\nlearn = true\n');
  expect(await choose()).toContain('learn = true');
  expect(questions()).toEqual([]);
});
