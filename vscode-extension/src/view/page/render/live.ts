/** The state of the index, where it is other than fresh: what it means for the answers, and the way out. */

import type { LiveStatus } from '../../../base/protocol';
import type { LiveAction } from '../../messages';
import { count } from '../../words';
import { h, text, type Child, type Described } from '../dom';
import { icon, type IconName } from '../icons';
import type { State } from '../state';
import type { Act } from './act';
import { textButton } from './button';
import { nameOf } from './compose';

interface Said {
  readonly text: string;
  readonly look: 'quiet' | 'warning' | 'error';
  readonly action?: readonly [LiveAction, string];
  readonly progress?: readonly [number, number];
}

export function live(state: State, act: Act): Child {
  const several = state.folders.length > 1;
  return state.folders.map((folder) => {
    const said = wordsOf(folder);
    return said === null ? null : banner(folder, said, several, act);
  });
}

function wordsOf(folder: LiveStatus): Said | null {
  switch (folder.state) {
    case 'starting':
      return { text: 'Helix is starting …', look: 'quiet' };
    case 'indexing':
      return indexing(folder);
    case 'paused':
      return {
        text: 'Indexing is paused. What is found is still checked against the disk; what is new is not found.',
        look: 'quiet',
        action: ['resume', 'Resume'],
      };
    case 'missing':
      return {
        text: withAction(folder, 'The folder is not there any more.'),
        look: 'error',
        action: ['status', 'Show status'],
      };
    case 'error':
      return {
        text: withAction(folder, 'The index cannot be brought up to date.'),
        look: 'error',
        action: ['restart', 'Restart'],
      };
    case 'fresh':
    case 'incomplete':
      return unwatched(folder);
  }
}

function indexing(folder: LiveStatus): Said {
  const { done, total } = folder;
  if (total === 0) return { text: 'Looking at the folder …', look: 'quiet' };
  const share = `${done.toLocaleString('en-US')} of ${count(total, 'file')}`;
  return { text: `Indexing ${share}. What is not indexed yet is not found.`, look: 'quiet', progress: [done, total] };
}

function unwatched(folder: LiveStatus): Said | null {
  if (folder.message !== '')
    return { text: withAction(folder, ''), look: 'warning', action: ['status', 'Show status'] };
  if (folder.files === 0)
    return { text: 'No file of this folder counts for the index.', look: 'quiet', action: ['status', 'Why?'] };
  return null;
}

function withAction(folder: LiveStatus, otherwise: string): string {
  return [folder.message === '' ? otherwise : folder.message, folder.action].filter((part) => part !== '').join(' ');
}

const looks: Readonly<Record<Said['look'], IconName | null>> = { quiet: null, warning: 'stale_risk', error: 'failed' };

function banner(folder: LiveStatus, said: Said, several: boolean, act: Act): Described {
  const name = looks[said.look];
  return h(
    'div',
    { key: `live ${folder.uri}`, class: `banner banner-${said.look}` },
    name === null ? null : icon(name),
    h(
      'p',
      {},
      several ? h('b', {}, text(nameOf(folder.workspace)), ': ') : null,
      text(said.text),
      ' ',
      said.action === undefined ? null : actionButton(said.action, folder, act),
    ),
    said.progress === undefined ? null : progress(said.progress),
  );
}

function actionButton([action, label]: readonly [LiveAction, string], folder: LiveStatus, act: Act): Described {
  return textButton({
    label,
    press: () => {
      act.send({ type: 'act', action, workspace: folder.uri });
    },
  });
}

function progress([done, total]: readonly [number, number]): Described {
  return h('progress', { 'aria-label': 'Indexing', attributes: { value: done, max: total } });
}
