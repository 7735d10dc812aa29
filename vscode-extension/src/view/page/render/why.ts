/** Why a verdict is what it is: every observation in its order, the deciding one marked. */

import type { Observation } from '../../../base/protocol';
import { ago, groupNames, reasonWords } from '../../words';
import { h, text, type Child, type Described } from '../dom';
import { icon } from '../icons';
import type { Explained, State } from '../state';
import type { Act } from './act';
import { placeLink } from './aftermath';
import { iconButton } from './button';

export function why(explained: Explained): Described {
  return h(
    'div',
    { key: 'why', class: 'why', 'aria-label': 'Why this verdict', attributes: { role: 'group' } },
    content(explained),
  );
}

/** The verdict of the place that was asked about in an editor. */
export function placeVerdict(state: State, act: Act, nowSeconds: number): Child {
  if (state.verdict === null) return null;
  const { explanation, workspace, observedAt } = state.verdict;
  const { source_id, symbol, status, refresh_targets: targets } = explanation;
  return h(
    'section',
    { key: 'placeVerdict', class: `place-verdict s-${status}`, 'aria-label': 'Verdict of the place in the editor' },
    h(
      'div',
      { class: 'head-line' },
      icon(status, 'mark'),
      h('h2', { class: 'verdict-name' }, text(symbol === '' ? source_id : symbol)),
      iconButton('close', {
        key: 'close',
        label: 'Close the verdict',
        press: () => {
          act.intend({ type: 'closeVerdict' });
        },
      }),
    ),
    h(
      'p',
      { class: 'origin' },
      h('span', { class: 'fact' }, placeLink(act, source_id, explanation, true, workspace)),
      h('span', { class: 'fact' }, `looked at ${ago(observedAt, nowSeconds)}`),
    ),
    why({ state: 'answered', explanation }),
    targets.length === 0
      ? null
      : [
          h('h3', { class: 'part-title' }, 'Read again first'),
          h(
            'ul',
            {},
            targets.map((target) =>
              h(
                'li',
                {},
                placeLink(act, target.source_id, target, true, workspace),
                h('span', { class: 'step-reason' }, ' ', reasonWords(target.reason)),
              ),
            ),
          ),
        ],
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
