/** Syntax colors of quotes: every character stays, as text, whatever the quote says. */
import { expect, test } from 'vitest';

import { highlighted } from '../../../src/view/page/highlight';

const kindsOf = (lines: string[], language: string): Record<string, string> =>
  Object.fromEntries(
    highlighted(lines, language)
      .flat()
      .filter(({ kind }) => kind)
      .map(({ kind, text }) => [text, kind]),
  );

test('keywords, strings, numbers and comments have their kinds', () => {
  const kinds = kindsOf(['def sign(key, n=42):', '    # why', '    return "a" + key'], 'python');
  expect(kinds).toMatchObject({ def: 'keyword', sign: 'title', '42': 'number', '# why': 'comment', '"a"': 'string' });
  expect(kindsOf(['port = 8700'], 'toml')).toMatchObject({ '8700': 'number' });
  expect(kindsOf(['const x: number = 1;'], 'tsx')).toMatchObject({ const: 'keyword' });
});

test('a text of many lines keeps its kind on each of them', () => {
  const lines = highlighted(['"""One', 'two"""', 'x = 1'], 'python');
  expect(lines.map((line) => line[0]?.kind)).toEqual(['string', 'string', '']);
});

test.each([
  ['python', ['s = "<script>alert(1)</script> &amp; &#x27; &lt;"', "t = '</span>'"]],
  ['html', ['<img src=x onerror="alert(1)"> <span class="hljs-keyword">x</span>']],
  ['markdown', ['# <b>x</b> `a` **b**', '', '\tindented']],
  ['json', ['{"a": "\u202eb", "c": 1}']],
  ['rust', ['fn a<\'b>(x: &\'b str) -> Vec<u8> { r#"<"# }']],
  ['constructor', ['x']],
  ['klingon', ['<b>']],
  ['python', ['x'.repeat(20_000)]],
])('every character of %s stays as it is', (language, lines) => {
  const found = highlighted(lines, language);
  expect(found.map((line) => line.map(({ text }) => text).join(''))).toEqual(lines);
});
