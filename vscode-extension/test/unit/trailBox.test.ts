/** A folder that is opened says where one was: once, as a notification, and not where the setting is off. */
import { beforeEach, expect, test, vi } from 'vitest';

const shown = vi.fn(() => Promise.resolve<string | undefined>(undefined));
const settings = new Map<string, unknown>();
const update = vi.fn((name: string, value: unknown) => Promise.resolve(settings.set(name, value)));
let removed: ((event: unknown) => void) | undefined;
let activated: ((editor: unknown) => void) | undefined;
vi.mock('vscode', () => ({
  ConfigurationTarget: { Global: 1 },
  QuickPickItemKind: { Separator: -1 },
  ThemeColor: vi.fn(),
  window: {
    showInformationMessage: shown,
    createTextEditorDecorationType: () => ({ dispose: () => undefined }),
    onDidChangeActiveTextEditor: (told: (editor: unknown) => void) => {
      activated = told;
      return { dispose: () => undefined };
    },
    onDidChangeTextEditorSelection: () => ({ dispose: () => undefined }),
  },
  workspace: {
    getConfiguration: () => ({ get: (name: string, usual: unknown) => settings.get(name) ?? usual, update }),
    onDidChangeWorkspaceFolders: (told: (event: unknown) => void) => {
      removed = told;
      return { dispose: () => undefined };
    },
  },
}));
const { TrailBox } = await import('../../src/memory/trailBox');

const folder = 'file:///project';
const place = {
  source_id: 'app/pay.py',
  start_line: 2,
  end_line: 3,
  was: { start_line: 2, end_line: 3 },
  symbol: 'pay',
};
const answer = {
  recording: true,
  last: [{ ...place, at: 1, status: 'verified', reason: 'unchanged', detail: '', commit: null }],
  moments: [],
  notes: [],
};

/** A box whose server has told of the folder, and how to tell it again. */
function opened() {
  const ask = vi.fn(() => Promise.resolve(answer));
  let tell: (status: unknown) => void = () => undefined;
  const onStatus = (told: typeof tell) => {
    tell = told;
    return { dispose: () => undefined };
  };
  const logger = { error: vi.fn() };
  new TrailBox({ ask, onStatus } as never, logger as never);
  const told = async (state: string): Promise<void> => {
    tell({ uri: folder, state });
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { ask, told };
}

beforeEach(() => {
  shown.mockClear();
  settings.clear();
});

test('a folder says it once, when its index is level with the disk, and again when it is opened again', async () => {
  const { ask, told } = opened();
  await told('indexing');
  expect(ask).not.toHaveBeenCalled();
  await told('fresh');
  await told('fresh');
  expect(shown).toHaveBeenCalledOnce();
  expect(shown).toHaveBeenCalledWith(expect.stringContaining('app/pay.py:2–3'), 'Show Places', 'Don’t Show Again');
  removed?.({ removed: [{ uri: { toString: () => folder } }] });
  await told('fresh');
  expect(shown).toHaveBeenCalledTimes(2);
});

test('nothing is asked or said once somebody wants it no more', async () => {
  shown.mockResolvedValueOnce('Don’t Show Again');
  await opened().told('fresh');
  expect(settings.get('trail.showOnOpen')).toBe(false);
  const { ask, told } = opened();
  await told('fresh');
  expect(ask).not.toHaveBeenCalled();
});

test('the server is told which file is shown, and nothing of what is not a file', () => {
  const showed = vi.fn(() => Promise.resolve());
  const onStatus = () => ({ dispose: () => undefined });
  new TrailBox({ showed, onStatus } as never, { error: vi.fn() } as never);
  for (const scheme of ['file', 'untitled', 'git']) {
    activated?.({ document: { uri: { scheme, toString: () => `${scheme}:///project/app/pay.py` } } });
  }
  activated?.(undefined);
  expect(showed.mock.calls).toEqual([['file:///project/app/pay.py']]);
});
