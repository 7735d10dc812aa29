// A second reader agrees with the first one on the golden strands, so their specification is whole.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sodium from 'libsodium-wrappers-sumo';
import { beforeAll, expect, test } from 'vitest';
import { inspectStrand, readStrand, recoveryCode, RefusedStrand, type StrandKey } from '../../../sdk/src/strand.js';

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
const code = async (): Promise<StrandKey> => ({
  kind: 'recovery',
  code: await recoveryCode(expected.keys.recovery_code),
});
const trusted = new Set([expected.keys.signer]);

beforeAll(() => sodium.ready);

test('the fixtures are those that are expected', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.dna'));
  expect(files.sort()).toEqual(Object.keys(expected.files).sort());
});

test.each(Object.entries(expected.files))('%s is read as the first reader reads it', async (name, wanted) => {
  const strand = await readStrand(bytes(name), await code(), trusted);
  expect(strand.signer).toBe(expected.keys.signer);
  expect(strand.manifest).toMatchObject({
    root: wanted.root,
    label: wanted.label,
    created_at: expected.created_at,
    schema: 1,
  });
  const joined = strand.lines.map((line) => `${line}\n`).join('');
  expect(createHash('sha256').update(joined).digest('hex')).toBe(wanted.lines_sha256);
  expect(strand.lines).toHaveLength(wanted.records);
  if (wanted.lines.length > 0) expect(strand.lines).toEqual(wanted.lines);
  expect(strand.records).toEqual(strand.lines.map((line) => JSON.parse(line) as unknown));
});

test('each key opens it, and another one does not', async () => {
  const secret = sodium.from_hex(expected.keys.reader_x25519_secret);
  const keys: StrandKey[] = [
    { kind: 'passphrase', text: expected.keys.passphrase },
    await code(),
    { kind: 'x25519', secret },
  ];
  const read = async (key: StrandKey): Promise<string> =>
    (await readStrand(bytes('memories.dna'), key, trusted)).manifest.root;
  const roots = await Promise.all(keys.map(read));
  expect(new Set(roots)).toEqual(new Set([expected.files['memories.dna']?.root]));
  const decomposed = expected.keys.passphrase.normalize('NFD');
  expect(await read({ kind: 'passphrase', text: decomposed })).toBe(roots[0]);
  for (const wrong of [
    { kind: 'passphrase', text: 'a guess' },
    { kind: 'recovery', code: new Uint8Array(16) },
    { kind: 'x25519', secret: new Uint8Array(32).fill(7) },
  ] as const) {
    await expect(read(wrong)).rejects.toThrow(RefusedStrand);
  }
});

test('a flipped bit, a missing byte and one too many are refused', async () => {
  const whole = bytes('memories.dna');
  const key = await code();
  for (let place = 0; place < whole.length; place++) {
    const flipped = whole.slice();
    flipped[place] = (flipped[place] ?? 0) ^ (1 << (place % 8));
    await expect(readStrand(flipped, key, trusted), `byte ${place}`).rejects.toThrow(RefusedStrand);
  }
  for (let size = 0; size < whole.length; size += 7) {
    await expect(readStrand(whole.subarray(0, size), key, trusted)).rejects.toThrow(RefusedStrand);
  }
  await expect(readStrand(Uint8Array.of(...whole, 0), key, trusted)).rejects.toThrow(RefusedStrand);
});

test('who signed it is told without a key, and a signer who is not trusted is refused before any key is tried', async () => {
  const sealed = await inspectStrand(bytes('memories.dna'));
  expect(sealed).toMatchObject({ signer: expected.keys.signer, stanzas: ['passphrase', 'recovery', 'x25519'] });
  const wrong: StrandKey = { kind: 'recovery', code: new Uint8Array(16) };
  await expect(readStrand(bytes('memories.dna'), wrong, new Set())).rejects.toThrow('not trusted');
  await expect(readStrand(bytes('memories.dna'), wrong, 'anyone')).rejects.toThrow('key');
});
