/** Why a pointer is ranked where it is: a disclosure below it, with its rankers as one bar and in numbers. */

import type { AnswerExplanation, RankedItem, RankerSignal, RankingSign } from '../../../base/protocol';
import { leaning, percent, rankedAs, rankerClass, signed, weighty } from '../../ranking';
import { shown } from '../../shown';
import { itemKey, type LiveItem } from '../../verdicts';
import { h, text, type Child, type Described } from '../dom';
import type { State, Told } from '../state';
import type { Act } from './act';
import { stackedBar } from './bars';
import { textButton } from './button';

const mostSigns = 5;

export function here(state: State, act: Act, item: LiveItem, tabbable: boolean): Described {
  const key = itemKey(item);
  const open = state.here.includes(key);
  const toggle = textButton(
    {
      label: 'Why here?',
      class: open ? 'disclose open' : 'disclose',
      tabbable,
      expanded: open,
      press: () => {
        act.intend({ type: 'here', key });
      },
    },
    'link',
    'chevron',
  );
  return h('div', { key: 'here', class: 'here' }, toggle, open ? panel(state, act, item, tabbable) : null);
}

function panel(state: State, act: Act, item: LiveItem, tabbable: boolean): Described {
  const label = { class: 'here-panel', 'aria-label': 'Why here', attributes: { role: 'group' } };
  if (state.told?.state !== 'answered' || state.told.ranking === undefined) return h('div', label, waiting(state.told));
  const told = state.told.ranking;
  const one = rankedAs(told, item);
  if (one === undefined) {
    return h('div', label, h('p', { class: 'aside' }, 'It is no longer in the answer: ask once more to see why.'));
  }
  return h(
    'div',
    label,
    standing(told, one),
    stackedBar(one.signals),
    legend(told, one.signals),
    factors(one),
    lines(one.place ?? []),
    state.rankersOpen ? null : allLists(act, tabbable),
  );
}

/** What is said while how the answer came about is not known. */
export function waiting(told: Told | null): Child {
  if (told?.state === 'failed') {
    return h('p', { class: 'aside', attributes: { role: 'alert' } }, text(told.message ?? 'No explanation.'));
  }
  return h('p', { class: 'aside late' }, 'Looking how it was found …');
}

function standing(told: AnswerExplanation, one: RankedItem): Described {
  const best = Math.max(...told.items.map((item) => item.score));
  const place = `Place ${told.items.indexOf(one) + 1} of ${told.items.length}`;
  const beside = one.score < best ? `, ${percent(one.score / best)} of the best` : '';
  return h('p', { class: 'aside' }, `${place}, score ${one.score.toPrecision(3)}${beside}`);
}

function legend(told: AnswerExplanation, signals: readonly RankerSignal[]): Described {
  return h(
    'ul',
    { class: 'legend-rows' },
    signals.map(({ ranker, rank, share }) =>
      h(
        'li',
        {},
        swatch(ranker),
        h('b', { class: 'ranker' }, text(ranker)),
        saying(told.weights[ranker]?.says ?? ''),
        h('span', { class: 'rank' }, `#${rank}`),
        h('span', { class: 'percent' }, percent(share)),
      ),
    ),
  );
}

/** What a ranker goes by; where there is no room for all of it, it is in the tooltip. */
function saying(says: string): Described {
  return h('span', { class: 'says', attributes: { title: shown(says) } }, text(says));
}

/** A ranker's colour; its name is next to it. */
export function swatch(ranker: string): Described {
  return h('span', { class: 'swatch', 'aria-hidden': true }, h('svg', {}, dot(ranker)));
}

function dot(ranker: string): Described {
  const attributes = { x: 0, y: 0, width: '100%', height: '100%' };
  return h('rect', { class: `segment ${rankerClass(ranker)}`, attributes });
}

function factors(one: RankedItem): Child {
  const said = (one.priors ?? []).map((prior) => prior.replace(/ x(?=[\d.]+$)/, ' × '));
  const related = one.related === true ? 'No ranker found it: it is linked to a better place.' : '';
  if (said.length === 0) return related === '' ? null : h('p', { class: 'aside' }, related);
  return h('p', { class: 'aside' }, text(`The whole is weighed: ${said.join(', ')}. ${related}`.trim()));
}

function lines(signs: readonly RankingSign[]): Child {
  const told = weighty(signs, mostSigns);
  if (told.length === 0) return null;
  return [
    h('p', { class: 'aside here-lines' }, 'Why these lines, beside the others that were looked at:'),
    h(
      'ul',
      { class: 'signs' },
      told.map((one) =>
        h(
          'li',
          { class: leaning(one.effect) },
          h('span', { class: 'effect' }, signed(one.effect)),
          h('span', {}, text(one.says)),
        ),
      ),
    ),
  ];
}

function allLists(act: Act, tabbable: boolean): Described {
  return textButton({
    label: 'All rankers’ lists',
    class: 'all-lists',
    tabbable,
    press: () => {
      act.intend({ type: 'toggleRankers' });
      act.goToPart('rankers');
    },
  });
}
