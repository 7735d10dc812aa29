/** What follows the pointers of a packet: what to read again, what contradicts what, and what else was noticed. */

import type {
  CheckAnswer,
  CheckFinding,
  Contradiction,
  Packet,
  PacketMemory,
  RefreshTarget,
  SourcedClaim,
} from '../../../base/protocol';
import { shown } from '../../shown';
import { cameAndWent, count, lineRange, memoryReason, reasonWords, spokenLines } from '../../words';
import { h, text, type Child, type Described } from '../dom';
import { icon } from '../icons';
import type { State } from '../state';
import type { Act } from './act';

export function plan(state: State, act: Act, packet: Packet): Child {
  const targets = packet.refresh_targets;
  if (targets.length === 0) return null;
  const left = targets.filter((target) => !state.ticked.includes(keyOf(target))).length;
  const progress = left === targets.length ? `${targets.length}` : `${left} of ${targets.length} left`;
  return section(
    'plan',
    'Read again first',
    progress,
    h(
      'ul',
      { class: 'plan' },
      targets.map((target) => step(state, act, target)),
    ),
  );
}

function step(state: State, act: Act, target: RefreshTarget): Described {
  const key = keyOf(target);
  const done = state.ticked.includes(key);
  const spoken = shown(`${target.source_id}, ${spokenLines(target)}: ${reasonWords(target.reason)}`);
  return h(
    'li',
    { key, class: done ? 'step done' : 'step' },
    h('input', {
      checked: done,
      'aria-label': `Read: ${spoken}`,
      attributes: { type: 'checkbox' },
      on: {
        change: () => {
          act.intend({ type: 'tick', key });
        },
      },
    }),
    h(
      'div',
      { class: 'step-what' },
      placeLink(act, target.source_id, target),
      h(
        'span',
        { class: 'step-reason' },
        reasonWords(target.reason),
        ' ',
        h('code', { class: 'word' }, text(target.reason)),
      ),
    ),
  );
}

/** What the answer has and has not any more since it was asked again by itself. */
export function renewal(state: State, act: Act): Child {
  if (state.came.length === 0 && state.went.length === 0) return null;
  return section(
    'renewal',
    'Asked again',
    '',
    h(
      'p',
      { class: 'renewal' },
      `${cameAndWent(state.came.length, state.went.length)} since the files or the index changed.`,
    ),
    state.went.length > 0 &&
      h(
        'ul',
        { class: 'went', 'aria-label': 'Not in the answer any more' },
        state.went.map((item) => h('li', { class: 'went-item' }, placeLink(act, item.source_id, item))),
      ),
  );
}

/** What was remembered of the question: who said it, whether it may still be so, and what it cites. */
export function memories(act: Act, packet: Packet): Child {
  const found = packet.memories ?? [];
  if (found.length === 0) return null;
  return section(
    'memories',
    'Remembered',
    `${found.length}`,
    h(
      'ul',
      { class: 'memories' },
      found.map((one) => memory(act, one)),
    ),
  );
}

function memory(act: Act, one: PacketMemory): Described {
  return h(
    'li',
    { key: one.id, class: `memory s-${one.status}` },
    icon(one.status, 'mark'),
    h(
      'div',
      { class: 'step-what' },
      h('p', { class: 'memory-text' }, text(one.text)),
      h('span', { class: 'step-reason' }, text(`${one.kind}, by ${one.origin}; ${memoryReason(one.reason, one)}`)),
      one.evidence.map((cited) => placeLink(act, cited.source_id, cited)),
    ),
  );
}

export function contradictions(act: Act, packet: Packet): Child {
  const pairs = packet.contradictions;
  if (pairs.length === 0) return null;
  return section(
    'contradictions',
    'Sources that contradict each other',
    `${pairs.length}`,
    pairs.map((pair) => versus(act, pair)),
  );
}

function versus(act: Act, pair: Contradiction): Described {
  const isOrderKnown = pair.order_known !== false;
  return h(
    'div',
    { class: 'versus', 'aria-label': shown(`Contradiction about ${pair.key}`), attributes: { role: 'group' } },
    h('code', { class: 'versus-key' }, text(pair.key)),
    h(
      'div',
      { class: 'sides' },
      side(act, isOrderKnown ? 'fresher' : 'undated', pair.fresher),
      side(act, isOrderKnown ? 'older' : 'undated', pair.older),
    ),
  );
}

function side(act: Act, age: 'fresher' | 'older' | 'undated', claim: SourcedClaim): Described {
  return h(
    'div',
    { class: `side side-${age}` },
    h('span', { class: 'side-label' }, age === 'undated' ? 'which changed last is not known' : age),
    h('code', { class: 'side-value' }, text(claim.value)),
    placeLink(act, claim.source_id, { start_line: claim.line, end_line: claim.line }),
  );
}

/** What a model's answer cites and what is not so on disk. */
export function wrongReferences(act: Act, check: CheckAnswer | undefined): Child {
  if (check === undefined) return null;
  const checked = `${count(check.checked, 'reference')} checked`;
  return section(
    'references',
    'References of the answer',
    check.wrong === 0 ? '' : `${check.wrong} wrong`,
    h('p', { class: 'references-checked' }, check.wrong === 0 ? `${checked}, none wrong.` : `${checked}.`),
    check.findings.length > 0 &&
      h(
        'ul',
        { class: 'references' },
        check.findings.map((finding) => wrongReference(act, finding)),
      ),
  );
}

function wrongReference(act: Act, { reference, message, now }: CheckFinding): Described {
  return h(
    'li',
    { class: 'reference' },
    h('code', {}, text(reference)),
    h('span', { class: 'step-reason' }, text(` – ${message} `)),
    now !== null && placeLink(act, now.source_id, { start_line: now.start_line, end_line: now.start_line }),
  );
}

export function notes(packet: Packet): Child {
  if (packet.notes.length === 0) return null;
  return section(
    'notes',
    'Notes',
    '',
    h(
      'ul',
      { class: 'notes' },
      packet.notes.map((note) => h('li', {}, text(note))),
    ),
  );
}

function section(name: string, title: string, badge: string, ...content: readonly Child[]): Described {
  return h(
    'section',
    { key: name, class: 'part', 'aria-labelledby': `title-${name}` },
    h(
      'h3',
      { class: 'part-title', attributes: { id: `title-${name}` } },
      title,
      badge === '' ? null : [' ', h('span', { class: 'badge' }, badge)],
    ),
    ...content,
  );
}

export interface Lines {
  readonly start_line: number;
  readonly end_line: number;
}

/** `lines`: show them too, where more than the file is meant. `workspace`: a folder other than the shown packet's. */
export function placeLink(act: Act, sourceId: string, span: Lines, lines = true, workspace?: string): Described {
  const slash = sourceId.lastIndexOf('/') + 1;
  const { start_line, end_line } = span;
  const place = { source_id: sourceId, start_line, end_line, ...(workspace !== undefined && { workspace }) };
  return h(
    'button',
    {
      class: 'place',
      // The words that are seen are part of the name.
      'aria-label': shown(`Open ${sourceId}${lines ? `:${lineRange(span)}` : ''}`),
      attributes: { type: 'button', title: shown(sourceId) },
      on: {
        click: () => {
          act.send({ type: 'open', place, keepFocus: false });
        },
      },
    },
    h('span', { class: 'folder', attributes: { dir: 'ltr' } }, text(sourceId.slice(0, slash))),
    h('span', { class: 'file', attributes: { dir: 'ltr' } }, text(sourceId.slice(slash))),
    lines ? h('span', { class: 'lines' }, `:${lineRange(span)}`) : null,
  );
}

function keyOf(target: RefreshTarget): string {
  return `${target.source_id}:${target.start_line}-${target.end_line}:${target.reason}`;
}
