/** When there is nothing to show: never asked, nothing found, or it did not work. */

import type { Packet } from '../../../base/protocol';
import type { FailureAction, Missing } from '../../messages';
import { itemsOf } from '../../verdicts';
import { count, nothingWords } from '../../words';
import { h, text, type Described } from '../dom';
import { icon } from '../icons';
import type { State } from '../state';
import type { Act } from './act';
import { textButton } from './button';

const examples = [
  'Where is the configuration loaded?',
  'What happens when a request fails?',
  'Which tests cover the main entry point?',
] as const;

export function firstUse(act: Act): Described {
  return h(
    'section',
    { key: 'first', class: 'first', 'aria-label': 'How to begin' },
    h('h2', {}, 'Search your code, and see whether each result is still true'),
    h(
      'p',
      {},
      'Ask in your own words. The answer is places in your code, each with a verdict that is checked against the disk and stays true while you look.',
    ),
    h(
      'ul',
      { class: 'legend' },
      legend('verified', 'Verified', 'true on disk right now'),
      legend('stale_risk', 'Stale risk', 'may mislead'),
      legend('needs_refresh', 'Needs refresh', 'read it again first'),
    ),
    h('h3', { class: 'part-title' }, 'For example'),
    h(
      'ul',
      { class: 'handles' },
      examples.map((question) => handle(act, question)),
    ),
  );
}

function legend(status: 'verified' | 'stale_risk' | 'needs_refresh', name: string, meaning: string): Described {
  return h('li', { class: `s-${status}` }, icon(status, 'mark'), h('b', {}, name), h('span', {}, meaning));
}

export function knownEmpty(packet: Packet, act: Act): Described {
  const { searched, sources } = packet.accounting;
  const places = itemsOf(packet).length;
  return h(
    'div',
    { key: 'empty', class: 'known-empty' },
    icon('empty', 'big'),
    h('p', { class: 'known-empty-title' }, nothingWords(packet)),
    h(
      'p',
      { class: 'aside' },
      `That is an answer too: ${count(searched, 'item')} of ${count(sources, 'file')} ${searched === 1 ? 'was' : 'were'} searched by words, names, paths and links, and ${places === 0 ? 'none comes close' : 'what comes nearest is probably not what you mean'}.`,
    ),
    packet.nearest.length === 0
      ? null
      : [
          h('h3', { class: 'part-title' }, 'Nearest names'),
          h(
            'ul',
            { class: 'handles' },
            packet.nearest.map((name) => handle(act, name)),
          ),
        ],
  );
}

function handle(act: Act, question: string): Described {
  return h(
    'li',
    { key: question },
    h(
      'button',
      {
        class: 'handle',
        attributes: { type: 'button' },
        on: {
          click: () => {
            act.intend({ type: 'ask', question });
          },
        },
      },
      text(question),
    ),
  );
}

const actionNames: Readonly<Record<FailureAction, string>> = {
  retry: 'Try again',
  restart: 'Restart Helix',
  logs: 'Show logs',
  setUp: 'Set up Helix',
  choose: 'Choose interpreter',
};

/** What is shown first while no server can run: the reason, one button that helps, and others. */
export function missing(what: Missing, act: Act): Described {
  return h(
    'section',
    { key: 'missing', class: 'missing', 'aria-label': what.title, attributes: { role: 'status' } },
    h('h2', {}, text(what.title)),
    h('p', {}, text(what.text)),
    what.isBusy ? h('progress', { 'aria-label': what.title }) : actions(what.actions, act),
  );
}

function actions(names: readonly FailureAction[], act: Act): Described {
  return h(
    'p',
    { class: 'failure-actions' },
    names.map((action, index) =>
      textButton(
        {
          key: action,
          label: actionNames[action],
          press: () => {
            act.send({ type: 'act', action });
          },
        },
        index === 0 ? 'primary' : 'secondary',
      ),
    ),
  );
}

export function failure(failed: NonNullable<State['failure']>, act: Act): Described {
  return h(
    'div',
    { key: 'failure', class: 'banner banner-error', attributes: { role: 'alert' } },
    icon('failed'),
    h('div', { class: 'failure' }, h('p', {}, text(failed.message)), actions(failed.actions, act)),
  );
}
