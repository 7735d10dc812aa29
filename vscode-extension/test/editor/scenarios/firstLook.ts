/** What somebody sees who opens a folder with Helix for the first time. */
import assert from 'node:assert/strict';
import os from 'node:os';

import { type Act, scenario } from '../driver/acts.ts';
import { wrongIn } from '../driver/axe.ts';
import { PacketView } from '../driver/packetView.ts';
import type { Stage } from '../driver/stage.ts';
import { until } from '../driver/until.ts';
import { activates } from './activation.ts';
import { explained } from './explained.ts';
import { hints } from './hints.ts';
import { openStage } from './opening.ts';

const QUESTION = 'How does a refund work?';
const OTHER_QUESTION = 'Where is a payment captured?';
const THEMES = [
  { name: 'dark', theme: 'Dark 2026', kind: 'vscode-dark' },
  { name: 'high-contrast', theme: 'Dark High Contrast', kind: 'vscode-high-contrast' },
  { name: 'high-contrast-light', theme: 'Light High Contrast', kind: 'vscode-high-contrast-light' },
] as const;

async function firstIndex(stage: Stage): Promise<void> {
  const began = performance.now();
  const window = await stage.window();
  stage.measure('window open', performance.now() - began);
  const counts = async (): Promise<boolean> => /\d\/\d/.test(await window.statusItem().innerText());
  await until(
    'the item counts files, or is done',
    async () => (await counts()) || /fresh/i.test(await window.status()),
    { withinMs: 30_000, everyMs: 20 },
  );
  await stage.picture('first-index');
  await stage.status(/fresh/i, 60_000);
  stage.measure('window opened -> first index fresh', performance.now() - began);
  assert.deepEqual(await window.notifications(), [], 'a good start is quiet');
}

async function statusTooltip(stage: Stage): Promise<void> {
  const window = await stage.window();
  const text = await window.statusTooltip('files');
  assert.match(text, /ledger/);
  assert.match(text, /on main/);
  await stage.picture('status-tooltip');
  await window.leave();
}

async function hover(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  await window.openFile('ledger/refunds.py', 17);
  const text = await window.hover('refund_payment', 'Ledger Team');
  assert.match(text, /refunds\.py/, 'where it is defined');
  assert.match(text, /[✓~!]/, 'its verdict');
  assert.match(text, /returns\.py/, 'who uses it');
  assert.match(text, /test_refunds\.py/, 'its tests');
  assert.match(text, /docs\/refunds\.md/, 'the document about it');
  await stage.picture('hover');
  await window.page.locator('.monaco-hover:not(.hidden) a', { hasText: 'returns.py' }).first().click();
  await window.page.locator('.tab.active[data-resource-name="returns.py"]').waitFor();
}

async function packetByPalette(stage: Stage): Promise<void> {
  const window = await stage.window();
  const rows = await new PacketView(window).askByPalette(QUESTION);
  const code = rows.find(({ where }) => where.startsWith('ledger/refunds.py'));
  assert.equal(code?.mark, 'verified', JSON.stringify(rows));
  const doc = rows.find(({ where }) => where.startsWith('docs/refunds.md'));
  assert.equal(doc?.reason, 'outdated_doc', JSON.stringify(rows));
  await window.widenSideBar(520);
  await stage.picture('packet-light');
}

async function packetByView(stage: Stage): Promise<void> {
  const view = new PacketView(await stage.window());
  await view.showing(QUESTION);
  const rows = await view.ask(OTHER_QUESTION, 'edit');
  assert.ok(
    rows.some(({ where }) => where.startsWith('ledger/payments.py')),
    JSON.stringify(rows),
  );
}

async function opensAtLine(stage: Stage): Promise<void> {
  const window = await stage.window();
  const view = new PacketView(window);
  await stage.status(/fresh/i, 60_000);
  const rows = await view.showing(OTHER_QUESTION);
  // A row without a symbol is named after its file.
  const row = rows.find(({ where, symbol }) => where.startsWith('ledger/payments.py') && /^\w+$/.test(symbol));
  const first = Number(/:(\d+)/.exec(row?.where ?? '')?.[1]);
  assert.ok(row !== undefined && first > 0, JSON.stringify(rows));
  const name = (await view.page()).locator('.item .name', { hasText: new RegExp(`^${row.symbol}$`) }).first();
  await name.click();
  await window.page.locator('.tab.active[data-resource-name="payments.py"]').waitFor();
  const cursor = async (): Promise<boolean> => (await window.cursorLine()) === first;
  await until('the cursor is in the first of the lines', cursor, { withinMs: 5_000 });
  assert.equal(await window.selected(), '', 'the next key typed replaces nothing');
  const draws = async (): Promise<boolean> => new RegExp(`(def|class) ${row.symbol}`).test(await window.editorText());
  await until('the editor shows the definition', draws, { withinMs: 5_000 });
}

async function whereIs(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  await window.run('Helix: Where Is…');
  const input = window.page.locator('.quick-input-widget input').first();
  const labels = async (): Promise<string[]> =>
    (await window.page.locator('.quick-input-list .monaco-list-row').allInnerTexts()).map((text) =>
      text.replaceAll(/\s+/g, ' ').trim(),
    );
  // Until the answer to the last key comes, the list is the one to the key before.
  const shows = (first: RegExp, some = first): Promise<string[]> =>
    until(
      `the list shows ${String(some)} below ${String(first)}`,
      async () => {
        const rows = await labels();
        if (first.test(rows[0] ?? '') && rows.some((row) => some.test(row))) return rows;
        throw new Error(JSON.stringify(rows));
      },
      { withinMs: 15_000, everyMs: 20 },
    );
  // The palette closes first: keys that it gets are lost.
  await until(
    'the box is open',
    async () => (await input.getAttribute('placeholder')) === 'A name, a path, or what it does',
    {
      withinMs: 15_000,
    },
  );
  await input.pressSequentially('rp', { delay: 30 });
  await shows(/✓ refund_payment.*ledger\/refunds\.py:\d+/);
  await input.fill('refund');
  await shows(/refund/i, /By meaning/);
  await stage.picture('where-is');
  await input.fill('kubernetes operator for billing');
  await shows(/Nothing here answers that/);
  await stage.picture('where-is-nothing');
  await input.fill('refund_payment');
  await shows(/✓ refund_payment/);
  await window.page.keyboard.press('Enter');
  await window.page.locator('.tab.active[data-resource-name="refunds.py"]').waitFor();
  await stage.status(/fresh/i);
}

async function unfolds(stage: Stage): Promise<void> {
  const view = new PacketView(await stage.window());
  await stage.status(/fresh/i, 60_000);
  await view.showing(OTHER_QUESTION);
  const row = (await view.page()).locator('.item').first();
  await row.focus();
  await row.press('ArrowRight');
  await (await view.page()).locator('.quote').first().waitFor();
  await row.press('e');
  await (await view.page()).locator('.why').first().waitFor();
  await row.press('ArrowDown');
  await until(
    'Tab comes to one row, the one with the focus',
    async () => {
      const rows = await (
        await view.page()
      )
        .locator('.grid [role="row"][tabindex="0"]')
        .evaluateAll((all) => all.map((one) => one === document.activeElement));
      return rows.length === 1 && rows[0] === true;
    },
    { withinMs: 5_000 },
  );
  await stage.picture('packet-explained');
}

/** The verdict of the place at the cursor stands in the view, while the editor keeps the focus and its place. */
async function explainsInView(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  await window.openFile('docs/refunds.md', 5);
  await window.run('Helix: Explain Verdict');
  const page = await new PacketView(window).page();
  const card = page.locator('.place-verdict');
  await card.locator('.therefore').waitFor();
  const text = (await card.innerText()).replaceAll(/\s+/g, ' ');
  assert.match(text, /docs\/refunds\.md:1–\d+.*this decides.*Therefore stale risk: describes code that changed/);
  assert.match(text, /Read again first docs\/refunds\.md:1–\d+ describes code that changed/);
  await window.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  assert.equal(await window.cursorLine(), 5);
  assert.equal(await window.page.locator('.tab', { hasText: 'Verdict' }).count(), 0, 'no document is opened for it');
  await stage.picture('verdict');
  assert.deepEqual(await wrongIn(page), []);
  await card.locator('.place', { hasText: 'refunds.md' }).first().click();
  await until('the cursor is where the place begins', async () => (await window.cursorLine()) === 1, {
    withinMs: 5_000,
  });
  await card.getByRole('button', { name: 'Close the verdict' }).click();
  await card.waitFor({ state: 'detached' });
}

async function themes(stage: Stage): Promise<void> {
  const window = await stage.window();
  const view = new PacketView(window);
  await view.showing(QUESTION);
  for (const { name, theme, kind } of THEMES) {
    await window.choose('Preferences: Color Theme', theme);
    await (await view.page()).locator(`body.${kind}`).waitFor();
    await stage.picture(`packet-${name}`);
  }
  await window.choose('Preferences: Color Theme', THEMES[0].theme);
  await window.openFile('ledger/refunds.py', 17);
  await window.hover('refund_payment', 'Ledger Team');
  await stage.picture('hover-dark');
  await window.leave();
  await window.choose('Preferences: Color Theme', 'Light 2026');
}

async function accessible(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  const view = new PacketView(window);
  await view.showing(QUESTION);
  const row = (await view.page()).locator('.item').first();
  await row.focus();
  await row.press('ArrowRight');
  await (await view.page()).locator('.quote').first().waitFor();
  for (const { theme, kind } of [...THEMES, { theme: 'Light 2026', kind: 'vscode-light' }]) {
    await window.choose('Preferences: Color Theme', theme);
    await (await view.page()).locator(`body.${kind}`).waitFor();
    await stage.picture(`quote-${kind}`);
    assert.deepEqual(await wrongIn(await view.page()), [], theme);
  }
}

/** A side bar as narrow as it can be, and a window at 200 %, which is half as many points; the hints take their share. */
async function narrow(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  const view = new PacketView(window);
  await window.run('Helix: Focus on Hints View');
  await view.askByPalette(QUESTION);
  await window.widenSideBar(300);
  assert.deepEqual(await cutIn(view), [], 'at the width it has first');
  await window.widenSideBar(170);
  await view.askByPalette(QUESTION);
  await stage.picture('packet-narrow');
  assert.deepEqual(await cutIn(view), [], 'in a narrow side bar');
  await window.page.setViewportSize({ width: 700, height: 450 });
  await view.askByPalette(QUESTION);
  await window.openFile('ledger/refunds.py', 17);
  await stage.picture('packet-200-percent');
  assert.deepEqual(await cutIn(view), [], 'at 200 %');
  await window.page.setViewportSize({ width: 1400, height: 900 });
  await window.widenSideBar(340);
}

/** What is wrong with how the answer is seen, before anybody scrolls. */
async function cutIn(view: PacketView): Promise<string[]> {
  return (await view.page()).evaluate(() => {
    const all = (selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(selector)];
    const said = (what: string, elements: HTMLElement[]): string[] =>
      elements.map((element) => `${what}: ${element.outerHTML.slice(0, 160)}`);
    const right = document.documentElement.clientWidth + 1;
    const isPastEdge = (element: HTMLElement): boolean =>
      [...element.getClientRects()].some((box) => box.right > right);
    const isCut = (element: HTMLElement): boolean =>
      isPastEdge(element) || (element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1);
    const isOutOfSight = (element: HTMLElement): boolean => {
      const { top, bottom } = element.getBoundingClientRect();
      return top < 0 || bottom > window.innerHeight;
    };
    const isColumn = (element: HTMLElement): boolean => {
      const { width } = element.getBoundingClientRect();
      return width > 1 && width < 0.6 * right;
    };
    return [
      ...said('past the edge', all('.item .name, .item .where, button, select').filter(isPastEdge)),
      ...said('a file name is cut', all('.item .file').filter(isCut)),
      ...said('the first row is not in sight', all('.item').slice(0, 1).filter(isOutOfSight)),
      ...said('a word or two a line', all('.query').filter(isColumn)),
      ...(all('.item').length === 0 ? ['no row'] : []),
    ];
  });
}

async function debugInformation(stage: Stage): Promise<void> {
  await stage.status(/fresh/i);
  const window = await stage.window();
  await window.openFile('ledger/refunds.py', 17);
  const text = await window.debugInformation((shown) => /[\d,]+ files, [\d,]+ items/.test(shown));
  await window.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  assert.equal(await window.cursorLine(), 17, 'whoever types goes on there');
  assert.match(text, /extension \d+\.\d+\.\d+, editor .*\d+\.\d+/);
  assert.match(text, /Python 3\.\d+/);
  assert.match(text, /setting helix\.interpreter/);
  assert.ok(!text.includes(os.homedir()), 'no home folder');
  assert.ok(!text.includes('refund'), 'no question');
  await stage.picture('debug-information');
  await window.run('View: Close All Editors');
}

async function walkthrough(stage: Stage): Promise<void> {
  await stage.forget();
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  // The palette's own Escape leaves it, so it is opened for each look.
  const steps = async (): Promise<{ title: string; isDone: boolean }[]> => {
    await window.run('Helix: Open Walkthrough');
    await window.page.getByText('Get to know Helix').first().waitFor();
    const all = window.page.locator('.getting-started-step');
    await all.locator('.step-title').first().waitFor();
    return all.evaluateAll((found) =>
      found.map((step) => ({
        title: step.querySelector('.step-title')?.textContent.trim() ?? '',
        isDone: step.querySelector('.codicon.complete') !== null,
      })),
    );
  };
  const asks = { title: 'Ask for a context packet', isDone: false };
  await window.run('Helix: Focus on Context Packet View');
  await new PacketView(window).page();
  const before = await steps();
  assert.ok(before.length <= 5, JSON.stringify(before));
  assert.deepEqual(
    before.filter(({ title }) => title === asks.title),
    [asks],
    'to open the view is not a packet',
  );
  await new PacketView(window).askByPalette(OTHER_QUESTION);
  await until(
    'the step is done by a packet that came',
    async () => (await steps()).some(({ title, isDone }) => title === asks.title && isDone),
    { withinMs: 20_000, everyMs: 500 },
  );
  await stage.picture('walkthrough');
}

export const firstLook: Act = {
  name: 'a first look',
  open: async (run) => (await openStage(run, 'first-look', { tables: 800 })).stage,
  scenarios: [
    scenario('the first index reaches fresh, quietly', firstIndex, 90_000),
    scenario('the status item tells of the folder', statusTooltip),
    scenario('a hover names definition, commit, users, tests and document, and its links open them', hover),
    scenario('a packet asked for in the palette has marks', packetByPalette),
    scenario('a packet asked for in the view answers there', packetByView),
    scenario('a pointer opens at its line', opensAtLine),
    scenario('Where Is finds a name by its humps, then by meaning, and says when nothing answers', whereIs),
    scenario('a pointer unfolds its quote and explains its verdict by keyboard', unfolds),
    ...explained,
    ...hints,
    scenario('Explain Verdict answers in the view, and the editor keeps the focus', explainsInView),
    scenario('the view follows dark and high-contrast themes', themes, 90_000),
    scenario('axe-core finds every control of the packet view named, in all themes', accessible, 120_000),
    scenario('rows are right in a narrow side bar and at 200 %', narrow),
    scenario('the debug information tells all but secrets', debugInformation),
    scenario('the walkthrough opens, has at most five steps, and counts a packet that came', walkthrough, 90_000),
    activates,
  ],
};
