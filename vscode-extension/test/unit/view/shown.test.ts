import { describe, expect, it } from 'vitest';
import { linesOf, piecesOf, shown } from '../../../src/view/shown';

describe('text of others', () => {
  it('stays as it is when every character can be seen', () => {
    for (const text of ['plan.py', 'Größe', 'ملف.py', '表.ts', '📒', '❤️', 'é']) expect(shown(text)).toBe(text);
  });

  it('has direction controls, zero widths, tags and controls as escapes, like the command line', () => {
    expect(shown('\u202egnp.exe')).toBe('\\u202egnp.exe');
    expect(shown('a\u2066b\u2069')).toBe('a\\u2066b\\u2069');
    expect(shown('a\u200bb\ufeff')).toBe('a\\u200bb\\ufeff');
    expect(shown('x\u{e0041}')).toBe('x\\U000e0041');
    expect(shown('\u0000\u001b[31m')).toBe('\\x00\\x1b[31m');
    expect(shown('one\ntwo\r\tthree')).toBe('one\\ntwo\\r\\tthree');
    expect(shown('\u115f\u3164\uffa0\u2800')).toBe('\\u115f\\u3164\\uffa0\\u2800');
    expect(shown('\ud800')).toBe('\\ud800');
  });

  it('keeps the characters it is told to keep', () => {
    expect(shown('\tif x:\u202e', '\t')).toBe('\tif x:\\u202e');
  });

  it('comes in pieces that tell escapes from text that only looks like one', () => {
    expect(piecesOf('\\u202e\u202ex')).toEqual([
      { text: '\\u202e', escaped: false },
      { text: '\\u202e', escaped: true },
      { text: 'x', escaped: false },
    ]);
    expect(piecesOf('')).toEqual([]);
  });

  it('is cut into lines, without the blank ones at the end', () => {
    expect(linesOf('\na\r\n\tb\n\n \n')).toEqual(['', 'a', '\tb']);
    expect(linesOf('')).toEqual([]);
    expect(linesOf('a\rb\r\nc\u2028d\fe\n')).toEqual(['a', 'b', 'c\u2028d\fe']);
  });
});
