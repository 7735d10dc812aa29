/** The packets asked for before: pinned ones first. */

import type { HistoryRow } from '../../messages';
import { shown } from '../../shown';
import { ago, groupNames, taskWords } from '../../words';
import { h, text, type Child, type Described } from '../dom';
import { icon } from '../icons';
import type { State } from '../state';
import type { Act } from './act';
import { iconButton, textButton } from './button';

export function past(state: State, act: Act, nowSeconds: number): Child {
  if (state.history.length === 0) return null;
  return h(
    'section',
    {
      key: 'past',
      class: state.historyOpen ? 'past open' : 'past',
      'aria-label': 'Earlier packets',
      on: {
        keydown: (event) => {
          if ((event as KeyboardEvent).key !== 'Escape' || !state.historyOpen) return;
          event.stopPropagation();
          act.intend({ type: 'closeHistory' });
        },
      },
    },
    textButton(
      {
        key: 'past-toggle',
        label: `Earlier packets (${state.history.length})`,
        class: 'past-toggle',
        expanded: state.historyOpen,
        press: () => {
          act.intend({ type: 'toggleHistory' });
        },
      },
      'link',
      'chevron',
    ),
    state.historyOpen ? list(state, act, nowSeconds) : null,
  );
}

function list(state: State, act: Act, nowSeconds: number): Child {
  return [
    h(
      'ul',
      { class: 'past-list' },
      state.history.map((row) => entry(state, act, row, nowSeconds)),
    ),
    state.history.some((row) => !row.pinned)
      ? textButton({
          key: 'forget-all',
          label: 'Forget all that are not pinned',
          press: () => {
            act.send({ type: 'forgetAll' });
          },
        })
      : null,
  ];
}

function entry(state: State, act: Act, row: HistoryRow, nowSeconds: number): Described {
  const current = state.shown?.id === row.id;
  return h(
    'li',
    { key: row.id, class: current ? 'past-row current' : 'past-row' },
    h(
      'button',
      {
        class: 'past-open',
        'aria-label': spoken(row, nowSeconds),
        'aria-current': current ? 'true' : undefined,
        attributes: { type: 'button', title: shown(row.question) },
        on: {
          click: () => {
            act.intend({ type: 'recall', id: row.id });
          },
        },
      },
      h('span', { class: 'past-question' }, text(row.question)),
      h(
        'span',
        { class: 'origin' },
        h('span', { class: 'fact' }, taskWords(row.task).label.toLowerCase()),
        h('span', { class: 'fact' }, ago(row.askedAt, nowSeconds)),
        counted('verified', row.verified),
        counted('stale_risk', row.staleRisk),
        counted('needs_refresh', row.needsRefresh),
      ),
    ),
    iconButton('pin', {
      label: row.pinned ? 'Unpin' : 'Pin',
      pressed: row.pinned,
      press: () => {
        act.send({ type: 'pin', id: row.id, pinned: !row.pinned });
      },
    }),
    iconButton('close', {
      label: 'Forget',
      press: () => {
        act.send({ type: 'forget', id: row.id });
      },
    }),
  );
}

function counted(status: 'verified' | 'stale_risk' | 'needs_refresh', number: number): Child {
  return number === 0 ? null : h('span', { class: `counted s-${status}` }, icon(status, 'inline'), number);
}

function spoken(row: HistoryRow, nowSeconds: number): string {
  const counts = [
    `${row.verified} ${groupNames.verified.toLowerCase()}`,
    `${row.staleRisk} ${groupNames.stale_risk.toLowerCase()}`,
    `${row.needsRefresh} ${groupNames.needs_refresh.toLowerCase()}`,
  ];
  return shown(`${row.question}, for ${row.task}, ${ago(row.askedAt, nowSeconds)}: ${counts.join(', ')} then`);
}
