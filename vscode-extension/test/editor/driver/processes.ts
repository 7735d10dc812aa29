/** What runs because of us, read from /proc: every process we start inherits one variable of its environment. */
import fs from 'node:fs';

import { until } from './until.ts';

export const MARK = 'HELIX_EDITOR_TEST';

export interface Process {
  pid: number;
  command: string;
}

/** Every living process that carries the mark, oldest first; this one is not among them. */
export function marked(mark: string): Process[] {
  return pids()
    .filter((pid) => pid !== process.pid && read(pid, 'environ').split('\0').includes(`${MARK}=${mark}`))
    .map((pid) => ({ pid, command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }))
    .filter(({ command }) => command !== '');
}

export type Part = 'shim' | 'daemon' | 'indexer' | 'any';

const PARTS: Record<Part, RegExp> = {
  shim: /-m helix_ls\S* lsp\b/,
  daemon: /-m helix_ls\S*\.daemon\b/,
  indexer: /-m helix_ls\S*\.indexer\b/,
  any: /-m helix_ls\b/,
};

/** Helix's own Python processes among the marked. */
export function helixProcesses(mark: string, part: Part = 'any'): Process[] {
  return marked(mark).filter(({ command }) => PARTS[part].test(command));
}

/** Remote addresses of a process's TCP connections that leave the machine. */
export function foreignConnections(pid: number): string[] {
  const sockets = new Set(descriptors(pid));
  return ['net/tcp', 'net/tcp6']
    .flatMap((table) => read(pid, table).split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => sockets.has(`socket:[${fields[9]}]`))
    .map((fields) => fields[2] ?? '')
    .filter((address) => !isLocal(address));
}

/** Ends what is left of the marked processes; returns what had to be ended. */
export async function endLeftovers(mark: string): Promise<Process[]> {
  const left = marked(mark);
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  await until('the leftovers are gone', () => marked(mark).length === 0, { withinMs: 10_000 });
  return left;
}

function pids(): number[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Empty for a process that is gone, is a zombie or is not ours. */
function read(pid: number, name: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

function descriptors(pid: number): string[] {
  try {
    return fs.readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      try {
        return [fs.readlinkSync(`/proc/${pid}/fd/${name}`)];
      } catch {
        return []; // closed while we looked
      }
    });
  } catch {
    return []; // gone while we looked
  }
}

/** An address of /proc/net/tcp: hexadecimal words, little-endian; 0 is "not connected". */
function isLocal(address: string): boolean {
  const host = address.split(':')[0] ?? '';
  if (/^0*$/.test(host)) return true;
  if (host.length === 8) return host.endsWith('7F');
  return host === '00000000000000000000000001000000' || /^0{16}FFFF0000.{6}7F$/.test(host);
}
