// Finds the user's server where Node.js runs: by `helix connect`, which tells a key only of a server that knows it.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { HelixClient } from './client.js';
import { HelixError, type Address } from './sending.js';

const run = promisify(execFile);

export interface Connect {
  /** A folder that a server serves, which every request is about; `.` by default. */
  folder?: string;
  /** Take the administrator's key, which may change the memory and the index. */
  admin?: boolean;
  /** The command and its first arguments; `helix` on PATH by default. */
  command?: readonly string[];
  /** Milliseconds until a request without an answer is an error. */
  timeoutMs?: number;
}

/** A client of the server that runs for a folder. Throws HelixError where none runs, or none that serves the folder. */
export async function connect(wanted: Connect = {}): Promise<HelixClient> {
  return new HelixClient({ ...(await address(wanted)), timeoutMs: wanted.timeoutMs });
}

/** The address, the key and the workspace that `helix connect` prints. */
export async function address(wanted: Connect = {}): Promise<Address> {
  const [program = 'helix', ...first] = wanted.command ?? ['helix'];
  const words = [...first, 'connect', wanted.admin === true ? 'admin' : 'openai', '--json'];
  let printed: string;
  try {
    printed = (await run(program, [...words, '--path', wanted.folder ?? '.'])).stdout;
  } catch (error) {
    throw new HelixError(complaint(error, program), 0, '', undefined, { cause: error });
  }
  const said = JSON.parse(printed) as { base_url: string; api_key: string; workspace?: string | null };
  if (typeof said.workspace !== 'string') {
    const folder = resolve(wanted.folder ?? '.');
    throw new HelixError(
      `the running server does not serve ${folder}; serve it with: helix serve ${JSON.stringify(folder)}`,
    );
  }
  return { url: said.base_url.replace(/\/v1$/, ''), key: said.api_key, workspace: said.workspace };
}

function complaint(error: unknown, program: string): string {
  const said = error as { code?: unknown; stderr?: unknown };
  if (said.code === 'ENOENT') return `${program} is not on your PATH; install Helix, or give its command`;
  const lines = typeof said.stderr === 'string' ? said.stderr.trim().split('\n') : [];
  return (lines.at(-1) ?? 'helix connect failed').replace(/^(helix: )?(error: )?/, '');
}
