/** One pointer of the packet as a row of the answer, and what unfolds below it. */

import { shown } from '../../shown';
import { currentSpan, itemKey, type LiveItem } from '../../verdicts';
import { ago, changed, notCommitted, groupNames, lineRange, reasonWords, saysMore, spokenLines } from '../../words';
import { h, text, type Child, type Described } from '../dom';
import { icon } from '../icons';
import { isUnfolded, itemRowKey, type State } from '../state';
import type { Act } from './act';
import { iconButton, textButton } from './button';
import { here } from './here';
import { quote } from './quote';
import { why } from './why';

export interface ListPosition {
  readonly position: number;
  readonly size: number;
}

/** The row of an item, and below it the row with its quote and its explanation while it is unfolded. */
export function itemRows(state: State, act: Act, item: LiveItem, place: ListPosition, nowSeconds: number): Described[] {
  const key = itemKey(item);
  const unfolded = isUnfolded(state, key);
  const head = itemRow(state, act, item, place, unfolded);
  return unfolded ? [head, detailRow(state, act, item, nowSeconds)] : [head];
}

function itemRow(state: State, act: Act, item: LiveItem, place: ListPosition, unfolded: boolean): Described {
  const key = itemKey(item);
  const row = itemRowKey(key);
  const active = state.active === row;
  const turns = state.changes[key] ?? 0;
  return h(
    'div',
    {
      key: row,
      // Two names for one highlight, so that a second change starts it again.
      class: `item s-${item.status}${turns === 0 ? '' : turns % 2 === 1 ? ' turned-odd' : ' turned-even'}`,
      'data-row': row,
      'data-open': key,
      'data-item': key,
      'aria-level': 1,
      'aria-posinset': place.position,
      'aria-setsize': place.size,
      'aria-expanded': unfolded,
      'aria-label': spokenName(item),
      attributes: { role: 'row', tabindex: active ? 0 : -1 },
      on: {
        click: () => {
          openUnlessSelecting(act, key);
        },
      },
    },
    h('div', { class: 'twistie', attributes: { role: 'presentation' } }, fold(act, item, unfolded)),
    h(
      'div',
      { class: 'what', attributes: { role: 'gridcell' } },
      h('div', { class: 'line-of-item' }, headline(item), where(item)),
      saysMore(item) && h('div', { class: 'facts' }, reason(item), compared(act, item, active)),
    ),
    h('div', { class: 'actions', attributes: { role: 'gridcell' } }, buttons(state, act, item, active)),
  );
}

/** For the mouse; the keyboard folds with the arrow keys. */
function fold(act: Act, item: LiveItem, unfolded: boolean): Described {
  return h(
    'span',
    {
      class: `fold${unfolded ? ' unfolded' : ''}`,
      attributes: { title: unfolded ? 'Hide what stands there' : 'Show what stands there' },
      on: {
        click: (event) => {
          event.stopPropagation();
          act.intend({ type: 'toggleItem', key: itemKey(item) });
        },
      },
    },
    icon('chevron'),
  );
}

function headline(item: LiveItem): Described {
  const name = item.symbol === '' ? item.title : item.symbol;
  return h(
    'div',
    { class: 'headline' },
    icon(item.status, 'mark'),
    h('span', { class: 'name', attributes: { title: shown(`${name}, ${item.kind}`) } }, text(name)),
    item.related === true ? h('span', { class: 'kind' }, 'related') : null,
  );
}

function where(item: LiveItem): Described {
  const span = currentSpan(item);
  const slash = item.source_id.lastIndexOf('/') + 1;
  const moved = span !== null && (span.start_line !== item.start_line || span.end_line !== item.end_line);
  return h(
    'div',
    { class: 'where', attributes: { title: shown(item.source_id) } },
    h('span', { class: 'folder', attributes: { dir: 'ltr' } }, text(item.source_id.slice(0, slash))),
    h('span', { class: 'file', attributes: { dir: 'ltr' } }, text(item.source_id.slice(slash))),
    h('span', { class: span === null ? 'lines nowhere' : 'lines' }, `:${lineRange(span ?? item)}`),
    moved ? h('span', { class: 'was' }, ` was ${lineRange(item)}`) : null,
  );
}

/** What can be done about text that is another one by now. */
function compared(act: Act, item: LiveItem, tabbable: boolean): Child {
  if (item.status !== 'needs_refresh' || item.quote === '') return null;
  const key = itemKey(item);
  const button = (label: string, press: () => void): Described => textButton({ key: label, label, tabbable, press });
  return h(
    'span',
    { class: 'compared' },
    button('Then ↔ now', () => {
      act.send({ type: 'compare', key });
    }),
    button('Take the new one', () => {
      act.send({ type: 'renew' });
    }),
  );
}

function reason(item: LiveItem): Described {
  const detail = item.detail ?? '';
  return h(
    'span',
    { class: 'reason', attributes: { title: shown(item.reason) } },
    h('span', { class: 'reason-words' }, reasonWords(item.reason), detail === '' ? null : [' – ', text(detail)]),
    ' ',
    h('code', { class: 'word' }, text(item.reason)),
  );
}

function origin(item: LiveItem, nowSeconds: number): Described {
  const facts: Child[] = [];
  if (item.commit !== null)
    facts.push([
      `${changed(item.commit_of, item.uncommitted)} `,
      h('code', { attributes: { title: shown(item.commit) } }, text(item.commit.slice(0, 8))),
    ]);
  if (item.author !== null) facts.push(text(item.author));
  if (item.committed_at !== null) {
    facts.push(
      h(
        'time',
        { attributes: { title: new Date(item.committed_at * 1000).toLocaleString() } },
        ago(item.committed_at, nowSeconds),
      ),
    );
  }
  if (item.commit === null) facts.push(item.uncommitted === true ? notCommitted : 'no commit known');
  if (item.language !== '') facts.push(text(item.language));
  return h(
    'span',
    { class: 'origin' },
    facts.map((fact) => h('span', { class: 'fact' }, fact)),
  );
}

function buttons(state: State, act: Act, item: LiveItem, tabbable: boolean): Child {
  const key = itemKey(item);
  const copied = state.copied === key;
  return [
    iconButton('open', {
      label: 'Open at these lines (Enter)',
      tabbable,
      press: () => {
        act.send({ type: 'open', place: { key }, keepFocus: false });
      },
    }),
    iconButton('why', {
      label: 'Explain this verdict (E)',
      tabbable,
      expanded: state.explained[key] !== undefined,
      press: () => {
        act.intend({ type: 'why', key });
      },
    }),
    iconButton('here', {
      label: 'Why here? (W)',
      tabbable,
      expanded: state.here.includes(key),
      press: () => {
        act.intend({ type: 'here', key });
      },
    }),
    iconButton(copied ? 'done' : 'copy', {
      label: copied ? 'Copied' : 'Copy as Markdown (C)',
      tabbable,
      press: () => {
        act.send({ type: 'copyItem', key });
      },
    }),
  ];
}

function detailRow(state: State, act: Act, item: LiveItem, nowSeconds: number): Described {
  const key = itemKey(item);
  const row = `detail ${key}`;
  const explained = state.explained[key];
  const tabbable = state.active === row;
  const turned = (state.changes[key] ?? 0) > 0;
  return h(
    'div',
    {
      key: row,
      class: `detail s-${item.status}`,
      'data-row': row,
      'data-open': key,
      'aria-level': 2,
      'aria-label': `What stands in ${shown(item.title)}, ${spokenLines(item)}`,
      attributes: { role: 'row', tabindex: tabbable ? 0 : -1 },
    },
    h(
      'div',
      { class: 'detail-content', attributes: { role: 'gridcell' } },
      h('p', { class: 'facts' }, h('span', { class: 'fact' }, text(item.kind)), origin(item, nowSeconds)),
      explained === undefined ? null : why(explained),
      here(state, act, item, tabbable),
      turned && item.status === 'needs_refresh' ? h('p', { class: 'aside' }, 'As it was when you asked:') : null,
      quote({
        item,
        tabbable,
        whole: state.whole.includes(key),
        showWhole: () => {
          act.intend({ type: 'showWhole', key });
        },
      }),
    ),
  );
}

function openUnlessSelecting(act: Act, key: string): void {
  if (document.getSelection()?.type === 'Range') return;
  act.send({ type: 'open', place: { key }, keepFocus: true });
}

function spokenName(item: LiveItem): string {
  const name = item.symbol === '' ? item.kind : `${item.symbol}, ${item.kind}`;
  const detail = item.detail === undefined || item.detail === '' ? '' : ` – ${item.detail}`;
  const verdict = `${groupNames[item.status]}: ${reasonWords(item.reason)}${detail}`;
  return shown(`${verdict}. ${item.source_id}, ${spokenLines(currentSpan(item) ?? item)}, ${name}`);
}
