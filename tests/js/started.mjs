// Processes of Helix for the tests of a file: each says one line of JSON when it is ready, and is gone at the end.

import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const python = process.env.HELIX_PYTHON ?? join(root, '.venv', 'bin', 'python');
const begun = [];

export async function start(environment, ...words) {
  const child = spawn(python, words, { cwd: root, env: { ...process.env, ...environment } });
  begun.push(child);
  child.complaints = '';
  child.stderr.on('data', (data) => (child.complaints += data));
  for await (const line of createInterface({ input: child.stdout })) {
    return JSON.parse(line);
  }
  throw new Error(`${words.join(' ')} said nothing: ${child.complaints}`);
}

export async function end() {
  await Promise.all(
    begun.map((child) => {
      const ended = child.exitCode === null ? new Promise((resolve) => child.once('exit', resolve)) : undefined;
      child.stdin.end();
      child.kill();
      return ended;
    }),
  );
}

// Variables that keep what a server writes inside a folder.
export function apart(folder) {
  const names = ['CACHE', 'RUNTIME', 'STATE', 'DATA'].map((name) => [`HELIX_${name}_DIR`, join(folder, `.${name}`)]);
  return { ...Object.fromEntries(names), HELIX_CONFIG: join(folder, 'none.toml') };
}
