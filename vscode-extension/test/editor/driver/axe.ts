/** What axe-core finds wrong in a page, each with the element. */
import fs from 'node:fs';
import { createRequire } from 'node:module';

import type { Frame, Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Axe {
  run(page: Document, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

export async function wrongIn(page: Frame | Page): Promise<string[]> {
  await page.evaluate(fs.readFileSync(AXE, 'utf8'));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}
