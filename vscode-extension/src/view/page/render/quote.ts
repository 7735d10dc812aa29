/** The text at a pointer: whole lines with their numbers, in the colors of their language. */

import { lineEnd, linesOf } from '../../shown';
import { count } from '../../words';
import type { LiveItem } from '../../verdicts';
import { h, text, type Child, type Described } from '../dom';
import { highlighted, type Token } from '../highlight';
import { textButton } from './button';

const fewLines = 24;
const longestLine = 2_000;

export interface QuoteProps {
  readonly item: LiveItem;
  readonly whole: boolean;
  readonly tabbable: boolean;
  readonly showWhole: () => void;
}

export function quote({ item, whole, tabbable, showWhole }: QuoteProps): Described {
  const lines = linesOf(item.quote);
  if (lines.length === 0) return h('p', { class: 'aside' }, 'Nothing could be read here.');
  const visible = whole || lines.length <= fewLines + 4 ? lines : lines.slice(0, fewLines);
  const hidden = lines.length - visible.length;
  const tokens = highlighted(visible, item.language);
  const missing = item.end_line - item.start_line + 1 - lines.length;
  return h(
    'div',
    { class: 'quote-box' },
    h(
      'div',
      { class: 'quote', 'aria-label': 'Quote', attributes: { role: 'region', tabindex: 0 } },
      h(
        'div',
        { class: 'quote-lines' },
        visible.map((line, index) =>
          h(
            'div',
            { class: 'quote-line' },
            h('span', { class: 'number', 'aria-hidden': true, 'data-number': item.start_line + index }),
            h('code', {}, colored(tokens[index] ?? [], line), line.length > longestLine ? ' …' : null),
          ),
        ),
      ),
    ),
    hidden > 0
      ? textButton({ label: `Show ${count(hidden, 'more line')}`, tabbable, press: showWhole, class: 'more' })
      : missing > 0 && hidden === 0 && blankless(item, lines.length)
        ? h('p', { class: 'aside' }, `${count(missing, 'more line')} in the file`)
        : null,
  );
}

/** The tokens of a line; a line too long for them is cut. */
function colored(tokens: readonly Token[], line: string): Child {
  if (line.length > longestLine) return text(line.slice(0, longestLine), '\t');
  return tokens.map((one) =>
    one.kind ? h('span', { class: `t-${one.kind}` }, text(one.text, '\t')) : text(one.text, '\t'),
  );
}

/** Lines are missing because the quote was cut, not because the span ends in blank lines. */
function blankless(item: LiveItem, lines: number): boolean {
  return item.quote.split(lineEnd).length - 1 <= lines;
}
