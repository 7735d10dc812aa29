/** The page of the packet view: state in, page out; the only file that touches the window. */

import type { FromPage, ToPage } from '../messages';
import { patch } from './dom';
import { gridFocus, gridKey, withTabStop } from './keys';
import { outgoing } from './outgoing';
import { reduce, type Intent } from './reduce';
import type { Act } from './render/act';
import { page } from './render/page';
import { kept, revived, type State } from './state';

interface VsCodeApi {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

const copiedForMs = 1_500;
const agesEveryMs = 30_000;

function start(root: HTMLElement, live: HTMLElement, api: VsCodeApi): void {
  const before = revived(api.getState());
  let state: State = before.state;
  let scroll = before.scroll;
  let drawing = false;

  const become = (next: State): void => {
    const spoken = next.announcement.serial !== state.announcement.serial;
    state = next;
    if (spoken) live.textContent = next.announcement.text;
    if (drawing) return;
    drawing = true;
    queueMicrotask(draw);
  };

  const act: Act = {
    intend: (intent: Intent) => {
      const message = outgoing(state, intent);
      become(reduce(state, intent));
      if (message !== null) api.postMessage(message);
    },
    goTo: (row) => {
      act.intend({ type: 'focusRow', key: row });
      queueMicrotask(() => {
        root.querySelector<HTMLElement>(`[data-row="${CSS.escape(row)}"]`)?.focus();
      });
    },
    goToPart: (part) => {
      queueMicrotask(() => {
        const section = root.querySelector<HTMLElement>(`[data-part="${CSS.escape(part)}"]`);
        section?.querySelector('button')?.focus({ preventScroll: true });
        section?.scrollIntoView({ block: 'start' });
      });
    },
    send: (message) => {
      api.postMessage(message);
    },
  };

  const draw = (): void => {
    drawing = false;
    const focused = document.activeElement;
    patch(root, page(state, act, Date.now() / 1000));
    const grid = root.querySelector('.grid');
    if (grid !== null) withTabStop(grid);
    // A row that moved to another group was taken out for a moment, and its focus with it.
    if (focused instanceof HTMLElement && focused !== document.activeElement && focused.isConnected)
      focused.focus({ preventScroll: true });
    if (scroll > 0 && state.shown !== null) {
      root.querySelector('.main')?.scrollTo(0, scroll);
      scroll = 0;
    }
    keep();
  };

  const keep = (): void => {
    api.setState(kept(state, root.querySelector('.main')?.scrollTop ?? 0));
  };

  root.addEventListener('keydown', (event) => {
    const grid = (event.target as Element).closest('.grid');
    if (grid !== null) gridKey(event, grid, act);
  });
  root.addEventListener('focusin', (event) => {
    gridFocus(event, act);
  });
  // Scrolling does not bubble.
  root.addEventListener('scrollend', keep, { capture: true });
  window.addEventListener('message', (event: MessageEvent<ToPage>) => {
    become(reduce(state, event.data));
    if (event.data.type === 'compose')
      queueMicrotask(() => root.querySelector<HTMLTextAreaElement>('#question')?.focus());
    if (event.data.type === 'showRankers') act.goToPart('rankers');
    // The user goes on in the editor: it is scrolled into view, and the focus stays there.
    if (event.data.type === 'placeVerdict')
      queueMicrotask(() => root.querySelector('.place-verdict')?.scrollIntoView({ block: 'nearest' }));
    if (event.data.type === 'copied')
      setTimeout(() => {
        become(reduce(state, { type: 'uncopied' }));
      }, copiedForMs);
  });
  // Ages grow while the page is looked at.
  setInterval(() => {
    become({ ...state });
  }, agesEveryMs);

  draw();
  api.postMessage({ type: 'ready' });
}

const root = document.getElementById('page');
const live = document.getElementById('live');
if (root !== null && live !== null) start(root, live, acquireVsCodeApi());
