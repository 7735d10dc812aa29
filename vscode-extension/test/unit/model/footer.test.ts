import { describe, expect, it } from 'vitest';
import type { CheckAnswer, CheckFinding } from '../../../src/base/protocol';
import { footerOf, sentFacts, withoutFooters } from '../../../src/model/footer';
import { chatBody } from '../../../src/model/request';

const headers = {
  'x-helix-context': 'added',
  'x-helix-packet-id': '0123456789abcdef',
  'x-helix-verdicts': 'verified=5, stale_risk=1, needs_refresh=0',
};
const link = 'vscode://helix-context.helix-context/evidence/0123456789abcdef';
const finding = (reference: string, message: string): CheckFinding => ({
  line: 1,
  reference,
  kind: 'place',
  rule: 'line-missing',
  verdict: 'needs_refresh',
  reason: 'changed',
  message,
  now: null,
});
const check = (findings: readonly CheckFinding[], checked = 9): CheckAnswer => ({
  schema: 'helix.check/1',
  findings,
  checked,
  wrong: findings.length,
  unknown: 0,
  notes: [],
});
const visible = (footer: string): string => footer.replaceAll('\u2063', '').trim();

describe('the footer of an answer', () => {
  it('is one line with the verdicts and a link to the places', () => {
    const footer = footerOf(sentFacts(headers), link, check([]));
    expect(visible(footer)).toBe(
      `---\n✓ 5 verified · ~ 1 stale risk – [6 places that Helix sent](${link}) · 9 references checked`,
    );
  });

  it('lists what is wrong, each thing once and five at most', () => {
    const many = ['a', 'a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) =>
      finding(`${name}.py:9`, 'the file has 3 lines'),
    );
    const lines = visible(footerOf(sentFacts(headers), link, check(many))).split('\n');
    expect(lines[1]).toMatch(/⚠ 8 of 9 references are wrong:$/);
    expect(lines.slice(3)).toEqual([
      '- `a.py:9` – the file has 3 lines',
      '- `b.py:9` – the file has 3 lines',
      '- `c.py:9` – the file has 3 lines',
      '- `d.py:9` – the file has 3 lines',
      '- `e.py:9` – the file has 3 lines',
      '- and 2 more',
    ]);
  });

  it('says nothing of references where there are none, or where the check came too late', () => {
    for (const found of [check([], 0), undefined]) {
      expect(visible(footerOf(sentFacts(headers), link, found))).toMatch(/that Helix sent\]\([^)]*\)$/);
    }
  });

  it('does not let a finding write links or marks', () => {
    const footer = footerOf(sentFacts(headers), link, check([finding('`](command:x) [', '[x](http://y) \u2063')]));
    expect(footer).not.toContain('[x](http://y)');
    expect(footer.split('\u2063')).toHaveLength(3);
  });

  it.each([
    [{ ...headers, 'x-helix-context': 'none' }],
    [{ ...headers, 'x-helix-packet-id': '../../x' }],
    [{ ...headers, 'x-helix-verdicts': 'verified=0, stale_risk=0, needs_refresh=0' }],
    [{}],
  ])('is empty where no evidence was sent', (told) => {
    expect(footerOf(sentFacts(told), link, check([finding('a.py:1', 'x')]))).toBe('');
  });

  it('says in one line that what was asked is not here', () => {
    expect(visible(footerOf(sentFacts({ 'x-helix-context': 'empty' }), '', undefined))).toBe(
      '---\nHelix searched this workspace: what was asked is not here.',
    );
  });
});

describe('the history of a chat', () => {
  const said = 'It is signed in `sessions.py:12`.\n\n---\nA rule of the model’s own.';
  const footers = [
    footerOf(sentFacts(headers), link, check([finding('a.py:9', 'the file has 3 lines')])),
    footerOf(sentFacts({ 'x-helix-context': 'empty' }), '', undefined),
  ];

  it.each(footers)('goes to a model without our footer, byte for byte as the model wrote it', (footer) => {
    expect(withoutFooters(said + footer)).toBe(said);
    expect(withoutFooters(`${said}${footer}\n${said}${footer}`)).toBe(`${said}\n${said}`);
    const parts = [{ value: 'It is signed in ' }, { value: '`sessions.py:12`.\n\n---\nA rule of the model’s own.' }];
    const body = (more: object[]): string =>
      chatBody(
        'm',
        [
          { role: 1, content: [{ value: 'how?' }] },
          { role: 2, content: [...parts, ...more] },
          { role: 1, content: [{ value: 'and then?' }] },
        ],
        { mustCall: false },
        () => undefined,
      );
    expect(body([{ value: footer }])).toBe(body([]));
  });

  it('leaves what users write alone', () => {
    const text = `what is this?${footers[0] ?? ''}`;
    const body = chatBody('m', [{ role: 1, content: [{ value: text }] }], { mustCall: false }, () => undefined);
    expect(JSON.parse(body)).toMatchObject({ messages: [{ content: text }] });
  });
});
