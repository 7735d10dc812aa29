import { describe, expect, it } from 'vitest';
import { questionOf } from '../../src/commands/question';
import { debugInformation, redacted, type DebugFacts } from '../../src/commands/debugInformation';
import { doctorText } from '../../src/view/verdictText';

const home = '/home/someone';
const facts: DebugFacts = {
  extension: '0.1.0',
  editor: 'Code 1.101.0',
  platform: 'linux x64',
  trusted: true,
  server: {
    kind: 'running',
    interpreter: { source: 'PATH', path: '/home/someone/.venv/bin/python', python: '3.12.0', helix: '0.1.0' },
  },
  pid: 42,
  resolution: {
    interpreter: { source: 'PATH', path: '/home/someone/.venv/bin/python', python: '3.12.0', helix: '0.1.0' },
    steps: [
      { source: 'setting helix.interpreter', accepted: false, reason: 'not set' },
      {
        source: 'PATH',
        path: '/home/someone/.venv/bin/python',
        accepted: true,
        reason: 'Python 3.12.0 with Helix 0.1.0',
      },
    ],
  },
  folders: [
    {
      schema: 'helix.live/1',
      workspace: '/home/someone/shop',
      uri: 'file:///home/someone/shop',
      state: 'fresh',
      watching: 'events',
      restricted: false,
      phase: '',
      done: 0,
      total: 0,
      files: 12,
      items: 90,
      message: '',
      action: '',
      branch: 'main',
      head: 'abc',
      server: { pid: 7, version: '0.1.0', mode: 'daemon' },
    },
  ],
  indexes: [
    {
      schema: 'helix.status/1',
      workspace: '/home/someone/shop',
      indexed: true,
      fresh: true,
      pending: { changed_or_new: 1, gone: 2 },
      index: {
        path: '/home/someone/.cache/helix/index.db',
        size_bytes: 4096,
        files: 12,
        items: 90,
        parked_files: 0,
        parked_items: 0,
      },
      languages: { python: 12 },
      git: null,
      skipped: { ignored: 3 },
      notes: [],
    },
  ],
  settings: { 'helix.interpreter': '/home/someone/py', 'helix.index.exclude': ['api_key=abcdef123456'] },
};

describe('the debug information', () => {
  const text = debugInformation(facts, home);

  it('has the versions, the interpreter with its source and reasons, and the counts of the index', () => {
    expect(text).toContain('extension 0.1.0');
    expect(text).toContain('Helix 0.1.0, daemon 7');
    expect(text).toContain('~/.venv/bin/python: Python 3.12.0 with Helix 0.1.0, from PATH');
    expect(text).toContain('setting helix.interpreter: not set');
    expect(text).toContain('12 files, 90 items, 3 waiting');
  });

  it('has no home folder and no secret', () => {
    expect(text).not.toContain(home);
    expect(text).not.toContain('abcdef123456');
  });
});

describe('redaction', () => {
  it.each([
    ['file:///home/someone/x', 'file://~/x'],
    ['/home/someone', '~'],
    ['/home/someone-else/x', '/home/someone-else/x'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: Bearer …'],
    ['"token": "abc123"', '"token": "…"'],
    ['https://user:pass@example.org/x', 'https://…@example.org/x'],
  ])('makes %s into %s', (text, expected) => {
    expect(redacted(text, home)).toBe(expected);
  });

  it('knows a home folder on Windows in both spellings', () => {
    const text = redacted('C:\\Users\\someone\\x and C:/Users/someone/x', 'C:\\Users\\someone');
    expect(text).toBe('~\\x and ~/x');
  });
});

describe('the doctor', () => {
  it('says for each finding what to do about it', () => {
    const text = doctorText({
      schema: 'helix.doctor/1',
      ok: false,
      checks: [{ name: 'git', state: 'warn', detail: 'not found', action: 'install git' }],
    });
    expect(text).toContain('⚠ **git** not found');
    expect(text).toContain('install git');
  });
});

describe('a selection as a question', () => {
  it('is one line, and cut at a word where it is long', () => {
    expect(questionOf('  def refund(\n    amount):  ')).toBe('def refund( amount):');
    const long = questionOf('word '.repeat(1000));
    expect(long.length).toBeLessThanOrEqual(600);
    expect(long.endsWith('word')).toBe(true);
  });
});
