/** What is said of a strand before and after it comes in, and what no log keeps of it. */
import { expect, test, vi } from 'vitest';

import type { StrandClaims, StrandImport } from '../../src/base/protocol';
import {
  changeLines,
  changesAnything,
  differenceWords,
  importedWords,
  keyWords,
  recipientsOf,
  secretOf,
  signerWords,
} from '../../src/memory/strandWords';

vi.mock('vscode', () => ({ LogLevel: { Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5 } }));
const { withoutSecrets } = await import('../../src/base/logger');

const signer = `dna-signer:${'a'.repeat(64)}`;
const code = '0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV-WXYZ';
const claims = (more: Partial<StrandClaims> = {}): StrandClaims => ({
  signer,
  trust: 'none',
  signer_label: '',
  opens_with: ['passphrase'],
  opens_with_own_key: false,
  size_bytes: 1000,
  ...more,
});
const preview = (more: Partial<StrandImport> = {}): StrandImport => ({
  added: { memory: 12, evidence: 12, op: 12 },
  known: 3,
  removed: 0,
  decided: 1,
  waits_for_review: 0,
  notes: [],
  ...more,
});

test('a signer is known by the key, and by a name only where the user gave it', () => {
  expect(signerWords(claims())).toBe(`Signed by ${signer}, whom you do not trust.`);
  expect(signerWords(claims({ trust: 'own' }))).toBe('Signed by you.');
  expect(signerWords(claims({ trust: 'trusted', signer_label: 'Ada\u202e' }))).toBe(
    'Signed by “Ada\\u202e”, whom you trust.',
  );
});

test('what is asked for is what opens the file', () => {
  expect(keyWords(claims())).toBe('Passphrase');
  expect(keyWords(claims({ opens_with: ['passphrase', 'recovery code', 'recipient'] }))).toBe(
    'Passphrase or recovery code',
  );
  expect(keyWords(claims({ opens_with_own_key: true }))).toBe('');
  expect(keyWords(claims({ opens_with: ['recipient'] }))).toBeUndefined();
});

test('a recovery code is one only where the file opens with one', () => {
  expect(secretOf(code, claims())).toEqual({ passphrase: code });
  expect(secretOf(code, claims({ opens_with: ['passphrase', 'recovery code'] }))).toEqual({ recovery_code: code });
  expect(secretOf('horse', claims({ opens_with: ['passphrase', 'recovery code'] }))).toEqual({ passphrase: 'horse' });
  expect(secretOf('horse', claims({ opens_with: ['recovery code'] }))).toEqual({ recovery_code: 'horse' });
});

test('recipients are keys, and what is none is named', () => {
  const key = `dna-recipient:${'0f'.repeat(32)}`;
  expect(recipientsOf(`${key}, ${key}`)).toEqual({ keys: [key, key] });
  expect(recipientsOf('ada').problem).toContain('ada is not a key');
  expect(recipientsOf(' ').problem).toContain('helix strand keys');
});

test('the difference is told in numbers, and memory by memory', () => {
  expect(differenceWords(preview())).toBe('12 new, 3 already here, 1 conflicting');
  expect(changesAnything(preview({ added: { memory: 0 }, decided: 0 }))).toBe(false);
  const changes = [
    { text: 'Deploys happen on Fridays', before: null, after: 'active' },
    { text: 'Deploys happen on Mondays', before: 'active', after: 'superseded' },
    { text: 'Nobody deploys', before: 'active', after: null },
  ];
  expect(changeLines(preview({ changes }))).toEqual([
    '+ Deploys happen on Fridays (active)',
    '~ Deploys happen on Mondays (active → superseded)',
    '- Nobody deploys (active)',
  ]);
  const many = Array.from({ length: 130 }, () => ({ text: 'x', before: null, after: 'active' }));
  expect(changeLines(preview({ changes: many })).at(-1)).toBe('and 30 more');
});

test('an import says what came and what waits', () => {
  expect(importedWords(preview({ added: { memory: 1 }, waits_for_review: 1, notes: ['one'] }))).toBe(
    'Imported 1 memory. It waits for your review. Note: one.',
  );
});

test('a log of messages has no passphrase and no recovery code', () => {
  const passphrase = 'with "quotes", \\ and } braces';
  const request = { command: 'helix.strand.export', arguments: [{ file: '/a.dna', passphrase, recovery: true }] };
  for (const indent of [undefined, 4]) {
    const text = `Params: ${JSON.stringify([request, { recovery_code: code }], undefined, indent)}`;
    const logged = withoutSecrets(text);
    expect(logged).not.toContain('quotes');
    expect(logged).not.toContain(code);
    expect(logged).toContain('/a.dna');
    expect(logged.replaceAll('"***"', '""')).toBe(
      text.replace(JSON.stringify(passphrase), '""').replace(JSON.stringify(code), '""'),
    );
  }
});
