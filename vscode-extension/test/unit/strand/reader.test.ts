// A second reader agrees with the first one on the golden strands, so their specification is whole.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sodium from 'libsodium-wrappers-sumo';
import { beforeAll, expect, test } from 'vitest';
import { readStrand, recoveryCode, RefusedStrand, type StrandKey } from './reader';

const folder = join(import.meta.dirname, '../../../../fixtures/strands');
interface Expected {
  sha256: string;
  label: string;
  root: string;
  records: number;
  lines_sha256: string;
  lines: string[];
}
const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as {
  created_at: number;
  keys: { passphrase: string; recovery_code: string; reader_x25519_secret: string; signer: string };
  files: Record<string, Expected>;
};
const bytes = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder, name)));
const code = (): StrandKey => ({ kind: 'recovery', code: recoveryCode(expected.keys.recovery_code) });

beforeAll(() => sodium.ready);

test('the fixtures are those that are expected', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.dna'));
  expect(files.sort()).toEqual(Object.keys(expected.files).sort());
});

test.each(Object.entries(expected.files))('%s is read as the first reader reads it', (name, wanted) => {
  const strand = readStrand(bytes(name), code());
  expect(`dna-signer:${strand.signer}`).toBe(expected.keys.signer);
  expect(strand.root).toBe(wanted.root);
  expect(strand.manifest).toMatchObject({ label: wanted.label, created_at: expected.created_at, schema: 1 });
  const joined = strand.lines.map((line) => `${line}\n`).join('');
  expect(createHash('sha256').update(joined).digest('hex')).toBe(wanted.lines_sha256);
  expect(strand.lines).toHaveLength(wanted.records);
  if (wanted.lines.length > 0) expect(strand.lines).toEqual(wanted.lines);
});

test('each key opens it, and another one does not', () => {
  const secret = sodium.from_hex(expected.keys.reader_x25519_secret);
  const keys: StrandKey[] = [
    { kind: 'passphrase', text: expected.keys.passphrase },
    code(),
    { kind: 'x25519', secret },
  ];
  const roots = keys.map((key) => readStrand(bytes('memories.dna'), key).root);
  expect(new Set(roots)).toEqual(new Set([expected.files['memories.dna']?.root]));
  const decomposed = expected.keys.passphrase.normalize('NFD');
  expect(readStrand(bytes('memories.dna'), { kind: 'passphrase', text: decomposed }).root).toBe(roots[0]);
  for (const wrong of [
    { kind: 'passphrase', text: 'a guess' },
    { kind: 'recovery', code: new Uint8Array(16) },
    { kind: 'x25519', secret: new Uint8Array(32).fill(7) },
  ] as const) {
    expect(() => readStrand(bytes('memories.dna'), wrong)).toThrow(RefusedStrand);
  }
});

test('a flipped bit, a missing byte and one too many are refused', () => {
  const whole = bytes('memories.dna');
  const key = code();
  for (let place = 0; place < whole.length; place++) {
    const flipped = whole.slice();
    flipped[place] = (flipped[place] ?? 0) ^ (1 << (place % 8));
    expect(() => readStrand(flipped, key), `byte ${place}`).toThrow(RefusedStrand);
  }
  for (let size = 0; size < whole.length; size += 7) {
    expect(() => readStrand(whole.subarray(0, size), key)).toThrow(RefusedStrand);
  }
  expect(() => readStrand(Uint8Array.of(...whole, 0), key)).toThrow(RefusedStrand);
});
