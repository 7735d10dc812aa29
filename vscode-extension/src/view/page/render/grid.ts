/** The three groups of an answer and their pointers: a tree grid whose rows come first. */

import type { VerdictStatus } from '../../../base/protocol';
import type { ShownPacket } from '../../messages';
import { count, groupMeanings, groupNames, groups } from '../../words';
import { h, type Described } from '../dom';
import { icon } from '../icons';
import { groupRowKey, type State } from '../state';
import type { Act } from './act';
import { itemRows } from './item';

export function grid(state: State, act: Act, shown: ShownPacket, nowSeconds: number): Described {
  const rows = groups.flatMap((status) => groupRows(state, act, shown, status, nowSeconds));
  return h(
    'div',
    { key: 'grid', class: 'grid', 'aria-label': 'Pointers by verdict', attributes: { role: 'treegrid' } },
    rows,
  );
}

function groupRows(
  state: State,
  act: Act,
  { packet, judged }: ShownPacket,
  status: VerdictStatus,
  nowSeconds: number,
): Described[] {
  const items = packet[status];
  if (items.length === 0) return [];
  const folded = state.folded.includes(status);
  const meaning = judged === 'now' ? groupMeanings[status] : 'as it was then';
  const head = groupRow(state, act, { status, size: items.length, folded, meaning });
  if (folded) return [head];
  const rows = items.map((item, index) =>
    itemRows(state, act, item, { position: index + 1, size: items.length }, nowSeconds),
  );
  return [head, ...rows.flat()];
}

interface Group {
  readonly status: VerdictStatus;
  readonly size: number;
  readonly folded: boolean;
  readonly meaning: string;
}

function groupRow(state: State, act: Act, { status, size, folded, meaning }: Group): Described {
  const row = groupRowKey(status);
  return h(
    'div',
    {
      key: row,
      class: `group s-${status}`,
      'data-row': row,
      'data-group': status,
      'aria-level': 1,
      'aria-expanded': !folded,
      'aria-label': `${groupNames[status]}, ${count(size, 'pointer')}: ${meaning}`,
      attributes: { role: 'row', tabindex: state.active === row ? 0 : -1 },
      on: {
        click: () => {
          act.intend({ type: 'toggleGroup', key: status });
        },
      },
    },
    h(
      'div',
      { class: 'group-cell', attributes: { role: 'gridcell' } },
      h('span', { class: `fold${folded ? '' : ' unfolded'}` }, icon('chevron')),
      icon(status, 'mark'),
      h('span', { class: 'group-name' }, groupNames[status]),
      h('span', { class: 'badge' }, size),
      h('span', { class: 'group-meaning' }, meaning),
    ),
  );
}
