/** Which references of a text are wrong on disk, as an answer in the chat. Pure. */
import type { CheckAnswer } from '../base/protocol';
import { code, prose } from '../view/markdown';
import { count } from '../view/words';
import { place, text, type ChatPart } from './parts';

export function checkParts({ checked, findings, wrong, unknown, notes }: CheckAnswer): ChatPart[] {
  const left = unknown === 0 ? '' : ` ${count(unknown, 'other')} cannot be compared with this workspace.`;
  if (checked === 0) {
    return [text(`Nothing in it names a place, a path, a symbol or a quote of this workspace.${left}\n\n`)];
  }
  const head =
    wrong === 0
      ? `✓ **${count(checked, 'reference')} checked**, none wrong.${left}\n\n`
      : `⚠ **${wrong} of ${count(checked, 'reference')} ${wrong === 1 ? 'is' : 'are'} wrong.**${left}\n\n`;
  const rows = findings.flatMap(({ reference, message, now }) => [
    text(`- ${code(reference)} – ${prose(message)}${now ? ' → ' : ''}`),
    ...(now ? [place({ source_id: now.source_id, start_line: now.start_line, end_line: now.start_line })] : []),
    text('\n'),
  ]);
  const told = notes.length === 0 ? [] : [text(`\n${notes.map((note) => `- ${prose(note)}`).join('\n')}\n\n`)];
  return [text(head), ...rows, ...told];
}
