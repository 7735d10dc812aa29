/**
 * The syntax of a quote as classes and plain text, by highlight.js. What it gives is read back as tokens: no markup of
 * it, nor of a quote, reaches the page. A long or unknown text stays in one color.
 */
import highlighter from 'highlight.js/lib/core';
import type { LanguageFn } from 'highlight.js';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import scala from 'highlight.js/lib/languages/scala';
import scss from 'highlight.js/lib/languages/scss';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

export interface Token {
  /** One of the few kinds that the style sheet has a color for, or empty. */
  readonly kind: string;
  readonly text: string;
}

// By the names that the index has for languages.
const grammars: Readonly<Record<string, LanguageFn>> = {
  ...{ bash, c, cpp, csharp, css, dockerfile, go, ini, java, javascript, json, kotlin, lua, makefile, markdown, php },
  ...{ python, ruby, rust, scala, scss, sql, swift, typescript, xml, yaml },
};
const sameAs: Readonly<Record<string, string>> = {
  html: 'xml',
  vue: 'xml',
  svelte: 'xml',
  toml: 'ini',
  env: 'ini',
  make: 'makefile',
  tsx: 'typescript',
  jsx: 'javascript',
  shell: 'bash',
};
const kinds: Readonly<Record<string, string>> = {
  keyword: 'keyword',
  'selector-tag': 'keyword',
  tag: 'keyword',
  name: 'keyword',
  string: 'string',
  regexp: 'string',
  char: 'string',
  number: 'number',
  literal: 'literal',
  built_in: 'literal',
  type: 'literal',
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
  title: 'title',
  section: 'title',
};
const longest = 12_000;
const longestLine = 600;
const known = new Set<string>();

/** The lines of a quote as tokens; one plain token a line where its language is unknown or it is too long. */
export function highlighted(lines: readonly string[], language: string): Token[][] {
  const name = sameAs[language] ?? language;
  const grammar = Object.hasOwn(grammars, name) ? grammars[name] : undefined;
  const source = lines.join('\n');
  if (!grammar || source.length > longest || lines.some((line) => line.length > longestLine)) {
    return lines.map((line) => [{ kind: '', text: line }]);
  }
  if (!known.has(name)) {
    highlighter.registerLanguage(name, grammar);
    known.add(name);
  }
  const { value } = highlighter.highlight(source, { language: name, ignoreIllegals: true });
  const found = tokenLines(value);
  // Not one character of a quote is the highlighter's to change.
  const same = found.length === lines.length && found.every((line, at) => textOf(line) === lines[at]);
  return same ? found : lines.map((line) => [{ kind: '', text: line }]);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/** Reads `<span class="hljs-kind">text</span>`, which may be nested and go over lines. */
function tokenLines(markup: string): Token[][] {
  const lines: Token[][] = [[]];
  const open: string[] = [];
  for (const [piece, classes] of markup.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (classes !== undefined) {
      const own = /hljs-([\w-]+)/.exec(classes)?.[1] ?? '';
      open.push(kinds[own] ?? open.at(-1) ?? '');
    } else if (piece === '</span>') {
      open.pop();
    } else {
      const text = piece.replace(/&(amp|lt|gt|quot|#x27);/g, (whole, name: string) => entities[name] ?? whole);
      for (const [at, line] of text.split('\n').entries()) {
        if (at > 0) lines.push([]);
        if (line !== '') lines.at(-1)?.push({ kind: open.at(-1) ?? '', text: line });
      }
    }
  }
  return lines;
}

function textOf(line: readonly Token[]): string {
  return line.map(({ text }) => text).join('');
}
