/** The colors of the style sheet as values, for what is drawn on a canvas; new ones where the theme changes. */
import { useSyncExternalStore } from 'react';

export interface Theme {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly surface: string;
  readonly good: string;
  readonly doubt: string;
  readonly bad: string;
  readonly mark: string;
  readonly other: string;
  readonly font: string;
}

const names = ['text', 'quiet', 'line', 'surface', 'good', 'doubt', 'bad', 'mark', 'other', 'font'] as const;
const queries = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)'];

let current: Theme | undefined;

function read(): Theme {
  const style = getComputedStyle(document.body);
  return Object.fromEntries(
    names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
  ) as unknown as Theme;
}

function snapshot(): Theme {
  const now = read();
  if (current === undefined || names.some((name) => current?.[name] !== now[name])) {
    current = now;
  }
  return current;
}

function subscribe(changed: () => void): () => void {
  const media = queries.map((query) => matchMedia(query));
  // An editor writes its theme to these.
  const watcher = new MutationObserver(changed);
  for (const element of [document.documentElement, document.body]) {
    watcher.observe(element, { attributes: true, attributeFilter: ['class', 'style'] });
  }
  for (const one of media) {
    one.addEventListener('change', changed);
  }
  return () => {
    watcher.disconnect();
    for (const one of media) {
      one.removeEventListener('change', changed);
    }
  };
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, snapshot);
