/** State and message give the next state. Pure: no clock, no page, no extension. */

import type { TaskType, VerdictsParams } from '../../base/protocol';
import type { PlaceVerdict, ToPage } from '../messages';
import { shown as visible } from '../shown';
import { arrivals, inOrder, itemKey, withVerdicts, type VerdictMove } from '../verdicts';
import { cameAndWent, confidenceWords, groupNames, groups, nothingWords, reasonWords } from '../words';
import { countKey, isUnfolded, wantsRanking, type Explained, type State } from './state';

/** What the user does. */
export type Intent =
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'older' }
  | { readonly type: 'newer' }
  | { readonly type: 'choseTask'; readonly task: TaskType }
  | { readonly type: 'choseFolder'; readonly workspace: string }
  | { readonly type: 'ask'; readonly question?: string }
  | { readonly type: 'stop' }
  | { readonly type: 'toggleItem'; readonly key: string }
  | { readonly type: 'showWhole'; readonly key: string }
  | { readonly type: 'focusRow'; readonly key: string }
  | { readonly type: 'why'; readonly key: string }
  | { readonly type: 'here'; readonly key: string }
  | { readonly type: 'toggleRankers' }
  | { readonly type: 'tick'; readonly key: string }
  | { readonly type: 'toggleHistory' }
  | { readonly type: 'closeHistory' }
  | { readonly type: 'recall'; readonly id: string }
  | { readonly type: 'closeVerdict' }
  | { readonly type: 'uncopied' };

export function reduce(state: State, message: ToPage | Intent): State {
  switch (message.type) {
    case 'typed':
      return { ...state, draft: { text: message.text, recalled: -1, own: message.text } };
    case 'older':
      return recalled(state, state.draft.recalled + 1);
    case 'newer':
      return recalled(state, state.draft.recalled - 1);
    case 'choseTask':
      return { ...state, task: message.task };
    case 'choseFolder':
      return { ...state, workspace: message.workspace };
    case 'ask':
      return asked(state, message.question ?? state.draft.text);
    case 'stop':
    case 'cancelled':
      return { ...state, asking: null, shown: ofThen(state.shown) };
    case 'toggleItem':
      return unfold(state, message.key);
    case 'showWhole':
      return { ...state, whole: [...state.whole, message.key] };
    case 'focusRow':
      return { ...state, active: message.key };
    case 'why':
      return why(state, message.key);
    case 'here':
      return asksRanking({ ...state, here: toggled(state.here, message.key) }, !state.here.includes(message.key));
    case 'toggleRankers':
      return asksRanking({ ...state, rankersOpen: !state.rankersOpen }, !state.rankersOpen);
    case 'showRankers':
      return asksRanking({ ...state, rankersOpen: true }, true);
    case 'ranked':
    case 'notRanked':
      return ranked(state, message);
    case 'tick':
      return { ...state, ticked: toggled(state.ticked, message.key) };
    case 'toggleHistory':
      return { ...state, historyOpen: !state.historyOpen };
    case 'closeHistory':
      return { ...state, historyOpen: false };
    case 'recall':
      return { ...state, historyOpen: false, asking: null, failure: null };
    case 'uncopied':
      return { ...state, copied: '' };
    case 'asking':
      return {
        ...state,
        task: message.task,
        draft: state.draft.text === '' ? { text: message.question, recalled: -1, own: message.question } : state.draft,
        asking: { question: message.question, task: message.task },
        failure: null,
      };
    case 'shown':
      return nowShown(state, message.shown);
    case 'verdicts':
      return changed(state, message);
    case 'missing':
      // What failed while no server could run is over as soon as that changes.
      return { ...state, missing: message.missing, failure: state.missing !== null ? null : state.failure };
    case 'failed':
      return {
        ...state,
        asking: null,
        shown: ofThen(state.shown),
        failure: { message: message.message, actions: message.actions },
      };
    case 'explained':
      return withExplained(state, message.key, { state: 'answered', explanation: message.explanation });
    case 'notExplained':
      return withExplained(state, message.key, { state: 'failed', message: message.message });
    case 'placeVerdict':
      return announced({ ...state, verdict: message.verdict }, saidOf(message.verdict));
    case 'closeVerdict':
      return { ...state, verdict: null };
    case 'history':
      return { ...state, history: message.rows, draft: { ...state.draft, recalled: -1 } };
    case 'live':
      return { ...state, folders: message.folders };
    case 'compose':
      return {
        ...state,
        task: message.task ?? state.task,
        draft: { text: message.question, recalled: -1, own: message.question },
      };
    case 'copied':
      return announced({ ...state, copied: message.what }, 'Copied');
    case 'said':
      return announced(state, message.text);
  }
}

function asked(state: State, text: string): State {
  const question = text.trim();
  if (question === '') return state;
  return {
    ...state,
    draft: { text: question, recalled: -1, own: question },
    asking: { question, task: state.task },
    failure: null,
    historyOpen: false,
  };
}

/** Questions asked before, newest first, each once; place -1 is what the user was writing. */
function recalled(state: State, place: number): State {
  const newest = [...state.history].sort((a, b) => b.askedAt - a.askedAt).map((row) => row.question);
  const questions = [...new Set(newest)];
  if (place < -1 || place >= questions.length) return state;
  const text = place === -1 ? state.draft.own : (questions[place] ?? '');
  return { ...state, draft: { ...state.draft, text, recalled: place } };
}

function nowShown(state: State, next: State['shown']): State {
  const same = next !== null && next.id === (state.shown?.id ?? state.awaited);
  const order = next === null ? [] : inOrder(next.packet, same ? state.order : []).map(itemKey);
  const base: State = { ...state, shown: next, order, asking: null, failure: null };
  if (same && next.judged === state.shown?.judged) return base;
  const fresh: State = same ? base : { ...base, unfolded: [], whole: [], active: '', ticked: [] };
  const cleared: State = {
    ...fresh,
    explained: {},
    changes: {},
    came: [],
    went: [],
    told: null,
    here: [],
    rankersOpen: false,
  };
  return next?.judged !== 'now' ? cleared : announced(cleared, summary(next.packet));
}

/** What was being judged again, and now is not. */
function ofThen(shown: State['shown']): State['shown'] {
  return shown?.judged === 'again' ? { ...shown, judged: 'then' } : shown;
}

function summary(packet: NonNullable<State['shown']>['packet']): string {
  if (packet.known_empty) return nothingWords(packet);
  const counts = groups.filter((status) => packet[status].length > 0);
  const said = counts.map((status) => `${packet[status].length} ${groupNames[status].toLowerCase()}`);
  return `${said.join(', ')}. ${confidenceWords(packet.coordinate_confidence)}.`;
}

function changed(state: State, { told }: Extract<ToPage, { type: 'verdicts' }>): State {
  if (state.shown?.packet.packet_id !== told.packet_id) return state;
  const { packet, moves } = withVerdicts(state.shown.packet, told);
  const turned = moves.flatMap(({ key, item, from }) => (item.status === from ? [key] : [key, countKey(item.status)]));
  const came = told.packet === undefined ? [] : arrivals(packet, told.came ?? []);
  const turns = new Set([...turned, ...came]);
  const renewed = told.packet === undefined ? {} : { came, went: told.went ?? [], told: null, rankersOpen: false };
  const next = {
    ...state,
    ...renewed,
    shown: { ...state.shown, packet },
    order: inOrder(packet, state.order).map(itemKey),
    changes: { ...state.changes, ...Object.fromEntries([...turns].map((key) => [key, (state.changes[key] ?? 0) + 1])) },
    // What was observed then no longer explains the verdict of now.
    explained: without(
      state.explained,
      moves.map((move) => move.key),
    ),
  };
  const said = [...(moves.length === 0 ? [] : [spoken(moves)]), ...askedAgain(came.length, told)];
  return said.length === 0 ? next : announced(next, said.join('. '));
}

function askedAgain(came: number, { packet, went }: VerdictsParams): string[] {
  const gone = went?.length ?? 0;
  if (packet === undefined || came + gone === 0) return [];
  return [`Asked again: ${cameAndWent(came, gone)}. ${summary(packet)}`];
}

const mostSpoken = 3;

function spoken(moves: readonly VerdictMove[]): string {
  const said = moves.slice(0, mostSpoken).map(({ item, from }) => {
    const turn = item.status === from ? 'still' : 'now';
    return `${visible(item.title)} changed: ${turn} ${groupNames[item.status].toLowerCase()} – ${reasonWords(item.reason)}`;
  });
  const more = moves.length - said.length;
  return [...said, ...(more > 0 ? [`and ${more} more`] : [])].join('. ');
}

function unfold(state: State, key: string): State {
  if (!isUnfolded(state, key)) return { ...state, unfolded: [...state.unfolded, key] };
  return {
    ...state,
    unfolded: state.unfolded.filter((one) => one !== key),
    explained: without(state.explained, [key]),
    here: state.here.filter((one) => one !== key),
  };
}

function asksRanking(state: State, opens: boolean): State {
  return opens && wantsRanking(state) ? { ...state, told: { state: 'asked' } } : state;
}

/** An answer that came too late is about another packet. */
function ranked(state: State, message: Extract<ToPage, { type: 'ranked' | 'notRanked' }>): State {
  if (state.shown?.id !== message.id) return state;
  if (message.type === 'notRanked') return { ...state, told: { state: 'failed', message: message.message } };
  return announced({ ...state, told: { state: 'answered', ranking: message.ranking } }, 'How it was found is shown');
}

function saidOf({ explanation: { symbol, source_id, status, reason } }: PlaceVerdict): string {
  return visible(`${symbol === '' ? source_id : symbol}: ${groupNames[status].toLowerCase()} – ${reasonWords(reason)}`);
}

function why(state: State, key: string): State {
  const known = state.explained[key];
  if (known !== undefined && known.state !== 'failed') return { ...state, explained: without(state.explained, [key]) };
  return withExplained(state, key, { state: 'asked' });
}

function withExplained(state: State, key: string, explained: Explained): State {
  return { ...state, explained: { ...state.explained, [key]: explained } };
}

function announced(state: State, text: string): State {
  return { ...state, announcement: { text, serial: state.announcement.serial + 1 } };
}

function toggled(keys: readonly string[], key: string): readonly string[] {
  return keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key];
}

function without(explained: State['explained'], keys: readonly string[]): State['explained'] {
  return Object.fromEntries(Object.entries(explained).filter(([key]) => !keys.includes(key)));
}
