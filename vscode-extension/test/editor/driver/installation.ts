/** Where setup.sh put the editor, and where this project's own parts are. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const here = import.meta.dirname;
const cache = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
const home = process.env.HELIX_EDITOR_HOME ?? path.join(cache, 'helix-editor');

export const suite = path.dirname(here);
export const extension = path.resolve(suite, '..', '..');
export const project = path.dirname(extension);
export const artifacts = path.join(suite, 'artifacts');

export const node = fs.existsSync(path.join(home, 'node24')) ? fs.realpathSync(path.join(home, 'node24')) : missing();
export const codeServer = path.join(home, 'server', 'node_modules', 'code-server', 'out', 'node', 'entry.js');

/** The project's own environment: the interpreter most scenarios use, so that nothing is installed for them. */
export const python = path.join(project, '.venv', 'bin', 'python');

/** The Chromium to drive: $CHROMIUM, else the first of the usual names on PATH. */
export function chromium(): string {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const found = [
    process.env.CHROMIUM ?? '',
    ...names.flatMap((name) => folders.map((folder) => path.join(folder, name))),
  ];
  return found.find((file) => file !== '' && fs.existsSync(file)) ?? missing();
}

/** The newest package `make extension` has built. */
export function vsix(): string {
  const folders = [
    extension,
    path.join(extension, 'dist'),
    path.join(extension, 'build'),
    path.join(project, 'dist'),
    path.join(project, 'build'),
  ];
  const built = folders
    .filter((folder) => fs.existsSync(folder))
    .flatMap((folder) => fs.readdirSync(folder).map((name) => path.join(folder, name)))
    .filter((file) => file.endsWith('.vsix'))
    .sort((a, b) => fs.statSync(b).mtimeMs - fs.statSync(a).mtimeMs);
  if (built[0] === undefined) throw new Error('no .vsix found: run `make extension` first');
  return built[0];
}

function missing(): never {
  throw new Error(`the editor is not installed: run ${path.join(suite, 'setup.sh')} first`);
}
