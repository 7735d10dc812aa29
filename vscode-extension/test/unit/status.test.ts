import { describe, expect, it } from 'vitest';
import { commandIds } from '../../src/base/commandIds';
import type { LiveStatus } from '../../src/base/protocol';
import type { ServerState } from '../../src/server/state';
import { folderLine, statusText } from '../../src/status/statusText';

const interpreter = { source: 'PATH', path: '/usr/bin/python3', python: '3.12.0', helix: '0.1.0' } as const;
const running: ServerState = { kind: 'running', interpreter };

function folder(changes: Partial<LiveStatus> = {}): LiveStatus {
  return {
    schema: 'helix.live/1',
    workspace: '/home/someone/shop',
    uri: 'file:///home/someone/shop',
    state: 'fresh',
    watching: 'events',
    restricted: false,
    phase: '',
    done: 0,
    total: 0,
    files: 1200,
    items: 9000,
    message: '',
    action: '',
    branch: 'main',
    head: 'abc',
    server: { pid: 1, version: '0.1.0', mode: 'daemon' },
    ...changes,
  };
}

describe('the status item', () => {
  it('is quiet while everything is fresh', () => {
    const now = statusText(running, [folder()]);
    expect(now.text).toBe('$(pass) Helix');
    expect(now.look).toBe('plain');
    expect(now.command).toBe('helix.showStatus');
    expect(now.label).toBe('Helix: fresh. shop: fresh · 1,200 files, 9,000 items · on main');
    expect(statusText(running, [folder({ files: 1, items: 1 })]).label).toContain('1 file, 1 item ·');
  });

  it('is never called fresh while files are set aside', () => {
    for (const state of ['incomplete', 'fresh'] as const) {
      const lacking = { state, set_aside: 3, message: '3 files are set aside and not searched.' };
      const now = statusText(running, [folder(lacking)]);
      expect(now.label).not.toContain('fresh');
      expect(now.label).toContain('3 set aside');
    }
  });

  it('counts what is being indexed, over all folders', () => {
    const folders = [
      folder({ state: 'indexing', phase: 'reading', done: 10, total: 100 }),
      folder({ state: 'indexing', phase: 'reading', done: 5, total: 1000 }),
      folder(),
    ];
    expect(statusText(running, folders).text).toBe('$(sync~spin) Helix 15/1,100');
    expect(folderLine(folders[0] ?? folder())).toContain('reading 10 of 100');
  });

  it.each([
    [{ state: 'paused' }, '$(debug-pause) Helix paused'],
    [{ watching: 'polling' }, '$(history) Helix polling'],
    [{ restricted: true }, '$(shield) Helix'],
    [{ set_aside: 3 }, '$(warning) Helix 3 set aside'],
    [{ state: 'incomplete', set_aside: 3 }, '$(warning) Helix 3 set aside'],
    [{ state: 'starting' }, '$(sync~spin) Helix'],
    [{ state: 'missing', message: 'The folder is gone.' }, '$(warning) Helix'],
    [{ state: 'error', message: 'The disk is full.', action: 'Free some space.' }, '$(error) Helix'],
  ] as [Partial<LiveStatus>, string][])('shows %o as %s', (changes, text) => {
    expect(statusText(running, [folder(), folder(changes)]).text).toBe(text);
  });

  it('offers to resume what is paused, and to pause what is not', () => {
    const titles = (one: LiveStatus) => statusText(running, [one]).actions.map((action) => action.title);
    expect(titles(folder())).toContain('Pause');
    expect(titles(folder({ state: 'paused' }))).toContain('Resume');
  });

  it('says what is wrong and what to do about it', () => {
    const now = statusText(running, [
      folder({ state: 'error', message: 'The disk is full.', action: 'Free some space.' }),
    ]);
    expect(now.tooltip).toContain('The disk is full.');
    expect(now.tooltip).toContain('Free some space.');
    expect(now.look).toBe('error');
  });

  it('after five crashes is an error whose click restarts', () => {
    const now = statusText({ kind: 'crashed', message: 'The language server ended unexpectedly.' }, []);
    expect(now).toMatchObject({ text: '$(error) Helix: error', look: 'error', command: 'helix.restart' });
  });

  it('without a Python offers to set one up', () => {
    const base = { path: '/usr/bin/python3', python: '3.12.0' };
    expect(statusText({ kind: 'noPython', resolution: { steps: [], base } }, []).command).toBe('helix.setUp');
    expect(statusText({ kind: 'noPython', resolution: { steps: [] } }, []).text).toBe('$(error) Helix: no Python');
  });

  it('lets no name of a folder or branch become Markdown', () => {
    const now = statusText(running, [folder({ workspace: '/x/[a](command:evil)', branch: '$(bug)`x`' })]);
    expect(now.tooltip).not.toMatch(/[^\\]\[a/);
    expect(now.tooltip).not.toMatch(/[^\\]\$\(bug/);
  });

  it('offers only commands that exist', () => {
    const states: ServerState[] = [
      running,
      { kind: 'stopped' },
      { kind: 'starting' },
      { kind: 'settingUp' },
      { kind: 'crashed', message: 'x' },
      { kind: 'noPython', resolution: { steps: [] } },
    ];
    for (const state of states) {
      const now = statusText(state, [folder({ state: 'error' })]);
      expect(commandIds).toEqual(expect.arrayContaining([now.command, ...now.actions.map((action) => action.command)]));
    }
  });
});
