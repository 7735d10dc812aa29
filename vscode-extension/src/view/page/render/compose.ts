/** The question box: what is asked, and for which task. */

import { taskTypes } from '../../../base/protocol';
import { taskWords, tasks, type Risk } from '../../words';
import { h, type Child, type Described } from '../dom';
import type { State } from '../state';
import type { Act } from './act';
import { iconButton } from './button';

const risks: Readonly<Record<Risk, string>> = {
  low: 'Low risk',
  medium: 'Medium risk',
  high: 'High risk',
  highest: 'Highest risk',
};

export function compose(state: State, act: Act): Described {
  const busy = state.asking !== null;
  const words = taskWords(state.task);
  return h(
    'div',
    { key: 'compose', class: 'compose', 'aria-label': 'Ask for a context packet', attributes: { role: 'search' } },
    h(
      'div',
      { class: 'ask-box' },
      question(state, act),
      h(
        'div',
        { class: 'ask-row' },
        taskPicker(state, act),
        folderPicker(state, act),
        h('span', { class: 'spring' }),
        busy
          ? iconButton('stop', {
              key: 'stop',
              label: 'Stop asking (Escape)',
              press: () => {
                act.intend({ type: 'stop' });
              },
            })
          : iconButton('send', {
              key: 'send',
              label: 'Ask (Enter)',
              class: state.draft.text.trim() === '' ? 'ask-button' : 'ask-button armed',
              press: () => {
                act.intend({ type: 'ask' });
              },
            }),
      ),
    ),
    h(
      'p',
      { class: 'hint', attributes: { id: 'task-risk' } },
      h('span', { class: `risk risk-${words.risk}` }, risks[words.risk]),
      ` – ${words.meaning}`,
    ),
  );
}

function question(state: State, act: Act): Described {
  return h(
    'div',
    // The hidden twin holds the same text, so that the box is as high as its text without any script measuring it.
    { class: 'grow' },
    h('div', { class: 'grow-twin', 'aria-hidden': true }, `${state.draft.text} `),
    h('textarea', {
      key: 'question',
      value: state.draft.text,
      'aria-label': 'Question. Enter asks, Shift+Enter makes a new line, arrow up brings back earlier questions.',
      attributes: { id: 'question', rows: 1, spellcheck: false, placeholder: 'What do you want to know?' },
      on: {
        input: (event) => {
          act.intend({ type: 'typed', text: (event.target as HTMLTextAreaElement).value });
        },
        keydown: (event) => {
          questionKey(event as KeyboardEvent, state, act);
        },
      },
    }),
  );
}

function questionKey(event: KeyboardEvent, state: State, act: Act): void {
  // Enter that ends a composition (Japanese, Chinese …) belongs to the input method.
  if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
  const box = event.target as HTMLTextAreaElement;
  const atStart = box.selectionStart === 0 && box.selectionEnd === 0;
  const atEnd = box.selectionStart === box.value.length;
  const recalling = state.draft.recalled >= 0;
  if (event.key === 'Enter' && !event.shiftKey) act.intend({ type: 'ask' });
  else if (event.key === 'ArrowUp' && (atStart || (recalling && atEnd && !box.value.includes('\n'))))
    act.intend({ type: 'older' });
  else if (event.key === 'ArrowDown' && recalling && (atEnd || atStart)) act.intend({ type: 'newer' });
  else if (event.key === 'Escape' && state.asking !== null) act.intend({ type: 'stop' });
  else return;
  event.preventDefault();
}

function taskPicker(state: State, act: Act): Described {
  return h(
    'label',
    { class: 'picker' },
    h('span', { class: 'picker-name' }, 'for'),
    h(
      'select',
      {
        key: 'task',
        value: state.task,
        'aria-label': 'Task: what you are about to do with the answer',
        'aria-describedby': 'task-risk',
        on: {
          change: (event) => {
            const chosen = taskTypes.find((task) => task === (event.target as HTMLSelectElement).value);
            if (chosen !== undefined) act.intend({ type: 'choseTask', task: chosen });
          },
        },
      },
      tasks.map((task) => h('option', { key: task.name, attributes: { value: task.name } }, task.label)),
    ),
  );
}

function folderPicker(state: State, act: Act): Child {
  if (state.folders.length < 2) return null;
  return h(
    'label',
    { class: 'picker' },
    h('span', { class: 'picker-name' }, 'in'),
    h(
      'select',
      {
        key: 'folder',
        value: state.folders.some((folder) => folder.uri === state.workspace) ? state.workspace : '',
        'aria-label': 'Workspace folder',
        on: {
          change: (event) => {
            act.intend({ type: 'choseFolder', workspace: (event.target as HTMLSelectElement).value });
          },
        },
      },
      h('option', { key: '', attributes: { value: '' } }, 'active folder'),
      state.folders.map((folder) =>
        h('option', { key: folder.uri, attributes: { value: folder.uri } }, nameOf(folder.workspace)),
      ),
    ),
  );
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.replace(/[\\/]+$/, '').replace(/^.*[\\/]/, '');
}
