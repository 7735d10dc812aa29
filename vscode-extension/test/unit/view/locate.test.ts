import { describe, expect, it } from 'vitest';
import { locate } from '../../../src/view/locate';

const quote = ['def decide():', '    return 1'];

describe('the lines of a buffer that hold what was quoted', () => {
  it('are the same while the buffer is as the disk was', () => {
    expect(locate(['', ...quote], { start_line: 2, end_line: 3 }, quote)).toEqual({ start_line: 2, end_line: 3 });
  });

  it('move with lines that were put in above or taken out', () => {
    expect(locate(['#', '#', '', ...quote], { start_line: 2, end_line: 3 }, quote)).toEqual({
      start_line: 4,
      end_line: 5,
    });
    expect(locate(quote, { start_line: 9, end_line: 10 }, quote)).toEqual({ start_line: 1, end_line: 2 });
  });

  it('are the nearest ones where the text stands twice', () => {
    const buffer = [...quote, '', '', '', '', ...quote];
    expect(locate(buffer, { start_line: 5, end_line: 6 }, quote).start_line).toBe(7);
    expect(locate(buffer, { start_line: 2, end_line: 3 }, quote).start_line).toBe(1);
  });

  it('are the span itself where the text is not there, cut at the end of the buffer', () => {
    expect(locate(['a', 'b'], { start_line: 2, end_line: 9 }, quote)).toEqual({ start_line: 2, end_line: 2 });
    expect(locate([''], { start_line: 40, end_line: 41 }, [])).toEqual({ start_line: 1, end_line: 1 });
  });

  it('are not found by blank lines alone', () => {
    expect(locate(['', '', 'x'], { start_line: 3, end_line: 3 }, ['', ''])).toEqual({ start_line: 3, end_line: 3 });
  });
});
