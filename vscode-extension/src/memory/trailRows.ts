/** The rows of “Where Was I?”: the places opened last, what became of each since, and past moments like now. Pure. */
import type { TrailAnswer, TrailPlace } from '../base/protocol';
import { shown } from '../view/shown';
import { ago, count, lineRange, reasonWords, verdictSigns } from '../view/words';
import { placeOf } from './memoryList';

/** A place and the workspace folder that it is in. */
export interface TrailPlaceRow {
  readonly kind: 'place';
  readonly label: string;
  readonly description: string;
  /** What changed there since it was looked at; empty where nothing did. */
  readonly detail: string;
  readonly place: TrailPlace;
}

/** `separator`: a line between places. `message`: a sentence. `consent`: turns the recording on. */
export type TrailRow = TrailPlaceRow | { readonly kind: 'separator' | 'message' | 'consent'; readonly label: string };

/** The last places, then the places of each past moment; a sentence where there is none. */
export function trailRows(answer: TrailAnswer, nowSeconds: number): TrailRow[] {
  const rowOf = (place: TrailPlace): TrailRow => placeRow(place, nowSeconds);
  const last: TrailRow[] = [separator('Opened last'), ...answer.last.map(rowOf)];
  const moments = answer.moments.flatMap(({ at, places }): TrailRow[] => [
    separator(`A moment like now, ${ago(at, nowSeconds)}`),
    ...places.map(rowOf),
  ]);
  const consent: TrailRow[] = answer.recording
    ? []
    : [separator('Recording is off'), { kind: 'consent', label: '$(record) Record which files I open' }];
  if (answer.last.length === 0) {
    return [{ kind: 'message', label: '$(circle-slash) No place was opened since recording began' }, ...consent];
  }
  return [...last, ...moments, ...consent];
}

/**
 * What a folder that is opened says: where one was last before `began`, and how many of those places changed. Undefined
 * where nothing is recorded, or nothing was before.
 */
export function openingText(answer: TrailAnswer, began: number, now: number): string | undefined {
  const before = answer.last.filter(({ at }) => at < began);
  const [last] = before;
  if (!answer.recording || !last) return undefined;
  const where = isWholeFile(last) ? shown(last.source_id) : placeOf(last);
  const changed = before.filter((place) => changeSince(place, now) !== '').length;
  const since = changed > 0 ? ` ${changed} of ${count(before.length, 'place')} changed since.` : '';
  // A path that reads as a link of Markdown is none.
  return `Helix: you were last at ${where}, ${ago(last.at, now)}.${since}`.replaceAll('](', ']\u200b(');
}

/** The file with no lines looked at: the editor knows best where the caret was. */
export function isWholeFile({ was, symbol }: TrailPlace): boolean {
  return symbol === null && was.start_line <= 1;
}

function placeRow(place: TrailPlace, nowSeconds: number): TrailPlaceRow {
  const file = place.source_id.split('/').at(-1) ?? place.source_id;
  const where = isWholeFile(place) ? shown(place.source_id) : placeOf(place);
  return {
    kind: 'place',
    label: withoutIcons(`${verdictSigns[place.status]} ${shown(place.symbol ?? file)}`),
    description: withoutIcons(`${where} · ${ago(place.at, nowSeconds)}`),
    detail: withoutIcons(changeSince(place, nowSeconds)),
    place,
  };
}

/** What became of the lines since they were looked at: `Changed on disk`, `Was at 3–9`; empty for nothing. */
export function changeSince(place: TrailPlace, nowSeconds: number): string {
  const { was, status, reason, detail, commit } = place;
  const hasMoved = was.start_line !== place.start_line || (was.end_line !== place.end_line && !isWholeFile(place));
  const parts = [
    ...(status === 'verified' ? [] : [[reasonWords(reason, 'opened'), ...(detail ? [shown(detail)] : [])].join(': ')]),
    ...(hasMoved && was.start_line > 0 ? [`was at ${lineRange(was)}`] : []),
    ...(commit ? [`committed ${ago(commit.committed_at, nowSeconds)} by ${shown(commit.author)}`] : []),
  ];
  const said = parts.join(', ');
  return said.charAt(0).toUpperCase() + said.slice(1);
}

function separator(label: string): TrailRow {
  return { kind: 'separator', label };
}

/** A name that happens to read `$(x)` is not drawn as an icon. */
function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
}
