import { describe, expect, it } from 'vitest';
import { itemMarkdown, packetMarkdown } from '../../../src/view/markdown';
import { item, packet, remembered } from './packets';

const now = 1_000 + 3 * 86_400;

describe('a packet as Markdown', () => {
  it('says what was asked, each verdict with its reason, where it comes from, and what stands there', () => {
    const stale = item({
      source_id: 'docs/plan.md',
      title: 'plan.md',
      language: 'markdown',
      symbol: '',
      status: 'stale_risk',
      reason: 'outdated_doc',
      detail: 'decide',
    });
    expect(packetMarkdown(packet([item(), stale]), now)).toBe(`# how is it decided

task edit · confidence 0.81 (very likely the right place, right about 8 times in 10) · HEAD \`01234567\` · 41 ms

## ✓ Verified – true on disk right now

### \`core/plan.py:12-14\` \`decide\`

✓ verified: unchanged since it was indexed · file last changed \`01234567\`, Ledger Team, 3 days ago

\`\`\`python
def decide():
    return 1
\`\`\`

## ~ Stale risk – may mislead, look before you rely on it

### \`docs/plan.md:12-14\`

~ stale risk: describes code that changed after it was written (decide) · file last changed \`01234567\`, Ledger Team, 3 days ago

\`\`\`markdown
def decide():
    return 1
\`\`\`
`);
  });

  it('has the plan, the contradictions and the notes', () => {
    const text = packetMarkdown(
      packet([], {
        refresh_targets: [
          { target_kind: 'code', source_id: 'a.py', start_line: 1, end_line: 1, reason: 'changed', priority: 1 },
        ],
        contradictions: [
          {
            key: 'port',
            fresher: { source_id: 'a.toml', line: 2, value: '8700', value_type: 'integer' },
            older: { source_id: 'a.md', line: 9, value: '8000', value_type: 'integer' },
          },
          {
            key: 'host',
            fresher: { source_id: 'a.toml', line: 3, value: 'a', value_type: 'string' },
            older: { source_id: 'a.md', line: 8, value: 'b', value_type: 'string' },
            order_known: false,
          },
        ],
        notes: ['git was slow'],
      }),
      now,
    );
    expect(text).toContain('- [ ] `a.py:1` – changed on disk since it was indexed');
    expect(text).toContain('- `port`: `8700` in `a.toml:2` (fresher), `8000` in `a.md:9` (older)');
    expect(text).toContain('- `host`: `a` in `a.toml:3`, `b` in `a.md:8` (which changed last is not known)');
    expect(text).toContain('- git was slow');
  });

  it('has what was remembered, with its verdict, its source and what it cites', () => {
    const text = packetMarkdown(packet([], { memories: [remembered] }), now);
    expect(text).toContain('## Remembered\n\n- ~ We \\*never\\* retry (decision, by user, cites `a.py:3-9`; ');
    expect(packetMarkdown(packet([]), now)).not.toContain('Remembered');
  });

  it('says that nothing was found, in what, and what comes near', () => {
    const text = packetMarkdown(packet([], { nearest: ['decide'] }), now);
    expect(text).toContain('Nothing here answers that. Searched 1,234 items of 56 files.\n\nNearest: `decide`');
    expect(text).not.toContain('confidence');
  });

  it('cannot be broken out of by what it quotes', () => {
    const text = itemMarkdown(
      item({
        source_id: 'a`b.md',
        symbol: '`x',
        author: '![](http://x) <img>',
        language: 'x y',
        quote: '```\n````js\n\u202e\n',
      }),
      now,
    );
    expect(text).toContain('``a`b.md:12-14`` `` `x ``');
    expect(text).toContain('\\!\\[\\](http://x) \\<img\\>');
    expect(text).toContain('`````\n```\n````js\n\\u202e\n`````');
  });

  it('points to where the item stands now', () => {
    expect(itemMarkdown({ ...item(), now: { start_line: 20, end_line: 22 } }, now)).toContain('core/plan.py:20-22');
  });
});
