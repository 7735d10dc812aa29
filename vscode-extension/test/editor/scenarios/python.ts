/** Which Python Helix runs on when nobody has chosen one. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { type Act, scenario } from '../driver/acts.ts';
import { python } from '../driver/installation.ts';
import type { Stage } from '../driver/stage.ts';
import { pause, until } from '../driver/until.ts';
import { pythonExtension } from '../fixture/pythonExtension.ts';
import { openStage } from './opening.ts';

/** A folder that holds what VS Code and git need on PATH, and no Python. */
function programsWithoutPython(folder: string): string {
  fs.mkdirSync(folder, { recursive: true });
  const needed = [
    'sh',
    'bash',
    'env',
    'git',
    'ps',
    'cat',
    'uname',
    'sed',
    'which',
    'ls',
    'readlink',
    'dirname',
    'basename',
  ];
  for (const name of needed) {
    const found = ['/usr/bin', '/bin'].map((place) => path.join(place, name)).find((file) => fs.existsSync(file));
    if (found !== undefined) fs.symlinkSync(found, path.join(folder, name));
  }
  return folder;
}

let choice: string;

async function noPython(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/no python/i, 30_000);
  const [notice, ...more] = await until(
    'the user is told',
    async () => {
      const shown = await window.notifications();
      return shown.length > 0 ? shown : undefined;
    },
    { withinMs: 10_000 },
  );
  assert.deepEqual(more, [], 'told once');
  assert.match(notice?.message ?? '', /Python 3\.11/);
  assert.equal(notice?.buttons.length, 2, JSON.stringify(notice));
  await stage.picture('no-python');
  await window.run('Notifications: Clear All Notifications');
  await window.run('Helix: Restart');
  await stage.status(/no python/i, 30_000);
  await pause(1_000);
  assert.deepEqual(await window.notifications(), [], 'not told again');
  assert.deepEqual(stage.processes(), []);
}

/** The card that the view shows while no server can run. */
async function card(stage: Stage): Promise<string> {
  const window = await stage.window();
  await window.run('Helix: Focus on Context Packet View');
  return (await window.webview('.missing')).locator('.missing').innerText();
}

async function badInterpreter(stage: Stage): Promise<void> {
  await stage.forget();
  const program = path.join(stage.run.scratch, 'no-python');
  fs.writeFileSync(program, '#!/bin/sh\necho broken\nexit 3\n', { mode: 0o755 });
  stage.server.set({ 'helix.interpreter': program });
  const named = new RegExp(`helix\\.interpreter names ${program}, which cannot run Helix`);
  await stage.status(named, 30_000);
  const window = await stage.window();
  const shown = await until(
    'the user is told which setting it is',
    async () => (await window.notifications()).find(({ message }) => named.test(message)),
    { withinMs: 10_000 },
  );
  assert.equal(shown.buttons[0], 'Open Setting');
  // The palette closes what is shown in the corner.
  assert.match(await card(stage), named);
  await stage.picture('bad-interpreter');
  assert.deepEqual(stage.processes(), []);
}

/** As other extensions have it: a list in place of the text. */
async function listedInterpreter(stage: Stage): Promise<void> {
  await stage.forget();
  stage.server.set({ 'helix.interpreter': [python], 'helix.logLevel': 'loud' });
  const window = await stage.window();
  await stage.status(/no python/i, 30_000);
  const shown = await until(
    'the settings are told',
    async () => (await window.notifications()).find(({ message }) => message.includes('helix.interpreter')),
    { withinMs: 10_000 },
  );
  assert.match(shown.message, /helix\.interpreter must be text, and is a list; write ".+", without brackets\./);
  assert.match(shown.message, /helix\.logLevel must be one of .+, and is "loud"/);
  assert.deepEqual(shown.buttons, ['Open Settings']);
  assert.match(await card(stage), /No Python found/);
  await stage.picture('listed-interpreter');
  stage.server.set({ 'helix.interpreter': undefined, 'helix.logLevel': undefined });
}

async function extensionsChoice(stage: Stage): Promise<void> {
  await stage.forget();
  stage.server.install(pythonExtension(path.join(stage.run.scratch, 'python-extension'), choice));
  fs.writeFileSync(choice, python);
  const window = await stage.window();
  await stage.status(/fresh/i, 30_000);
  await window.debugInformation((text) => text.includes('from Python extension'));
}

async function sameChoice(stage: Stage): Promise<void> {
  const [before] = stage.processes('shim');
  assert.ok(before);
  fs.utimesSync(choice, new Date(), new Date());
  await pause(500);
  fs.writeFileSync(choice, `${python}\n`);
  await pause(2_500);
  assert.deepEqual(
    stage.processes('shim').map(({ pid }) => pid),
    [before.pid],
  );
  await stage.status(/fresh/i, 5_000);
}

export const pythons: Act = {
  name: 'which Python',
  open: async (run) => {
    choice = path.join(run.scratch, 'chosen-interpreter');
    const PATH = programsWithoutPython(path.join(run.scratch, 'programs'));
    return (await openStage(run, 'pythons', { settings: {}, environment: { PATH } })).stage;
  },
  scenarios: [
    scenario('no Python: an error with two buttons, told once', noPython),
    scenario('an interpreter setting that cannot run Helix is named in view, status and message', badInterpreter),
    scenario('a list in its place is told, and leaves nothing spinning', listedInterpreter),
    scenario('the Python extension’s interpreter is used', extensionsChoice),
    scenario('an event that changes nothing restarts nothing', sameChoice),
  ],
};
