/** The whole page, from the state alone. Pure: nothing here touches the real page. */

import { h, type Child, type Described } from '../dom';
import type { State } from '../state';
import type { Act } from './act';
import { answer } from './answer';
import { tally } from './tally';
import { compose } from './compose';
import { failure, firstUse, missing } from './empty';
import { live } from './live';
import { past } from './past';
import { placeVerdict } from './why';

export function page(state: State, act: Act, nowSeconds: number): Described[] {
  const busy = state.asking !== null || state.shown?.judged === 'again';
  return [
    h(
      'div',
      { key: 'top', class: 'top' },
      h('div', { class: busy ? 'line busy' : 'line', 'aria-hidden': true }),
      compose(state, act),
      tally(state, act),
    ),
    h(
      'div',
      { key: 'main', class: busy ? 'main busy' : 'main' },
      live(state, act),
      placeVerdict(state, act, nowSeconds),
      content(state, act, nowSeconds),
      past(state, act, nowSeconds),
    ),
  ];
}

function content(state: State, act: Act, nowSeconds: number): Child {
  return [
    state.missing !== null ? missing(state.missing, act) : state.failure === null ? null : failure(state.failure, act),
    state.shown === null
      ? state.asking === null && state.failure === null && state.missing === null && firstUse(act)
      : answer(state, act, state.shown, nowSeconds),
  ];
}
