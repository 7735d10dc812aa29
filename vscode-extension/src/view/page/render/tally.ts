/** How many pointers carry which verdict: always visible, so that a change is seen wherever its item went. */

import { inOrder, itemKey } from '../../verdicts';
import { count, groupMeanings, groupNames, groups } from '../../words';
import { h, type Child } from '../dom';
import { icon } from '../icons';
import { countKey, itemRowKey, type State } from '../state';
import type { Act } from './act';

export function tally(state: State, act: Act): Child {
  if (state.shown === null || state.shown.packet.known_empty) return null;
  const { packet, judged } = state.shown;
  return h(
    'div',
    { key: 'tally', class: `tally judged-${judged}`, 'aria-label': 'Verdicts', attributes: { role: 'group' } },
    groups.map((status) => {
      const size = packet[status].length;
      const turns = state.changes[countKey(status)] ?? 0;
      const turned = turns === 0 ? '' : turns % 2 === 1 ? ' turned-odd' : ' turned-even';
      return h(
        'button',
        {
          key: status,
          class: `count s-${status}${turned}`,
          'aria-label': `${groupNames[status]}: ${count(size, 'pointer')}`,
          attributes: { type: 'button', title: `${groupMeanings[status]}; go to the first`, disabled: size === 0 },
          on: {
            click: () => {
              const first = inOrder(packet, state.order).find((item) => item.status === status);
              if (first !== undefined) act.goTo(itemRowKey(itemKey(first)));
            },
          },
        },
        icon(status, 'mark'),
        h('span', { class: 'count-number' }, size),
        h('span', { class: 'count-name' }, groupNames[status].toLowerCase()),
      );
    }),
  );
}
