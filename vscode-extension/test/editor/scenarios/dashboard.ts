/** The dashboard: in a browser by a link that works once, and in a tab of the editor; the same page in both. */
import assert from 'node:assert/strict';
import path from 'node:path';

import type { BrowserContextOptions, Frame, Page } from 'playwright-core';

import { type Act, scenario } from '../driver/acts.ts';
import { wrongIn } from '../driver/axe.ts';
import { artifacts } from '../driver/installation.ts';
import type { Stage } from '../driver/stage.ts';
import { limit } from '../driver/until.ts';
import { openStage } from './opening.ts';

const HOSTILE = 'We decided on <script>globalThis.broken = 1</script> and <b>bold</b>';
const CITING = 'Refunds are posted once, because the bank counts retries';
const PANELS = ['memory', 'timeline', 'diff', 'review', 'freshness', 'packets', 'latency', 'tokens', 'pauses'];
const THEMES = [
  { theme: 'Dark 2026', kind: 'vscode-dark' },
  { theme: 'Dark High Contrast', kind: 'vscode-high-contrast' },
  { theme: 'Light 2026', kind: 'vscode-light' },
] as const;

/** Waits until every panel has its answer. */
async function filled(page: Frame | Page): Promise<void> {
  await page.locator('#overview dl').waitFor({ timeout: limit(30_000) });
  await page.waitForFunction(
    () => document.querySelector('section[aria-busy="true"], section > p.quiet') === null,
    undefined,
    { timeout: limit(60_000) },
  );
  assert.deepEqual(await page.locator('[role=alert]').allInnerTexts(), [], 'no panel has an error');
  for (const id of PANELS) assert.equal(await page.locator(`section#${id}`).count(), 1, id);
}

function link(stage: Stage): string {
  const said = stage.server.helix(stage.target, 'dashboard', '--json');
  return (JSON.parse(said) as { url: string }).url;
}

async function remember(stage: Stage): Promise<void> {
  await stage.status(/fresh/i, 60_000);
  stage.server.helix(stage.target, 'remember', CITING, '--cite', 'ledger/refunds.py:1-10');
  stage.server.helix(stage.target, 'remember', HOSTILE);
  stage.server.helix(stage.target, 'packet', 'How does a refund work?', '--json');
}

async function open(stage: Stage, address: string, options: BrowserContextOptions): Promise<Page> {
  const context = await stage.run.browser.newContext({
    viewport: { width: 1400, height: 1000 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.on('console', (message) => said.push(`${message.type()} ${message.text()}`));
  page.on('pageerror', (error) => said.push(error.message));
  await page.goto(address, { timeout: limit(30_000) });
  return page;
}

const said: string[] = [];

async function inBrowser(stage: Stage): Promise<void> {
  await remember(stage);
  said.length = 0;
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open(stage, link(stage), { colorScheme });
    await filled(page);
    assert.ok(!page.url().includes('ticket'), 'the address keeps no ticket');
    assert.deepEqual(await wrongIn(page), [], colorScheme);
    const shown = page.locator('#memory .choices button', { hasText: 'We decided' });
    assert.match(await shown.innerText(), /<script>globalThis\.broken = 1<\/script>/, 'as text');
    assert.equal(await page.locator('b').count(), 0);
    assert.equal(await page.evaluate(() => 'broken' in globalThis), false);
    await page.screenshot({ path: path.join(artifacts, `dashboard-${colorScheme}.png`), fullPage: true });
    stage.run.pictures.push(`dashboard-${colorScheme}.png`);
    await page.context().close();
  }
  assert.deepEqual(said, [], 'the page breaks none of its own rules');
}

async function byKeyboard(stage: Stage): Promise<void> {
  await remember(stage);
  const page = await open(stage, link(stage), { forcedColors: 'active' });
  await filled(page);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to the panels');
  const choice = page.locator('#memory .choices button').first();
  await choice.focus();
  await page.keyboard.press('Enter');
  assert.equal(await choice.getAttribute('aria-pressed'), 'true');
  await page.locator('#memory .facts').waitFor();
  const outline = await choice.evaluate((button) => getComputedStyle(button).outlineStyle);
  assert.notEqual(outline, 'none', 'the focus is seen');
  const summary = page.locator('#freshness summary');
  await summary.focus();
  await page.keyboard.press('Enter');
  await page.locator('#freshness table').waitFor({ state: 'visible' });
  assert.deepEqual(await wrongIn(page), [], 'high contrast');
  await page.context().close();
}

async function once(stage: Stage): Promise<void> {
  await stage.status(/fresh/i, 60_000);
  const address = link(stage);
  const first = await open(stage, address, {});
  await filled(first);
  const second = await open(stage, address, {});
  assert.match(await second.locator('main.locked').innerText(), /used before[\s\S]*helix dashboard/);
  const bare = await open(stage, address.replace(/#.*/, ''), {});
  assert.match(await bare.locator('main.locked').innerText(), /no key yet[\s\S]*helix dashboard/);
  for (const page of [second, bare]) assert.deepEqual(await wrongIn(page), []);
  for (const page of [first, second, bare]) await page.context().close();
  // Where no window had the folder open, the link has the daemon keep it open.
  stage.server.helix(stage.target, 'daemon', 'stop');
}

async function inEditor(stage: Stage): Promise<void> {
  await remember(stage);
  const window = await stage.window();
  await window.run('Helix: Open Dashboard');
  const page = (): Promise<Frame> => window.webview('#overview', 60_000);
  await filled(await page());
  assert.match(await (await page()).locator('#memory .choices').innerText(), /Refunds are posted once/);
  for (const { theme, kind } of THEMES) {
    await window.choose('Preferences: Color Theme', theme);
    await (await page()).locator(`body.${kind}`).waitFor();
    await filled(await page());
    assert.deepEqual(await wrongIn(await page()), [], theme);
  }
  await stage.picture('dashboard-editor');
}

export const dashboard: Act = {
  name: 'the dashboard',
  open: async (run) => {
    const environment = { HELIX_DATA_DIR: path.join(run.scratch, 'dashboard', 'data') };
    return (await openStage(run, 'dashboard', { environment })).stage;
  },
  scenarios: [
    scenario('the dashboard opens in a tab of the editor, and axe-core finds nothing in any theme', inEditor, 180_000),
    scenario('the dashboard opens in a browser, light and dark, and text of others stays text', inBrowser, 180_000),
    scenario('the dashboard is used by keyboard, and in high contrast', byKeyboard, 120_000),
    scenario('a link to the dashboard works once, and says how to get another', once, 120_000),
  ],
};
