/**
 * Shares as pictures: drawn as SVG, whose sizes are attributes, because the page allows no inline styles.
 *
 * A picture says nothing alone: its label has every number, and the caller shows them as text too.
 */

import type { RankerSignal } from '../../../base/protocol';
import { percent, rankerClass } from '../../ranking';
import { h, type Described } from '../dom';

/** The shares of rankers one after the other: together they are all of it. */
export function stackedBar(signals: readonly RankerSignal[]): Described {
  let start = 0;
  const parts = signals.map(({ ranker, rank, share }) => {
    const part = segment(rankerClass(ranker), start, share, `${ranker} #${rank}: ${percent(share)}`);
    start += share;
    return part;
  });
  const label = signals.map(({ ranker, share }) => `${ranker} ${percent(share)}`).join(', ');
  return picture('stack', label, parts);
}

/** One share (0..1) of a whole that is drawn as a track. */
export function shareBar(share: number, className: string): Described {
  const full = Math.min(Math.max(share, 0), 1);
  return picture('share', percent(share), [
    h('rect', { class: 'track', attributes: { x: 0, y: 0, width: '100%', height: '100%' } }),
    full === 0 ? null : segment(className, 0, Math.max(full, 0.02), ''),
  ]);
}

function segment(className: string, start: number, length: number, title: string): Described {
  const attributes = { x: `${place(start)}%`, y: 0, width: `${place(length)}%`, height: '100%' };
  return h('rect', { class: `segment ${className}`, attributes }, title === '' ? null : h('title', {}, title));
}

function picture(className: string, label: string, parts: readonly (Described | null)[]): Described {
  const attributes = { role: 'img', focusable: 'false' };
  return h('svg', { class: `bar ${className}`, 'aria-label': label, attributes }, parts);
}

/** Per cent with as many digits as can be seen. */
function place(share: number): string {
  return (share * 100).toFixed(2);
}
