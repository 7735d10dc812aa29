/** How an answer came about, as somebody sees it who wants to know why these places were found. */
import assert from 'node:assert/strict';

import type { Frame } from 'playwright-core';

import { type Scenario, scenario } from '../driver/acts.ts';
import { PacketView } from '../driver/packetView.ts';
import type { Stage } from '../driver/stage.ts';

const QUESTION = 'How does a refund work?';
const THEMES = [
  { name: 'dark', theme: 'Dark 2026', kind: 'vscode-dark' },
  { name: 'high-contrast', theme: 'Dark High Contrast', kind: 'vscode-high-contrast' },
  { name: 'light', theme: 'Light 2026', kind: 'vscode-light' },
] as const;

async function whyHere(stage: Stage): Promise<void> {
  const window = await stage.window();
  const view = new PacketView(window);
  await stage.status(/fresh/i, 60_000);
  await view.showing(QUESTION);
  await window.widenSideBar(520);
  const page = await view.page();
  const row = page.locator('.item').first();
  await row.focus();
  await row.press('w');
  const panel = page.locator('.here-panel').first();
  await panel.locator('.stack').waitFor();
  await sharesAgree(page);
  assert.match(await panel.innerText(), /Place \d+ of \d+/);
  await row.press('w');
  await panel.waitFor({ state: 'detached' });
  await row.press('ArrowRight');
  const disclosure = page.locator('.here .disclose').first();
  assert.equal(await disclosure.getAttribute('aria-expanded'), 'false');
  await disclosure.press('Enter');
  await panel.locator('.stack').waitFor();
  await row.scrollIntoViewIfNeeded();
  await stage.picture('packet-why-here');
}

/** What is drawn, what is said of it, and the numbers beside it are the same. */
async function sharesAgree(page: Frame): Promise<void> {
  const panel = page.locator('.here-panel').first();
  const label = (await panel.locator('.stack').getAttribute('aria-label')) ?? '';
  const drawn = await panel
    .locator('.stack rect')
    .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().width));
  const whole = await panel.locator('.stack').evaluate((bar) => bar.getBoundingClientRect().width);
  const told = [...label.matchAll(/([\w ]+?) (?:< )?(\d+) %/g)].map(([, , share]) => Number(share));
  assert.equal(drawn.length, told.length, label);
  for (const [at, width] of drawn.entries()) {
    assert.ok(Math.abs((100 * width) / whole - (told[at] ?? 0)) < 2, `${label}: ${String(drawn)} of ${whole}`);
  }
  assert.ok(Math.abs(drawn.reduce((sum, width) => sum + width, 0) - whole) < 3, 'the bar is full');
  const colours = await panel
    .locator('.stack rect')
    .evaluateAll((parts) => parts.map((part) => globalThis.getComputedStyle(part).fill));
  assert.equal(new Set(colours).size, colours.length, `each ranker has a colour of its own: ${String(colours)}`);
}

async function allLists(stage: Stage): Promise<void> {
  const window = await stage.window();
  const view = new PacketView(window);
  await stage.status(/fresh/i, 60_000);
  await view.showing(QUESTION);
  await window.widenSideBar(520);
  await window.run('Helix: Explain This Answer');
  const page = await view.page();
  await page.locator('.rankers .chart-row').first().waitFor();
  const places = await page.locator('.chart-row').count();
  assert.equal(places, await page.locator('.item').count(), 'every pointer has a bar');
  assert.ok((await page.locator('.rankers .list').count()) >= 3);
  const text = await page.locator('.rankers').innerText();
  assert.match(text, /Confidence 0\.\d\d/);
  assert.match(text, /The built-in vectors served/);
  assert.match(text, /Silent: /);
  for (const { name, theme, kind } of THEMES) {
    await window.choose('Preferences: Color Theme', theme);
    await page.locator(`body.${kind}`).waitFor();
    await page.locator('.rankers').evaluate((part) => {
      part.scrollIntoView({ block: 'start' });
    });
    await stage.picture(`packet-rankers-${name}`);
  }
  await page.locator('.rankers .list .place').first().click();
  await window.page.locator('.tab.active').first().waitFor();
  await page.locator('.chart-place').first().click();
  await page.locator('.item:focus').waitFor();
}

export const explained: Scenario[] = [
  scenario('a pointer explains why it stands where it stands, by keyboard, and no sooner', whyHere, 90_000),
  scenario('the whole answer is explained: every ranker with its list, in three themes', allLists, 90_000),
];
