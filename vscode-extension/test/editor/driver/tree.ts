/** The rows of Helix's trees in the side bar, and what is clicked in them. */
import type { Stage } from './stage.ts';
import { limit, until } from './until.ts';

/** Waits until the rows are as wanted, and returns their texts. */
export async function rows(stage: Stage, wanted: (rows: string[]) => boolean, withinMs = 30_000): Promise<string[]> {
  const window = await stage.window();
  return until(
    'the tree has its rows',
    async () => {
      const found = await window.page.locator('.tree-explorer-viewlet-tree-view .monaco-list-row').allInnerTexts();
      const texts = found.map((text) => text.replaceAll(/\s+/g, ' ').trim());
      if (wanted(texts)) return texts;
      throw new Error(JSON.stringify(texts));
    },
    { withinMs },
  );
}

/** Clicks an action of a row until the tree is as wanted: one that is drawn anew between press and release has no click. */
export async function act(
  stage: Stage,
  row: string,
  action: string,
  wanted: (rows: string[]) => boolean,
): Promise<void> {
  const { page } = await stage.window();
  const item = page.locator('.tree-explorer-viewlet-tree-view .monaco-list-row', { hasText: row }).first();
  const click = async (): Promise<boolean> => {
    await item.hover({ timeout: limit(2_000) });
    await item.locator(`.action-label[aria-label^="${action}"]`).click({ timeout: limit(2_000) });
    await rows(stage, wanted, 2_000);
    return true;
  };
  const done = async (): Promise<boolean> => (await rows(stage, wanted, 0).then(Boolean, () => false)) || click();
  await until(`${action} has been clicked`, done, { withinMs: 30_000 });
}
