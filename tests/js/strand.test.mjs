// The reader of strands in TypeScript, as it is built, against the one in Python: neither takes what the other refuses.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { readStrand, recoveryCode, RefusedStrand } from '../../vscode-extension/sdk/dist/strand.js';
import { python, root } from './started.mjs';

const folder = join(root, 'fixtures', 'strands');
const { keys } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
const trusted = new Set([keys.signer]);

async function unlessRefused(read) {
  try {
    return await read();
  } catch (error) {
    assert.ok(error instanceof RefusedStrand, error.stack);
    return null;
  }
}

test('both readers find the same in every file that is right, and refuse every other one', { timeout: 600_000 }, async () => {
  const forging = spawn(python, ['-m', 'tests.strand.forged'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => forging.once('exit', resolve));
  const golden = await recoveryCode(keys.recovery_code);
  const key = { kind: 'recovery', code: golden };
  const whole = readFileSync(join(folder, 'memories.dna'));
  const differing = [];
  const counts = { read: 0, refused: 0 };
  for await (const line of createInterface({ input: forging.stdout })) {
    const said = JSON.parse(line);
    if (said.case !== undefined) {
      const strand = await unlessRefused(() => readStrand(Buffer.from(said.data, 'base64'), key, trusted));
      const lines = strand?.lines ?? null;
      counts[lines === null ? 'refused' : 'read'] += 1;
      if (JSON.stringify(lines) !== JSON.stringify(said.lines)) {
        differing.push(`${said.case}: Python ${said.lines === null ? 'refuses' : 'reads'} it`);
      }
    } else if (said.code !== undefined) {
      const code = await unlessRefused(() => recoveryCode(said.code));
      const told = code === null ? null : Buffer.compare(code, golden) === 0 ? 'the golden one' : 'another';
      if (told !== said.bytes) differing.push(`code ${JSON.stringify(said.code)}: ${told}, Python ${said.bytes}`);
    } else {
      const strand = await unlessRefused(() => readStrand(whole, { kind: 'passphrase', text: said.passphrase }, trusted));
      if ((strand !== null) !== said.opens) differing.push(`passphrase ${JSON.stringify(said.passphrase.slice(0, 40))}`);
    }
  }
  assert.equal(await ended, 0);
  assert.deepEqual(differing, []);
  assert.ok(counts.read > 100 && counts.refused > 7_000, JSON.stringify(counts));
});

const SEALED = `
import os, sys
from helix_core.strand import Manifest, Passphrase, StrandKeys, link_record, seal
lock = Passphrase("correct horse battery staple", memory_mib=64, passes=2)
keys = StrandKeys(bytes(range(32)), bytes(32))
sys.stdout.buffer.write(seal(Manifest(1, 1), (link_record("a", "cites", "b"),), keys=keys, locks=(lock,), random=os.urandom))
`;

test('the example of the documentation runs', () => {
  const own = mkdtempSync(join(tmpdir(), 'helix-strand-'));
  // Inside the package, so that its name leads to it.
  const file = join(root, 'vscode-extension', 'sdk', 'dist', 'strandExample.mjs');
  try {
    const page = readFileSync(join(root, 'docs', 'sdk.md'), 'utf8');
    const example = [...page.matchAll(/^```javascript\n(.*?)^```/gms)].map(([, code]) => code).at(-1);
    writeFileSync(file, example);
    writeFileSync(join(own, 'ada.dna'), execFileSync(python, ['-c', SEALED], { cwd: root }));
    assert.equal(execFileSync(process.execPath, [file], { cwd: own, encoding: 'utf8' }), 'link a/cites/b\n');
  } finally {
    rmSync(own, { recursive: true });
    rmSync(file, { force: true });
  }
});
