/** Why a verdict is what it is: every observation in its order, the deciding one marked. */

import type { Observation } from '../../../base/protocol';
import { groupNames, reasonWords } from '../../words';
import { h, text, type Child, type Described } from '../dom';
import { icon } from '../icons';
import type { Explained } from '../state';

export function why(explained: Explained): Described {
  return h(
    'div',
    { key: 'why', class: 'why', 'aria-label': 'Why this verdict', attributes: { role: 'group' } },
    content(explained),
  );
}

function content(explained: Explained): Child {
  if (explained.state === 'asked') return h('p', { class: 'aside late' }, 'Looking again …');
  if (explained.state === 'failed' || explained.explanation === undefined) {
    return h('p', { class: 'aside', attributes: { role: 'alert' } }, text(explained.message ?? 'No explanation.'));
  }
  const { observations, status, reason, detail } = explained.explanation;
  return [
    h('ol', {}, observations.map(observed)),
    h(
      'p',
      { class: `therefore s-${status}` },
      icon(status),
      h(
        'span',
        {},
        'Therefore ',
        h('b', {}, groupNames[status].toLowerCase()),
        ': ',
        reasonWords(reason),
        detail === '' ? null : [' – ', text(detail)],
      ),
    ),
  ];
}

function observed(one: Observation): Described {
  return h(
    'li',
    { class: one.decides ? 'decides' : undefined },
    h('span', { class: 'observation' }, text(one.observation)),
    one.finding === '' ? null : [' ', h('code', { class: 'word' }, text(one.finding))],
    one.decides ? h('span', { class: 'deciding' }, ' – this decides') : null,
  );
}
