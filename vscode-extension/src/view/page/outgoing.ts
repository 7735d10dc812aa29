/** The messages of an intent to the extension. Pure; `state` is the one before the intent. */

import type { FromPage } from '../messages';
import type { Intent } from './reduce';
import { wantsRanking, type State } from './state';

export function outgoing(state: State, intent: Intent): FromPage | null {
  if (intent.type === 'ask') return asking(state, intent.question ?? state.draft.text);
  if (intent.type === 'stop') return state.asking === null ? null : { type: 'cancel' };
  if (intent.type === 'recall') return { type: 'recall', id: intent.id };
  if (intent.type === 'here') return ranking(state, !state.here.includes(intent.key));
  if (intent.type === 'toggleRankers') return ranking(state, !state.rankersOpen);
  if (intent.type === 'closeVerdict') return { type: 'closeVerdict' };
  if (intent.type !== 'why') return null;
  const known = state.explained[intent.key];
  return known === undefined || known.state === 'failed' ? { type: 'explain', key: intent.key } : null;
}

/** The explanation of an answer is requested once, when it is opened. */
function ranking(state: State, opens: boolean): FromPage | null {
  return opens && wantsRanking(state) ? { type: 'explainAnswer' } : null;
}

function asking(state: State, text: string): FromPage | null {
  const question = text.trim();
  if (question === '') return null;
  return { type: 'ask', question, task: state.task, ...(state.workspace === '' ? {} : { workspace: state.workspace }) };
}
