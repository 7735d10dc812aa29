/** A packet: what was asked, its pointers, and what else the packet says. */

import type { Packet } from '../../../base/protocol';
import { ago, confidenceWords, count, duration, oftenRight, taskWords } from '../../words';
import { h, text, type Child, type Described } from '../dom';
import { icon } from '../icons';
import type { State } from '../state';
import type { ShownPacket } from '../../messages';
import { itemsOf } from '../../verdicts';
import type { Act } from './act';
import { iconButton } from './button';
import { nameOf } from './compose';
import { contradictions, memories, notes, plan, renewal, wrongReferences } from './aftermath';
import { knownEmpty } from './empty';
import { grid } from './grid';
import { rankers } from './rankers';

export function answer(state: State, act: Act, shown: ShownPacket, nowSeconds: number): Described {
  const { packet } = shown;
  return h(
    'section',
    {
      key: 'answer',
      class: `answer judged-${shown.judged}`,
      'aria-label': 'Answer',
      'aria-busy': shown.judged === 'again' || state.asking !== null,
    },
    head(state, act, shown, nowSeconds),
    packet.known_empty && memories(act, packet),
    packet.known_empty ? knownEmpty(packet, act) : !shown.given && scores(packet),
    wrongReferences(act, shown.check),
    itemsOf(packet).length > 0 && grid(state, act, shown, nowSeconds),
    renewal(state, act),
    !packet.known_empty && memories(act, packet),
    // Where nothing answers the question, reading far places again would not help.
    !packet.known_empty && plan(state, act, packet),
    contradictions(act, packet),
    notes(packet),
    !shown.given && rankers(state, act, packet),
    accounting(packet),
  );
}

function head(state: State, act: Act, shown: ShownPacket, nowSeconds: number): Described {
  const { packet } = shown;
  const repeats = state.draft.text.trim() === packet.query;
  return h(
    'header',
    { class: repeats ? 'head repeats' : 'head' },
    h(
      'div',
      { class: 'head-line' },
      h('h2', { class: 'query' }, text(packet.query, '\n')),
      h(
        'div',
        { class: 'head-buttons', 'aria-label': 'Packet', attributes: { role: 'group' } },
        headButtons(state, act, shown),
      ),
    ),
    h(
      'p',
      { class: 'origin' },
      h(
        'span',
        { class: 'fact' },
        shown.given ? 'sent to a model' : `for ${taskWords(packet.task_type).label.toLowerCase()}`,
      ),
      h('span', { class: 'fact' }, text(nameOf(packet.workspace))),
      headFact(state, packet),
      judgedFact(shown, nowSeconds),
    ),
  );
}

function judgedFact({ judged, judgedAt }: ShownPacket, nowSeconds: number): Child {
  if (judged === 'now') return null;
  return h(
    'span',
    { class: 'fact of-then' },
    judged === 'again' ? 'looking again …' : `verdicts of ${ago(judgedAt, nowSeconds)}`,
  );
}

function headFact(state: State, packet: Packet): Child {
  const folder = state.folders.find((one) => one.workspace === packet.workspace);
  const branch = folder?.branch ?? '';
  if (packet.head === '' && branch === '') return null;
  const moved = folder !== undefined && folder.head !== '' && packet.head !== '' && folder.head !== packet.head;
  return [
    h(
      'span',
      { class: 'fact', attributes: { title: packet.head } },
      icon('branch', 'inline'),
      branch === '' ? null : [text(branch), ' '],
      h('code', {}, packet.head.slice(0, 8)),
    ),
    moved ? h('span', { class: 'fact of-then' }, 'HEAD is now at ', h('code', {}, folder.head.slice(0, 8))) : null,
  ];
}

function headButtons(state: State, act: Act, shown: ShownPacket): Child {
  const copy = (form: 'markdown' | 'json', label: string): Described =>
    iconButton(state.copied === form ? 'done' : form, {
      key: form,
      label: state.copied === form ? 'Copied' : label,
      press: () => {
        act.send({ type: 'copyPacket', form });
      },
    });
  return [
    copy('markdown', 'Copy packet as Markdown'),
    copy('json', 'Copy packet as JSON'),
    iconButton('pin', {
      key: 'pin',
      label: shown.pinned ? 'Unpin packet' : 'Pin packet',
      pressed: shown.pinned,
      press: () => {
        act.send({ type: 'pin', id: shown.id, pinned: !shown.pinned });
      },
    }),
  ];
}

/** How much there is of what, and how sure it is that this is the place. */
function scores(packet: Packet): Described {
  const confidence = packet.coordinate_confidence;
  const [words, often] = [confidenceWords(confidence), `, ${oftenRight(confidence)}`];
  const full = Math.round(confidence * 10);
  const bars = Array.from({ length: 10 }, (_, index) => h('span', { class: index < full ? 'tenth full' : 'tenth' }));
  return h(
    'div',
    { class: `confidence${confidence < 0.3 ? ' doubtful' : ''}` },
    h(
      'span',
      {
        class: 'tenths',
        'aria-label': 'Confidence',
        'aria-valuemin': 0,
        'aria-valuemax': 1,
        'aria-valuenow': confidence.toFixed(2),
        'aria-valuetext': `${words}${often}`,
        attributes: {
          role: 'meter',
          title: `Confidence ${confidence.toFixed(2)}: measured on questions nobody tuned on`,
        },
      },
      bars,
    ),
    h('span', { class: 'confidence-words', 'aria-hidden': true }, words, h('span', { class: 'often' }, often)),
  );
}

const goodSignals = new Set(['used', 'empty', 'ok', 'off']);

function accounting(packet: Packet): Described {
  const { searched, sources, returned, tokens, elapsed_ms, signals } = packet.accounting;
  const poor = Object.entries(signals).filter(([, state]) => !goodSignals.has(state));
  const facts: Child[] = [
    duration(elapsed_ms),
    `about ${count(tokens, 'token')}`,
    `${returned} of ${count(searched, 'item')} in ${count(sources, 'file')}`,
    ...poor.map(([ranker, state]) => text(`${ranker} ${state}`)),
  ];
  return h(
    'footer',
    { class: 'accounting' },
    facts.map((fact) => h('span', { class: 'fact' }, fact)),
  );
}
