/** How long `activate()` takes, as VS Code itself measures it. */
import assert from 'node:assert/strict';

import { type Scenario, scenario } from '../driver/acts.ts';
import type { Stage } from '../driver/stage.ts';
import { limit, until } from '../driver/until.ts';

/** The product asks for 100 ms; a machine that is busy with everything else must only stay within this. */
const GENEROUS_MS = limit(1_000);
const seen: number[] = [];

async function activation(stage: Stage): Promise<void> {
  const window = await stage.window();
  await stage.status(/fresh/i);
  const list = window.page.locator('.runtime-extensions-editor .monaco-list').first();
  const row = window.page.locator('.runtime-extensions-editor .monaco-list-row', { hasText: 'Helix Context' });
  const activated = async (): Promise<string | undefined> => {
    // The slowest come first, and only rows in sight are there.
    if ((await list.count()) === 0) {
      await window.run('Developer: Show Running Extensions');
    } else if ((await row.count()) === 0) {
      await list.hover();
      await window.page.mouse.wheel(0, 200);
    }
    return /Activation: (\d+)ms/.exec(await row.innerText({ timeout: limit(1_000) }))?.[1];
  };
  seen.push(Number(await until('the editor tells the activation time', activated, { withinMs: 30_000 })));
  await window.run('View: Close Editor');
  const median = seen.toSorted((a, b) => a - b)[Math.floor(seen.length / 2)] ?? 0;
  stage.measure(`activate(), median of ${seen.length}`, median);
  assert.ok(median < GENEROUS_MS, `${median} ms`);
}

/** Played once in each of several acts, since it is measured once in each window. */
export const activates: Scenario = scenario('activate() returns soon', activation);
