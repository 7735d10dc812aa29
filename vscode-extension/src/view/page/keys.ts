/**
 * The keyboard in the answer: a tree grid whose rows come first (ARIA Authoring Practices, treegrid pattern).
 *
 * Up, Down, Home, End move between rows; Right unfolds, then enters the row's buttons; Left goes back, folds, then goes to
 * the row above in the tree. Enter opens, Space folds, E explains the verdict, W says why here, C copies, Escape leaves buttons and quotes.
 */

import type { Act } from './render/act';

export function gridKey(event: KeyboardEvent, grid: Element, act: Act): void {
  const target = event.target as HTMLElement;
  const row = target.closest<HTMLElement>('[data-row]');
  if (row === null || event.ctrlKey || event.altKey || event.metaKey) return;
  const handled = target === row ? rowKey(event.key, row, grid, act) : insideKey(event.key, target, row);
  if (!handled) return;
  event.preventDefault();
  event.stopPropagation();
}

/** The focused row is the one Tab comes back to. */
export function gridFocus(event: FocusEvent, act: Act): void {
  const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset['row'];
  if (row !== undefined) act.intend({ type: 'focusRow', key: row });
}

/** A grid whose active row went away is entered at its first row, until another row is active: one tab stop, never two. */
export function withTabStop(grid: Element): void {
  const stops = rowsOf(grid).filter((row) => row.getAttribute('tabindex') === '0');
  const first = rowsOf(grid)[0];
  if (stops.length === 0 && first !== undefined) {
    first.setAttribute('tabindex', '0');
    first.dataset['stop'] = '';
  }
  if (stops.length > 1)
    for (const row of stops.filter((stop) => stop.dataset['stop'] !== undefined)) {
      row.setAttribute('tabindex', '-1');
      delete row.dataset['stop'];
    }
}

function rowsOf(grid: Element): HTMLElement[] {
  return [...grid.querySelectorAll<HTMLElement>('[data-row]')];
}

function rowKey(key: string, row: HTMLElement, grid: Element, act: Act): boolean {
  const rows = rowsOf(grid);
  const at = rows.indexOf(row);
  const open = row.dataset['open'];
  switch (key) {
    case 'ArrowDown':
      return focus(rows[at + 1]);
    case 'ArrowUp':
      return focus(rows[at - 1]);
    case 'Home':
      return focus(rows[0]);
    case 'End':
      return focus(rows.at(-1));
    case 'ArrowRight':
      return row.ariaExpanded === 'false' ? fold(row, act) : focus(insides(row)[0]);
    case 'ArrowLeft':
      return row.ariaExpanded === 'true' ? fold(row, act) : focus(parent(rows, at));
    case ' ':
      return fold(row, act);
    case 'Enter':
      if (open === undefined) return fold(row, act);
      act.send({ type: 'open', place: { key: open }, keepFocus: false });
      return true;
    case 'e':
    case 'E':
      if (open !== undefined) act.intend({ type: 'why', key: open });
      return open !== undefined;
    case 'w':
    case 'W':
      if (open !== undefined) act.intend({ type: 'here', key: open });
      return open !== undefined;
    case 'c':
    case 'C':
      if (open !== undefined) act.send({ type: 'copyItem', key: open });
      return open !== undefined;
    default:
      return false;
  }
}

/** In a row's buttons or its quote. Keys that scroll a quote are left to it. */
function insideKey(key: string, target: HTMLElement, row: HTMLElement): boolean {
  if (key === 'Escape') return focus(row);
  if (!(target instanceof HTMLButtonElement)) return false;
  const all = insides(row);
  const at = all.indexOf(target);
  if (key === 'ArrowRight') return focus(all[at + 1]);
  if (key === 'ArrowLeft') return focus(all[at - 1] ?? row);
  return false;
}

function insides(row: HTMLElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>('button, .quote')];
}

function parent(rows: readonly HTMLElement[], at: number): HTMLElement | undefined {
  const level = Number(rows[at]?.ariaLevel);
  return rows.slice(0, at).findLast((row) => Number(row.ariaLevel) < level);
}

function fold(row: HTMLElement, act: Act): boolean {
  const { item } = row.dataset;
  if (item !== undefined) act.intend({ type: 'toggleItem', key: item });
  return item !== undefined;
}

function focus(element: HTMLElement | undefined): boolean {
  if (element === undefined) return false;
  element.focus();
  element.scrollIntoView({ block: 'nearest' });
  return true;
}
