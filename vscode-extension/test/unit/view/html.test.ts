import { describe, expect, it } from 'vitest';
import { pageHtml } from '../../../src/view/html';

const html = pageHtml({
  title: 'Context Packet',
  script: 'https://x/view.js',
  style: 'https://x/view.css?a&b',
  cspSource: 'https://x',
  nonce: 'n0',
});

describe('the page of the packet view', () => {
  it('may run its one script and its one style sheet, and load nothing else', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    expect(policy?.split('; ')).toEqual([
      "default-src 'none'",
      'style-src https://x',
      "script-src 'nonce-n0'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(html).toContain('<script nonce="n0" src="https://x/view.js"></script>');
  });

  it('has no inline script, style or handler', () => {
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/);
  });

  it('cannot be broken out of by an address', () => {
    expect(pageHtml({ title: '"><b>', script: '"><b>', style: '', cspSource: '', nonce: '' })).not.toContain('"><b>');
    expect(html).toContain('view.css?a&amp;b');
  });
});
