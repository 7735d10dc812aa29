/** What is fetched only when wanted is fetched with consent, into the private environment and nowhere else. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Interpreter } from '../../src/python/resolve';

const told: string[] = [];
const added: string[] = [];
const copied: string[] = [];
const terminals: { shellPath: string; shellArgs: string[]; cwd: string }[] = [];
let missing = '';
let terminal: object = {};
let close: (closed: object) => void = () => undefined;
let failure: Error | undefined;
let answer: (message: string, titles: readonly string[]) => string | undefined;

vi.mock('vscode', () => {
  const ask = (message: string, ...rest: (string | { modal: boolean; detail: string })[]): Promise<unknown> => {
    const detail = rest.map((one) => (typeof one === 'string' ? '' : one.detail)).join('');
    told.push(`${message} ${detail}`.trim());
    return Promise.resolve(
      answer(
        message,
        rest.filter((one) => typeof one === 'string'),
      ),
    );
  };
  return {
    ProgressLocation: { Notification: 15 },
    env: { clipboard: { writeText: (text: string) => Promise.resolve(copied.push(text)) } },
    workspace: {},
    window: {
      showInformationMessage: ask,
      showErrorMessage: ask,
      createTerminal: (options: (typeof terminals)[number]) => {
        terminal = { show: () => terminals.push(options) };
        return terminal;
      },
      onDidCloseTerminal: (heard: typeof close) => {
        close = heard;
        return { dispose: () => undefined };
      },
      withProgress: (_: unknown, work: (...given: unknown[]) => unknown) =>
        work({ report: () => undefined }, { onCancellationRequested: () => undefined }),
    },
  };
});
vi.mock('../../src/python/searchPath', () => ({ program: () => Promise.resolve(undefined) }));
vi.mock('../../src/python/sources', () => ({ workspaceFolders: () => [] }));
vi.mock('../../src/python/run', async (original) => ({
  ...(await original<object>()),
  run: () => Promise.resolve({ stdout: missing, stderr: '' }),
}));
vi.mock('../../src/python/privateEnvironment', () => ({
  findBundle: () => Promise.resolve({ extras: {} }),
  findPrivate: () => Promise.resolve({ python: '/private/python' }),
  addExtra: (_storage: string, _bundle: object, extra: string) => {
    if (failure) return Promise.reject(failure);
    added.push(extra);
    return Promise.resolve();
  },
}));
const { Setup } = await import('../../src/commands/setup');

function setupOn(path: string): InstanceType<typeof Setup> {
  const interpreter: Interpreter = { source: 'private environment', path, python: '3.12.0', helix: '1.0' };
  const server = {
    onState: () => ({ dispose: () => undefined }),
    resolution: { interpreter, steps: [] },
    setUpStep: () => undefined,
    interpreter: () => Promise.resolve(interpreter),
  };
  const logs = {
    logger: { info: () => undefined, debug: () => undefined, error: () => undefined },
    show: () => undefined,
  };
  return new Setup(
    server as never,
    { storage: '/storage', bundled: '/bundled' },
    (() => undefined) as never,
    logs as never,
  );
}

beforeEach(() => {
  for (const list of [told, added, copied, terminals]) list.length = 0;
  missing = 'fastembed onnxruntime';
  failure = undefined;
  answer = (_, titles) => titles[0];
});

describe('setting up an embedding model', () => {
  it('says what it costs, installs with consent, and begins the setup in a terminal, which asks for itself', async () => {
    await setupOn('/private/python').setUpModel('/project');
    expect(told[0]).toMatch(/^Install what embedding models need\? .*14 packages \(117 MB on disk\).*pinned hash/);
    expect(added).toEqual(['models']);
    expect(terminals).toEqual([
      expect.objectContaining({
        shellPath: '/private/python',
        shellArgs: ['-P', '-m', 'helix_ls.cli', 'embed', 'setup', '--path', '/project'],
        cwd: '/storage',
      }),
    ]);
    const before = told.length;
    close({ exitStatus: { code: 0 } });
    expect(told).toHaveLength(before);
    close(Object.assign(terminal, { exitStatus: { code: 1 } }));
    expect(told).toHaveLength(before);
    close(Object.assign(terminal, { exitStatus: { code: 0 } }));
    expect(told.at(-1)).toMatch(/is set up/);
  });

  it('installs and starts nothing without consent', async () => {
    answer = () => undefined;
    await setupOn('/private/python').setUpModel('/project');
    expect([added, terminals]).toEqual([[], []]);
    expect(told).toHaveLength(1);
  });

  it('asks for no installation where models can run', async () => {
    missing = '\n';
    await setupOn('/my/python').setUpModel('/project');
    expect(told).toEqual([expect.stringMatching(/^Set up an embedding model\?/)]);
    expect([added, terminals.length]).toEqual([[], 1]);
  });

  it('changes no interpreter of the user: the command is copied', async () => {
    await setupOn('/my/python').setUpModel('/project');
    expect(told).toEqual([expect.stringContaining('/my/python; install what embedding models need there with: pip')]);
    expect([copied, added, terminals]).toEqual([['pip install "helix-context-engine[models]"'], [], []]);
  });

  it('tells why where it cannot be installed, and sets nothing up', async () => {
    failure = new Error('no space left on device');
    answer = (message, titles) => (message.startsWith('Install') ? titles[0] : undefined);
    await setupOn('/private/python').setUpModel('/project');
    expect(told.at(-1)).toBe('Helix could not install what embedding models need: no space left on device.');
    expect(terminals).toEqual([]);
  });
});

it('the chat proxy is installed the same way', async () => {
  expect(await setupOn('/private/python').install('proxy')).toBe(true);
  expect(told).toEqual([expect.stringMatching(/^Install the chat proxy\? .*26 MB/)]);
  expect(added).toEqual(['proxy']);
  expect(await setupOn('/my/python').install('proxy')).toBe(false);
  expect(copied).toEqual(['pip install "helix-context-engine[proxy,keyring]"']);
});
