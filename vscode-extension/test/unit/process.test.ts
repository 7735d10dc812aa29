import { describe, expect, it } from 'vitest';
import { launchOf } from '../../src/server/launch';
import { endOf, ServerProcess } from '../../src/server/process';

const launched = (script: string) =>
  new ServerProcess({ command: 'sh', args: ['-c', script], cwd: '/', env: process.env }, () => undefined);

describe('the server process', () => {
  it('says how it ended, with its last word', async () => {
    expect(await launched('echo "no module named helix" >&2; exit 3').ended).toBe(
      'The language server ended with status 3: no module named helix',
    );
  });

  it('that cannot be started says why', async () => {
    const gone = new ServerProcess({ command: '/nowhere/python', args: [], cwd: '/', env: {} }, () => undefined);
    expect(await gone.ended).toMatch(/could not be started: .*ENOENT/);
  });

  it('that does not leave by itself is ended', async () => {
    const stubborn = launched('trap "" TERM; while :; do sleep 0.1; done');
    await stubborn.end(100);
    expect(await stubborn.ended).toBe('The language server was ended by SIGKILL.');
  });

  it('leaves when its input ends', async () => {
    const polite = launched('cat >/dev/null; exit 0');
    await polite.end(20_000);
    expect(await polite.ended).toBe('The language server ended with status 0.');
  });

  it('names no line where it said nothing', () => {
    expect(endOf(null, 'SIGSEGV', ['', '  '])).toBe('The language server was ended by SIGSEGV.');
  });
});

describe('a launch', () => {
  it('keeps modules of the current folder out, for the server and for what it starts', () => {
    const interpreter = { source: 'PATH', path: '/usr/bin/python3', python: '3.12.0', helix: '0.1.0' } as const;
    const launch = launchOf(interpreter, '/storage', { PATH: '/bin' });
    expect(launch.args).toEqual(['-P', '-m', 'helix_ls.cli', 'lsp']);
    expect(launch.cwd).toBe('/storage');
    expect(launch.env).toEqual({ PATH: '/bin', PYTHONSAFEPATH: '1' });
  });
});
