/** What is outdated in the workspace stands in a tree, as an underline, and in Problems where that is wanted. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { scenario } from '../driver/acts.ts';
import type { Stage } from '../driver/stage.ts';
import { act, rows } from '../driver/tree.ts';
import { until } from '../driver/until.ts';

async function inTheTree(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  await window.run('Helix: Focus on Hints View');
  const found = await rows(stage, (texts) => texts.some((text) => text.includes('REFUND_WINDOW')));
  assert.ok(
    found.some((text) => text.includes('refunds.md')),
    JSON.stringify(found),
  );
  const badge = window.page.locator('.activitybar .action-item', { hasText: /\d/ }).locator('.badge-content').first();
  await badge.waitFor();
  await stage.picture('hints-tree');
  await window.run('Helix: Next Hint');
  await window.page.locator('.tab.active[data-resource-name="refunds.md"]').waitFor();
  await until(
    'the hint is underlined',
    async () => {
      const drawn = await window.page
        .locator('.editor-instance .view-line span')
        .evaluateAll((spans) =>
          spans
            .filter((span) => getComputedStyle(span).textDecorationStyle === 'dotted')
            .map((span) => span.textContent),
        );
      if (drawn.length > 0) return drawn;
      throw new Error('nothing has a dotted line');
    },
    { withinMs: 15_000 },
  );
  await stage.picture('hints-underline');
}

async function inProblems(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  const folder = path.join(stage.target, '.vscode');
  fs.mkdirSync(folder);
  const settings = { 'helix.diagnostics.severity': 'information' };
  fs.writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(settings));
  await window.run('Problems: Focus on Problems View');
  const list = window.page.locator('.markers-panel-container .monaco-list-row');
  await until('Problems list the hint', async () => (await list.allInnerTexts()).join(' ').includes('REFUND_WINDOW'), {
    withinMs: 30_000,
  });
  await stage.picture('hints-problems');
  fs.rmSync(folder, { recursive: true });
  await until(
    'Problems list it no more',
    async () => !(await list.allInnerTexts()).join(' ').includes('REFUND_WINDOW'),
    { withinMs: 30_000 },
  );
  await window.run('View: Toggle Panel Visibility');
}

async function ignored(stage: Stage): Promise<void> {
  const window = await stage.window();
  await window.run('Helix: Focus on Hints View');
  await rows(stage, (texts) => texts.some((text) => text.includes('REFUND_WINDOW')));
  await act(
    stage,
    'REFUND_WINDOW',
    'Ignore This Hint',
    (texts) => !texts.some((text) => text.includes('REFUND_WINDOW')),
  );
  await stage.forget();
  const again = await stage.window();
  await stage.status(/fresh/i, 60_000);
  await again.run('Helix: Focus on Hints View');
  await again.run('Helix: Refresh Hints');
  await rows(stage, (texts) => !texts.some((text) => text.includes('REFUND_WINDOW')));
  await again.run('Helix: Show Ignored Hints');
  await rows(stage, (texts) => texts.some((text) => /REFUND_WINDOW.*ignored/.test(text)));
  const isBack = (texts: string[]): boolean =>
    texts.some((text) => text.includes('REFUND_WINDOW')) && !texts.some((text) => text.includes('ignored'));
  await act(stage, 'ignored', 'Stop Ignoring', isBack);
  await again.run('Helix: Hide Ignored Hints');
  await rows(stage, isBack);
}

async function exported(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i, 60_000);
  await window.run('Helix: Focus on Hints View');
  await rows(stage, (texts) => texts.some((text) => text.includes('REFUND_WINDOW')));
  await window.choose('Helix: Export Hints', 'Markdown');
  await until('the list is a document', async () => /- \[ \][\s\S]*REFUND_WINDOW/.test(await window.editorText()), {
    withinMs: 15_000,
  });
  await stage.picture('hints-export');
}

export const hints = [
  scenario('what is outdated stands in a tree with a count, and Next Hint goes there', inTheTree, 90_000),
  scenario('hints are in Problems where the setting says so', inProblems, 90_000),
  scenario('an ignored hint stays ignored in the next window, and can be taken back', ignored, 120_000),
  scenario('hints are exported as Markdown', exported),
];
