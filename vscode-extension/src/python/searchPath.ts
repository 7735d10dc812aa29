/** Interpreters on the PATH. Relative entries and entries inside a workspace are left out: others may write there. */
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import path from 'node:path';

const names = ['python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3', 'python'];

/** Absolute paths of what is there, in the order of the PATH for each name, newest name first. */
export async function onSearchPath(searchPath: string, workspaceFolders: readonly string[]): Promise<string[]> {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return existing(names.flatMap((name) => places(searchPath, workspaceFolders, name + suffix)));
}

/** The first program of that name on the PATH, or undefined. */
export async function program(
  name: string,
  searchPath: string,
  workspaceFolders: readonly string[],
): Promise<string | undefined> {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return (await existing(places(searchPath, workspaceFolders, name + suffix)))[0];
}

function places(searchPath: string, workspaceFolders: readonly string[], name: string): string[] {
  return searchPath
    .split(path.delimiter)
    .filter((entry) => path.isAbsolute(entry) && !workspaceFolders.some((folder) => isInside(entry, folder)))
    .map((entry) => path.join(entry, name));
}

function isInside(entry: string, folder: string): boolean {
  const relative = path.relative(folder, entry);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}

async function existing(candidates: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const seen = new Set<string>();
  for (const candidate of candidates) {
    try {
      await access(candidate, constants.X_OK);
      // The folder's own links are followed (/bin is /usr/bin), the program's never: that is what a venv is made of.
      const real = path.join(await realpath(path.dirname(candidate)), path.basename(candidate));
      if (!seen.has(real)) {
        seen.add(real);
        found.push(candidate);
      }
    } catch {
      // Not there, or not for us: the next entry may be.
    }
  }
  return found;
}
