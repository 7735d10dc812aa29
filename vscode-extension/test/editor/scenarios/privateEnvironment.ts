/** A machine with VS Code and Python and nothing else: Helix makes its own environment from what the package carries. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { type Act, scenario } from '../driver/acts.ts';
import { wrongIn } from '../driver/axe.ts';
import { PacketView } from '../driver/packetView.ts';
import type { Stage } from '../driver/stage.ts';
import { until } from '../driver/until.ts';
import { openStage } from './opening.ts';

async function setUp(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/set up/i, 30_000);
  const [notice] = await until(
    'the user is asked',
    async () => {
      const shown = await window.notifications();
      return shown.length > 0 ? shown : undefined;
    },
    { withinMs: 10_000 },
  );
  assert.ok(notice);
  assert.deepEqual(notice.buttons, ['Set Up', 'Choose Interpreter']);
  assert.match(notice.message, /takes a minute or two and about 200 MB/);
  await stage.picture('set-up');
  // The palette closes what is shown in the corner.
  await window.run('Helix: Focus on Context Packet View');
  const page = await window.webview('.missing');
  const card = page.locator('.missing');
  assert.match(await card.innerText(), /takes a minute or two and about 200 MB/);
  assert.equal(await card.locator('button.primary-button').innerText(), 'Set up Helix');
  assert.deepEqual(await wrongIn(page), []);
  await stage.picture('first-minute');
  await card.locator('button.primary-button').click();
  const dialog = window.page.locator('.monaco-dialog-box', { hasText: 'Set up a private Python environment' });
  assert.match(await dialog.innerText(), /each checked against a pinned hash/);
  const began = performance.now();
  await dialog.locator('.monaco-button', { hasText: 'Set Up' }).click();
  await stage.status(/setting up/i, 10_000);
  const counted = await until(
    'the view counts the packages',
    async () => /(\d+) of (\d+) packages/.exec(await card.innerText()) ?? undefined,
    { withinMs: 120_000, everyMs: 50 },
  );
  assert.ok(Number(counted[1]) >= 1 && Number(counted[1]) <= Number(counted[2]), counted[0]);
  assert.equal(await card.locator('progress').count(), 1);
  assert.deepEqual(await wrongIn(page), []);
  await stage.picture('setting-up');
  await stage.status(/fresh/i, 280_000);
  stage.measure('private environment made and first index fresh', performance.now() - began);
  await until('the card is gone', async () => (await card.count()) === 0, { withinMs: 10_000 });
  const rows = await new PacketView(window).askByPalette('refund a payment');
  assert.ok(rows.some(({ mark }) => mark === 'verified'));
  assert.ok(
    stage.processes('shim').every(({ command }) => /globalStorage.*\/env-/.test(command)),
    JSON.stringify(stage.processes()),
  );
}

/** What the environment takes, without the bytecode that Python writes while it runs. */
function takesAsMuchAsItSaid(stage: Stage): Promise<void> {
  // Beside it lib64 is a link to the same folder.
  const sizes = fs
    .readdirSync(path.join(environmentOf(stage), 'lib'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('__pycache__'))
    .map((entry) => fs.lstatSync(path.join(entry.parentPath, entry.name)).size);
  const megabytes = sizes.reduce((total, size) => total + size, 0) / 1e6;
  assert.ok(megabytes > 100 && megabytes <= 200, `${megabytes.toFixed(0)} MB`);
  return Promise.resolve();
}

/** The private environment that the shim runs in. */
function environmentOf(stage: Stage): string {
  const [environment] = stage.processes('shim').flatMap(({ command }) => /\S*\/env-\w+/.exec(command) ?? []);
  assert.ok(environment, 'the shim runs in the private environment');
  return environment;
}

/** The core answers without the chat proxy; who wants it is asked, and told what it costs. */
async function addsTheProxy(stage: Stage): Promise<void> {
  const window = await stage.window();
  await window.run('Helix: Install Chat Proxy');
  const dialog = window.page.locator('.monaco-dialog-box', { hasText: 'Install the chat proxy?' });
  assert.match(await dialog.innerText(), /packages \(\d+ MB\)/);
  await stage.picture('install-proxy');
  const began = performance.now();
  await dialog.locator('.monaco-button', { hasText: 'Install' }).click();
  const mark = path.join(environmentOf(stage), 'helix-ready.json');
  await until(
    'the environment has the proxy',
    () => Promise.resolve(fs.readFileSync(mark, 'utf8').includes('"proxy"') ? true : undefined),
    { withinMs: 150_000 },
  );
  stage.measure('chat proxy installed', performance.now() - began);
  await window.choose('Helix: Choose Upstream', 'Another Address…');
  await window.answer('http://127.0.0.1:9/v1', 'Address of an OpenAI-compatible server');
  const said = await until(
    'the chosen server is told',
    async () => (await window.notifications()).find(({ message }) => message.includes('127.0.0.1:9')),
    { withinMs: 30_000 },
  );
  assert.match(said.message, /does not answer yet/);
}

/** What models need is as much again as the core: who sets one up is asked first, and no is no. */
async function asksForModels(stage: Stage): Promise<void> {
  const window = await stage.window();
  await window.run('Helix: Set Up Embedding Model');
  const dialog = window.page.locator('.monaco-dialog-box', { hasText: 'Install what embedding models need?' });
  assert.match(await dialog.innerText(), /14 packages \(117 MB on disk\)/);
  await stage.picture('install-models');
  await dialog.locator('.monaco-button', { hasText: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await window.page.locator('.terminal-wrapper').count(), 0, 'no terminal sets a model up');
  assert.doesNotMatch(fs.readFileSync(path.join(environmentOf(stage), 'helix-ready.json'), 'utf8'), /"models"/);
}

async function startsAgain(stage: Stage): Promise<void> {
  await stage.forget();
  const began = performance.now();
  await stage.status(/fresh/i, 30_000);
  stage.measure('next window -> fresh, private environment', performance.now() - began);
  assert.deepEqual(await (await stage.window()).notifications(), []);
}

export const privateEnvironment: Act = {
  name: 'its own Python environment',
  open: async (run) => (await openStage(run, 'private', { settings: {} })).stage,
  scenarios: [
    scenario('made from the package with consent, and Helix runs in it', setUp, 300_000),
    scenario('it takes no more than 200 MB', takesAsMuchAsItSaid),
    scenario('what embedding models need is asked about when one is set up', asksForModels),
    scenario('the chat proxy is installed when it is wanted', addsTheProxy, 200_000),
    scenario('the next window uses it at once', startsAgain),
  ],
};
