/**
 * The last lines of a model's answer in the chat: what Helix sent for it, and what in it is wrong on disk. They stand
 * between invisible marks, so that they can be removed before the chat goes to a model. Pure.
 */
import type { CheckAnswer, VerdictStatus } from '../base/protocol';
import { code, prose } from '../view/markdown';
import { count, groupNames, groups } from '../view/words';
import { marks } from '../chat/packetParts';

/** What the proxy said about the evidence of an answer. */
export interface SentFacts {
  readonly became: string;
  readonly packetId: string;
  readonly verdicts: Readonly<Record<VerdictStatus, number>>;
}

const begin = '\n\n---\n\u2063';
const end = '\u2063\n';
const mostFindings = 5;
const footers = new RegExp(`\\n*---\\n\u2063[^\u2063]*\u2063\\n?`, 'g');

/** The headers of an answer; a header that is missing or not understood says that nothing was sent. */
export function sentFacts(headers: Readonly<Record<string, unknown>>): SentFacts {
  const header = (name: string): string => {
    const value = headers[name];
    return typeof value === 'string' ? value : '';
  };
  const packetId = header('x-helix-packet-id');
  const counts = header('x-helix-verdicts');
  const counted = (status: VerdictStatus): number =>
    Number(new RegExp(`\\b${status}=(\\d{1,4})\\b`).exec(counts)?.[1] ?? 0);
  return {
    became: header('x-helix-context'),
    packetId: /^[0-9a-f]{16}$/.test(packetId) ? packetId : '',
    verdicts: {
      verified: counted('verified'),
      stale_risk: counted('stale_risk'),
      needs_refresh: counted('needs_refresh'),
    },
  };
}

/** The footer of an answer, empty where no evidence was sent. `link` leads to the places. */
export function footerOf(facts: SentFacts, link: string, check: CheckAnswer | undefined): string {
  if (facts.became === 'empty') {
    return `${begin}Helix searched this workspace: what was asked is not here.${end}`;
  }
  const places = groups.reduce((sum, status) => sum + facts.verdicts[status], 0);
  if (facts.became !== 'added' || facts.packetId === '' || places === 0) {
    return '';
  }
  const counts = groups
    .filter((status) => facts.verdicts[status] > 0)
    .map((status) => `${marks[status]} ${facts.verdicts[status]} ${groupNames[status].toLowerCase()}`)
    .join(' · ');
  const sent = `${counts} – [${count(places, 'place')} that Helix sent](${link})`;
  return `${begin}${sent}${check === undefined ? '' : references(check)}${end}`;
}

/** The text as its model wrote it. */
export function withoutFooters(text: string): string {
  return text.includes('\u2063') ? text.replace(footers, '') : text;
}

function references({ checked, findings, wrong }: CheckAnswer): string {
  if (checked === 0) {
    return '';
  }
  if (wrong === 0) {
    return ` · ${count(checked, 'reference')} checked`;
  }
  const lines = [...new Set(findings.map(({ reference, message }) => `- ${code(reference)} – ${prose(message)}`))];
  const more = lines.length - mostFindings + Math.max(wrong - findings.length, 0);
  const rest = more > 0 ? [`- and ${more} more`] : [];
  const head = ` · ⚠ ${wrong} of ${count(checked, 'reference')} ${wrong === 1 ? 'is' : 'are'} wrong:`;
  return `${head}\n\n${[...lines.slice(0, mostFindings), ...rest].join('\n')}\n`;
}
