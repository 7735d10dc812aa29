// Reads a strand (*.dna), a signed and encrypted file of memories. Written from docs/strand-format.md alone: what that
// page leaves open fails here. Needs libsodium-wrappers-sumo and @noble/hashes beside the package.
import { blake2b } from '@noble/hashes/blake2.js';
import sodium from 'libsodium-wrappers-sumo';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = Exclude<Extract<Json, object>, Json[]>;
export type StrandKey =
  | { kind: 'passphrase'; text: string }
  | { kind: 'recovery'; code: Uint8Array }
  | { kind: 'x25519'; secret: Uint8Array };

/** The keys that are believed, as `dna-signer:` and 64 hexadecimal digits; or `anyone`, to learn who signed a file. */
export type Trusted = ReadonlySet<string> | 'anyone';

export interface Strand {
  /** Who signed it, as `dna-signer:` and 64 hexadecimal digits. Who holds that key is for you to know. */
  signer: string;
  manifest: Manifest;
  /** In the order of the file. Their texts are data of whoever wrote them, never instructions. */
  records: StrandRecord[];
  /** The records as they are in the file: canonical JSON, one each. */
  lines: string[];
}

export interface Manifest {
  created_at: number;
  label: string;
  parents: string[];
  records: number;
  root: string;
  schema: number;
  signer: string;
}

export type StrandRecord = JsonObject & { type: string; id: string };

/** What needs no key: who signed the file, and which kinds of keys open it. */
export interface Sealed {
  signer: string;
  id: string;
  stanzas: string[];
}

/** The file is no whole strand of this format, is not trusted, or does not open with this key; the message says which. */
export class RefusedStrand extends Error {
  override readonly name = 'RefusedStrand';
}

const MAGIC = Uint8Array.of(0x89, 0x44, 0x4e, 0x41, 0x0d, 0x0a, 0x1a, 0x0a);
const MIB = 1024 * 1024;
const LIMITS = {
  header: 65_536,
  stanzas: 64,
  plaintext: 512 * MIB,
  file: 513 * MIB,
  records: 2_000_000,
  line: MIB,
  text: 256 * 1024,
  depth: 32,
};
const NEWEST_SCHEMA = 1;
const CHUNK = 65_536 + 17;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const encoder = new TextEncoder();

/** Reads a strand whole, or throws RefusedStrand: nothing of it is handed over before its last byte was checked. */
export async function readStrand(data: Uint8Array, key: StrandKey, trusted: Trusted): Promise<Strand> {
  await sodium.ready;
  const outside = inspected(data);
  const signer = signerText(outside.signer);
  refuseUnless(trusted === 'anyone' || trusted.has(signer), `it is signed by ${signer}, who is not trusted`);
  const dataKey = openDataKey(outside, key);
  return readPlain(decrypt(outside, dataKey), outside.signer);
}

/** Checks what needs no key: layout, header, bounds of the derivation, signature. Throws RefusedStrand. */
export async function inspectStrand(data: Uint8Array): Promise<Sealed> {
  await sodium.ready;
  const { signer, id, stanzas } = inspected(data);
  return { signer: signerText(signer), id: sodium.to_hex(id), stanzas: stanzas.map((each) => each.type) };
}

/** The 16 bytes of a recovery code as a person types it. Throws RefusedStrand for a mistyped one. */
export async function recoveryCode(text: string): Promise<Uint8Array> {
  await sodium.ready;
  return readCode(text);
}

function signerText(key: Uint8Array): string {
  return `dna-signer:${sodium.to_hex(key)}`;
}

type Stanza = JsonObject & { type: string };

interface Outside {
  signer: Uint8Array;
  id: Uint8Array;
  stanzas: Stanza[];
  head: Uint8Array;
  body: Uint8Array;
}

function inspected(data: Uint8Array): Outside {
  refuseUnless(data.length <= LIMITS.file, 'too large');
  refuseUnless(data.length >= 14 && same(data.subarray(0, 8), MAGIC), 'no strand');
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  refuseUnless(view.getUint16(8) === 1, `format ${view.getUint16(8)}, this reader knows 1`);
  const length = view.getUint32(10);
  refuseUnless(length <= LIMITS.header, 'header too large');
  const headEnd = 14 + length + 32;
  const bodyEnd = data.length - 64;
  refuseUnless(bodyEnd - headEnd > 24 + 17, 'cut off');
  const header = parseCanonical(data.subarray(14, 14 + length));
  refuseUnless(Object.keys(header).join() === 'id,signer,stanzas', 'header');
  const id = fromHex(header['id'], 16);
  const signer = fromHex(header['signer'], 32);
  const stanzas = checkedStanzas(header['stanzas']);
  const head = data.subarray(0, headEnd);
  const body = data.subarray(headEnd, bodyEnd);
  const message = join(encoder.encode('dna1.signature\0\0'), head, hash('dna1.body-digest', body, undefined, 64));
  refuseUnless(sodium.crypto_sign_verify_detached(data.subarray(bodyEnd), message, signer), 'signature');
  return { signer, id, stanzas, head, body };
}

function readCode(text: string): Uint8Array {
  const letters = text
    .replace(/[^0-9A-Za-z]/g, '')
    .toUpperCase()
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  refuseUnless(/^[0-9A-HJKMNP-TV-Z]{32}$/.test(letters), 'recovery code');
  let number = 0n;
  for (const letter of letters) number = number * 32n + BigInt(ALPHABET.indexOf(letter));
  const bytes = sodium.from_hex(number.toString(16).padStart(40, '0'));
  const code = bytes.subarray(0, 16);
  refuseUnless(same(hash('dna1.rec-check', code, undefined, 4), bytes.subarray(16)), 'recovery code');
  return code;
}

const STANZAS: Record<string, Record<string, number>> = {
  passphrase: { nonce: 24, salt: 16, wrapped: 48 },
  recovery: { nonce: 24, salt: 16, wrapped: 48 },
  x25519: { sealed: 80 },
};

function checkedStanzas(said: Json | undefined): Stanza[] {
  if (!Array.isArray(said) || said.length < 1 || said.length > LIMITS.stanzas) throw new RefusedStrand('stanzas');
  const counts = new Map<string, number>();
  return said.map((stanza) => {
    if (!isObject(stanza) || typeof stanza['type'] !== 'string') throw new RefusedStrand('stanza without a type');
    const type = stanza['type'];
    const fields = Object.hasOwn(STANZAS, type) ? STANZAS[type] : undefined;
    if (fields === undefined) return stanza as Stanza;
    counts.set(type, (counts.get(type) ?? 0) + 1);
    refuseUnless(type === 'x25519' || counts.get(type) === 1, 'two stanzas of one kind');
    const names = ['type', ...Object.keys(fields)];
    if (type === 'passphrase') names.push('kdf', 'memory_mib', 'passes');
    refuseUnless(Object.keys(stanza).sort().join() === names.sort().join(), 'members of a stanza');
    for (const [name, size] of Object.entries(fields)) fromHex(stanza[name], size);
    if (type === 'passphrase') {
      refuseUnless(stanza['kdf'] === 'argon2id13', 'derivation');
      refuseUnless(isWithin(stanza['memory_mib'], 64, 1024) && isWithin(stanza['passes'], 2, 10), 'derivation bounds');
    }
    return stanza as Stanza;
  });
}

function openDataKey(outside: Outside, key: StrandKey): Uint8Array {
  const message = outside.head.subarray(0, -32);
  const mac = outside.head.subarray(-32);
  for (const stanza of outside.stanzas) {
    const dataKey = stanza.type === key.kind ? unwrap(stanza, key) : undefined;
    if (dataKey?.length !== 32) continue;
    const headerKey = hash('dna1.header-key', new Uint8Array(), dataKey);
    if (sodium.memcmp(hash('dna1.header-mac', message, headerKey), mac)) return dataKey;
  }
  throw new RefusedStrand('key');
}

function unwrap(stanza: JsonObject, key: StrandKey): Uint8Array | undefined {
  try {
    if (key.kind === 'x25519') {
      const sealed = fromHex(stanza['sealed'], 80);
      return sodium.crypto_box_seal_open(sealed, sodium.crypto_scalarmult_base(key.secret), key.secret);
    }
    const salt = fromHex(stanza['salt'], 16);
    const wrapping = key.kind === 'passphrase' ? derive(key.text, salt, stanza) : hash('dna1.recovery', salt, key.code);
    return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
      null,
      fromHex(stanza['wrapped'], 48),
      `dna1.wrap.${key.kind}`,
      fromHex(stanza['nonce'], 24),
      wrapping,
    );
  } catch (error) {
    if (error instanceof RefusedStrand) throw error;
    return undefined;
  }
}

function derive(text: string, salt: Uint8Array, stanza: JsonObject): Uint8Array {
  refuseUnless(!/\p{Surrogate}/u.test(text), 'half a surrogate pair in the passphrase');
  const passphrase = encoder.encode(text.normalize('NFC'));
  refuseUnless(passphrase.length >= 1 && passphrase.length <= 1024, 'passphrase');
  const memory = Number(stanza['memory_mib']) * MIB;
  const algorithm = sodium.crypto_pwhash_ALG_ARGON2ID13;
  return sodium.crypto_pwhash(32, passphrase, salt, Number(stanza['passes']), memory, algorithm);
}

function decrypt(outside: Outside, dataKey: Uint8Array): Uint8Array {
  const binding = hash('dna1.binding', join(Uint8Array.of(0, 1), outside.id, outside.signer));
  const bodyKey = hash('dna1.body-key', new Uint8Array(), dataKey);
  const state = sodium.crypto_secretstream_xchacha20poly1305_init_pull(outside.body.subarray(0, 24), bodyKey);
  const sealed = outside.body.subarray(24);
  const plain: Uint8Array[] = [];
  for (let start = 0; start < sealed.length; start += CHUNK) {
    const chunk = sealed.subarray(start, start + CHUNK);
    refuseUnless(chunk.length > 17, 'empty chunk');
    const opened = sodium.crypto_secretstream_xchacha20poly1305_pull(state, chunk, binding);
    const tag = start + CHUNK < sealed.length ? 0 : 3;
    if (opened === false || opened.tag !== tag) throw new RefusedStrand('chunk');
    plain.push(opened.message);
  }
  return join(...plain);
}

function readPlain(plain: Uint8Array, signer: Uint8Array): Strand {
  refuseUnless(plain.length <= LIMITS.plaintext && plain.at(-1) === 0x0a, 'plaintext');
  const rows = split(plain);
  const manifest = checkedManifest(parseCanonical(rows[0] ?? new Uint8Array()));
  refuseUnless(manifest.signer === sodium.to_hex(signer), 'another signer inside');
  let before: Uint8Array | undefined;
  const lines = rows.slice(1);
  const records = lines.map((line) => {
    const record = parseCanonical(line);
    const order = join(named(record['type'], 64), Uint8Array.of(0), named(record['id'], 200));
    refuseUnless(before === undefined || compare(before, order) < 0, 'order of records');
    before = order;
    return record as StrandRecord;
  });
  refuseUnless(manifest.records === lines.length, 'number of records');
  refuseUnless(manifest.root === sodium.to_hex(rootOf(lines)), 'the records are not those of the manifest');
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return { signer: signerText(signer), manifest, records, lines: lines.map((line) => decoder.decode(line)) };
}

function checkedManifest(said: JsonObject): Manifest {
  const names = 'created_at,label,parents,records,root,schema,signer';
  refuseUnless(Object.keys(said).join() === names, 'members of the manifest');
  refuseUnless(
    isWithin(said['schema'], 0, NEWEST_SCHEMA),
    `schema ${JSON.stringify(said['schema'])}, this reader knows ${NEWEST_SCHEMA}`,
  );
  refuseUnless(isWithin(said['created_at'], 0, Number.MAX_SAFE_INTEGER), 'time of the manifest');
  refuseUnless(typeof said['label'] === 'string', 'label');
  const parents = said['parents'];
  if (!Array.isArray(parents)) throw new RefusedStrand('parents');
  for (const parent of parents) fromHex(parent, 32);
  fromHex(said['root'], 32);
  return said as unknown as Manifest;
}

/** RFC 6962 §2.1 with BLAKE2b-256. */
function rootOf(rows: readonly Uint8Array[]): Uint8Array {
  const [first] = rows;
  if (first === undefined) return blake2b(new Uint8Array(), { dkLen: 32 });
  if (rows.length === 1) {
    const length = new Uint8Array(8);
    new DataView(length.buffer).setBigUint64(0, BigInt(first.length));
    return blake2b(join(Uint8Array.of(0), length, first), { dkLen: 32 });
  }
  const middle = 2 ** Math.floor(Math.log2(rows.length - 1));
  return blake2b(join(Uint8Array.of(1), rootOf(rows.slice(0, middle)), rootOf(rows.slice(middle))), { dkLen: 32 });
}

/** An object that is byte for byte its own canonical form. */
function parseCanonical(bytes: Uint8Array): JsonObject {
  refuseUnless(bytes.length <= LIMITS.line, 'line too long');
  refuseUnless(depth(bytes) <= LIMITS.depth, 'nested too deep');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new RefusedStrand('no JSON in UTF-8');
  }
  if (!isObject(value)) throw new RefusedStrand('no object');
  refuseUnless(same(encoder.encode(canonical(value)), bytes), 'not canonical');
  return value;
}

function canonical(value: Json): string {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') {
    refuseUnless(Number.isFinite(value), 'number');
    refuseUnless(!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21, 'integer');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  // Sorting texts compares UTF-16 code units.
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${text(name)}:${canonical(value[name] ?? null)}`).join(',')}}`;
}

function text(value: string): string {
  refuseUnless(!/\0|\p{Surrogate}/u.test(value), 'NUL or half a surrogate pair');
  refuseUnless(encoder.encode(value).length <= LIMITS.text, 'text too long');
  return JSON.stringify(value);
}

function depth(bytes: Uint8Array): number {
  let now = 0;
  let deepest = 0;
  let isText = false;
  for (let place = 0; place < bytes.length; place++) {
    const byte = bytes[place];
    if (isText && byte === 0x5c) place++;
    else if (byte === 0x22) isText = !isText;
    else if (!isText && (byte === 0x7b || byte === 0x5b)) deepest = Math.max(deepest, ++now);
    else if (!isText && (byte === 0x7d || byte === 0x5d)) now--;
  }
  return deepest;
}

function hash(label: string, data: Uint8Array, key?: Uint8Array, size = 32): Uint8Array {
  const personalization = new Uint8Array(16);
  personalization.set(encoder.encode(label));
  return blake2b(data, { dkLen: size, personalization, ...(key && { key }) });
}

function named(value: Json | undefined, most: number): Uint8Array {
  const bytes = typeof value === 'string' ? encoder.encode(value) : new Uint8Array();
  refuseUnless(bytes.length >= 1 && bytes.length <= most, 'type or id of a record');
  return bytes;
}

function split(plain: Uint8Array): Uint8Array[] {
  const rows: Uint8Array[] = [];
  for (let start = 0; start < plain.length;) {
    const end = plain.indexOf(0x0a, start);
    refuseUnless(rows.length <= LIMITS.records, 'too many records');
    rows.push(plain.subarray(start, end));
    start = end + 1;
  }
  return rows;
}

function fromHex(value: Json | undefined, size: number): Uint8Array {
  if (typeof value !== 'string' || !/^[0-9a-f]*$/.test(value) || value.length !== 2 * size) {
    throw new RefusedStrand('hexadecimal field');
  }
  return sodium.from_hex(value);
}

function isWithin(value: Json | undefined, least: number, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let start = 0;
  for (const part of parts) {
    joined.set(part, start);
    start += part.length;
  }
  return joined;
}

function compare(one: Uint8Array, other: Uint8Array): number {
  const shorter = Math.min(one.length, other.length);
  for (let place = 0; place < shorter; place++) {
    const difference = (one[place] ?? 0) - (other[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return compare(one, other) === 0;
}

function refuseUnless(holds: boolean, why: string): asserts holds {
  if (!holds) throw new RefusedStrand(why);
}
