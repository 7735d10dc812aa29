/** How the whole answer came about: its places as bars, how sure it is and why, and each ranker's list. */

import type { AnswerExplanation, ListedFile, Packet, RankedItem, RankingSign } from '../../../base/protocol';
import { leaning, percent, rankerClass, signed, vectorWords, worthShowing } from '../../ranking';
import { shown } from '../../shown';
import { itemKey } from '../../verdicts';
import { count } from '../../words';
import { h, text, type Child, type Described } from '../dom';
import type { State } from '../state';
import type { Act } from './act';
import { placeLink } from './aftermath';
import { shareBar, stackedBar } from './bars';
import { textButton } from './button';
import { swatch, waiting } from './here';

const mostListed = 5;

export function rankers(state: State, act: Act, packet: Packet): Described {
  const open = state.rankersOpen;
  const toggle = textButton(
    {
      key: 'rankers-toggle',
      label: 'How this answer came about',
      class: open ? 'disclose open' : 'disclose',
      expanded: open,
      press: () => {
        act.intend({ type: 'toggleRankers' });
      },
    },
    'link',
    'chevron',
  );
  return h(
    'section',
    { key: 'rankers', class: 'part rankers', 'aria-label': 'How this answer came about', 'data-part': 'rankers' },
    toggle,
    open ? content(state, act, packet) : null,
  );
}

function content(state: State, act: Act, packet: Packet): Child {
  const told = state.told?.ranking;
  if (state.told?.state !== 'answered' || told === undefined) return waiting(state.told);
  const listed = Object.entries(told.lists).filter(([, list]) => list.length > 0);
  const silent = Object.entries(told.rankers).filter(
    ([ranker, said]) => said !== 'used' && !told.lists[ranker]?.length,
  );
  return [
    told.items.length === 0 ? null : places(act, told),
    certainty(told),
    h('p', { class: 'aside' }, text(vectorWords(told.vectors))),
    h(
      'div',
      { class: 'lists' },
      listed.map(([ranker, list]) => rankerList(act, packet, told, ranker, list)),
    ),
    silent.length === 0
      ? null
      : h(
          'p',
          { class: 'aside' },
          text(`Silent: ${silent.map(([ranker, said]) => `${ranker} (${said})`).join(', ')}.`),
        ),
  ];
}

/** All places, best first, each as a bar of its rankers, with its score next to the best one's. */
function places(act: Act, told: AnswerExplanation): Child {
  const best = Math.max(...told.items.map((item) => item.score));
  const used = [...new Set(told.items.flatMap((item) => item.signals.map(({ ranker }) => ranker)))];
  return [
    h('h3', { class: 'part-title' }, 'The places, by what found them'),
    h(
      'ul',
      { class: 'chart' },
      told.items.map((item) => chartRow(act, item, best > 0 ? item.score / best : 0)),
    ),
    h(
      'p',
      { class: 'chart-legend', 'aria-hidden': true },
      used.map((ranker) => h('span', { class: 'chart-name' }, swatch(ranker), text(ranker))),
    ),
  ];
}

function chartRow(act: Act, item: RankedItem, besideBest: number): Described {
  const name = item.symbol === '' ? item.source_id.slice(item.source_id.lastIndexOf('/') + 1) : item.symbol;
  const row = `item ${itemKey(item)}`;
  return h(
    'li',
    { key: row, class: 'chart-row' },
    h(
      'button',
      {
        class: 'chart-place',
        'aria-label': shown(`Go to ${name} in ${item.source_id}`),
        attributes: { type: 'button', title: shown(item.source_id) },
        on: {
          click: () => {
            act.goTo(row);
          },
        },
      },
      text(name),
    ),
    stackedBar(item.signals),
    h('span', { class: 'percent', attributes: { title: 'Its score beside the best one’s' } }, percent(besideBest)),
  );
}

function certainty({ confidence, certainty: told }: AnswerExplanation): Child {
  return [
    h('h3', { class: 'part-title' }, `Confidence ${confidence.toFixed(2)}`),
    h(
      'div',
      { class: 'certainty' },
      signs(`Is it here at all? ${told.presence.toFixed(2)} (below ${told.floor.toFixed(2)}: no)`, told.presence_signs),
      signs(`If so, is the first place the one? ${told.place.toFixed(2)}`, told.place_signs),
    ),
  ];
}

function signs(title: string, told: readonly RankingSign[]): Described {
  return h(
    'div',
    {},
    h('p', { class: 'sign-title' }, title),
    h(
      'ul',
      { class: 'signs measured' },
      told.map((one) =>
        h(
          'li',
          { class: leaning(one.effect) },
          shareBar(one.value, one.effect < 0 ? 'r-against' : 'r-for'),
          h('span', { class: 'percent' }, percent(one.value)),
          h('span', { class: 'effect' }, signed(one.effect)),
          h('span', { class: 'says' }, text(one.says)),
        ),
      ),
    ),
  );
}

function rankerList(
  act: Act,
  packet: Packet,
  told: AnswerExplanation,
  ranker: string,
  list: readonly ListedFile[],
): Described {
  const about = told.weights[ranker];
  const facts = about === undefined ? '' : `${count(about.files, 'file')}, weight ${Number(about.weight.toFixed(2))}`;
  return h(
    'section',
    { key: ranker, class: 'list', 'aria-label': shown(`The list of ${ranker}`) },
    h(
      'h4',
      { class: 'list-title' },
      swatch(ranker),
      h('span', { class: 'ranker' }, text(ranker)),
      h('span', { class: 'aside' }, text([about?.says ?? '', facts].filter((part) => part !== '').join(' · '))),
    ),
    h(
      'ol',
      {},
      worthShowing(list, mostListed).map((one) => entry(act, packet, ranker, one)),
    ),
  );
}

function entry(act: Act, packet: Packet, ranker: string, one: ListedFile): Described {
  return h(
    'li',
    { key: one.source_id, class: one.shown ? 'listed' : 'listed elsewhere' },
    h('span', { class: 'rank' }, `#${one.rank}`),
    shareBar(one.share, rankerClass(ranker)),
    h('span', { class: 'percent' }, percent(one.share)),
    placeLink(act, one.source_id, linesOf(packet, one.source_id), one.shown),
  );
}

/** Where the answer points into a file, or else its beginning. */
function linesOf(packet: Packet, sourceId: string): { readonly start_line: number; readonly end_line: number } {
  const all = [...packet.verified, ...packet.stale_risk, ...packet.needs_refresh];
  return all.find((item) => item.source_id === sourceId) ?? { start_line: 1, end_line: 1 };
}
