/** The pointers of an answer, best first: a tree grid whose rows come first. Rows keep their order while verdicts change. */

import type { ShownPacket } from '../../messages';
import { inOrder } from '../../verdicts';
import { h, type Described } from '../dom';
import type { State } from '../state';
import type { Act } from './act';
import { itemRows } from './item';

export function grid(state: State, act: Act, { packet }: ShownPacket, nowSeconds: number): Described {
  const items = inOrder(packet, state.order);
  const rows = items.flatMap((item, index) =>
    itemRows(state, act, item, { position: index + 1, size: items.length }, nowSeconds),
  );
  return h(
    'div',
    { key: 'grid', class: 'grid', 'aria-label': 'Pointers, best first', attributes: { role: 'treegrid' } },
    rows,
  );
}
