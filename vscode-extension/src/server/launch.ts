/** How Helix's programs are started from an interpreter. */
import type { Interpreter } from '../python/resolve';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What keeps a workspace's own modules out of the processes we start; see `launchOf`. */
export const safePath = { PYTHONSAFEPATH: '1' } as const;

/**
 * `cwd` is a folder of our own: Python looks for modules in the current folder first, and a workspace could bring a
 * `helix_ls` of its own. `-P` and PYTHONSAFEPATH say the same to this process and to those it starts.
 */
export function launchOf(
  interpreter: Interpreter,
  cwd: string,
  env: NodeJS.ProcessEnv,
  words: readonly string[] = ['lsp'],
): Launch {
  return {
    command: interpreter.path,
    args: ['-P', '-m', 'helix_ls.cli', ...words],
    cwd,
    env: { ...env, ...safePath },
  };
}
