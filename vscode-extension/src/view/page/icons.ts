/** The symbols of the packet view: drawn here, in the colour of the text around them. */

import { h, type Described } from './dom';

const paths = {
  // The signs that the command line prints, distinct by outline alone.
  verified: ['m2.8 8.6 3.5 3.5L13.2 4.6'],
  stale_risk: ['M1.8 9.6c1.2-2.6 3.4-3.3 6.2-1.6s5 1 6.2-1.6'],
  needs_refresh: ['M8 2.2v7.4', 'M8 12.6v1'],
  chevron: ['m6 3.5 4.5 4.5L6 12.5'],
  open: ['M9.5 2.5h4v4', 'M13.3 2.7 7.5 8.5', 'M6.5 3.5h-3v9h9v-3'],
  why: [
    'M5.7 6.1A2.35 2.35 0 0 1 8 4.2c1.3 0 2.3.9 2.3 2.1 0 1.7-2.3 1.8-2.3 3.5',
    'M8 11.4v.9',
    'M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13Z',
  ],
  here: ['M2.5 4h11', 'M2.5 8h7.5', 'M2.5 12h4'],
  copy: ['M5.5 5.5v-3h8v8h-3', 'M2.5 5.5h8v8h-8z'],
  markdown: ['M1.5 3.5h13v9h-13z', 'M4 10V6l2 2.2L8 6v4', 'M11.2 6v4', 'm9.7 8.6 1.5 1.5 1.5-1.5'],
  json: [
    'M6 2.5H5c-1 0-1.5.5-1.5 1.5v2c0 1-.5 1.7-1.5 2 1 .3 1.5 1 1.5 2v2c0 1 .5 1.5 1.5 1.5h1',
    'M10 2.5h1c1 0 1.5.5 1.5 1.5v2c0 1 .5 1.7 1.5 2-1 .3-1.5 1-1.5 2v2c0 1-.5 1.5-1.5 1.5h-1',
  ],
  pin: ['M5.5 1.8h5', 'M6.3 1.8v4.7L4.2 9v1h7.6V9L9.7 6.5V1.8', 'M8 10v4.3'],
  history: ['M2.3 8a5.7 5.7 0 1 0 1.9-4.25', 'M2.2 1.9v3.2h3.2', 'M8 4.8V8l2.3 1.6'],
  done: ['m3 8.5 3.3 3.3L13 5'],
  close: ['m4 4 8 8', 'm12 4-8 8'],
  branch: [
    'M4.5 5.5v5',
    'M4.5 2.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3Z',
    'M4.5 10.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3Z',
    'M11.5 3.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3Z',
    'M11.5 6.5c0 2.5-4.5 1.7-6.4 4',
  ],
  send: ['M13.5 3v4a2 2 0 0 1-2 2H3', 'M6 5.8 2.8 9 6 12.2'],
  stop: ['M4 4h8v8H4z'],
  empty: ['M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Z', 'm10.3 10.3 3.7 3.7', 'M5.2 7h3.6'],
  failed: ['M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13Z', 'm5.7 5.7 4.6 4.6', 'm10.3 5.7-4.6 4.6'],
} as const;

export type IconName = keyof typeof paths;

/** Decoration only: the caller says the same in text. */
export function icon(name: IconName, className = ''): Described {
  return h(
    'svg',
    {
      class: `icon icon-${name} ${className}`.trim(),
      'aria-hidden': true,
      attributes: { viewBox: '0 0 16 16', focusable: 'false' },
    },
    ...paths[name].map((d) => h('path', { attributes: { d } })),
  );
}
