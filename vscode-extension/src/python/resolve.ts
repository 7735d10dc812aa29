/**
 * Which Python runs the language server: the first source, in order, that names an interpreter which is new enough and
 * has Helix. Pure apart from what is passed in: a source finds a path, a probe asks that interpreter about itself.
 * Never starts anything and never shows anything.
 */

export type SourceName =
  'setting helix.interpreter' | 'private environment' | 'Python Environments extension' | 'Python extension' | 'PATH';

/** Paths a source names, best first; or why it names none. */
export type Named = { readonly paths: readonly string[] } | { readonly none: string };

export interface InterpreterSource {
  readonly name: SourceName;
  find(): Promise<Named>;
}

/** What an interpreter says of itself. `helix` is undefined where `import helix_ls` fails, then `reason` tells why. */
export type Probed =
  | {
      readonly ran: true;
      readonly executable: string;
      readonly python: string;
      readonly helix?: string;
      readonly reason?: string;
    }
  | { readonly ran: false; readonly reason: string };

export type Probe = (path: string) => Promise<Probed>;

/** One interpreter looked at, or one source that named none, and the result. */
export interface Step {
  readonly source: SourceName;
  readonly path?: string;
  readonly accepted: boolean;
  readonly reason: string;
}

export interface Interpreter {
  readonly source: SourceName;
  readonly path: string;
  readonly python: string;
  readonly helix: string;
}

export interface Resolution {
  readonly interpreter?: Interpreter;
  /** An interpreter that is new enough but lacks Helix: a private environment can be made from it. */
  readonly base?: { readonly path: string; readonly python: string };
  readonly steps: readonly Step[];
}

export const oldestPython = [3, 11] as const;

/** Asks the sources in order and stops at the first interpreter that can run Helix. */
export async function resolveInterpreter(
  sources: readonly InterpreterSource[],
  probe: Probe,
  told: (step: Step) => void = () => undefined,
): Promise<Resolution> {
  const steps: Step[] = [];
  const seen = new Set<string>();
  let base: Resolution['base'];
  const tell = (step: Step): void => {
    steps.push(step);
    told(step);
  };
  for (const source of sources) {
    const named = await source.find();
    if ('none' in named) {
      tell({ source: source.name, accepted: false, reason: named.none });
      continue;
    }
    for (const path of named.paths) {
      if (seen.has(path)) {
        tell({ source: source.name, path, accepted: false, reason: 'looked at above' });
        continue;
      }
      seen.add(path);
      const probed = await probe(path);
      const reason = judge(probed);
      const accepted = probed.ran && probed.helix !== undefined && isNewEnough(probed.python);
      tell({ source: source.name, path, accepted, reason });
      if (accepted) {
        return {
          interpreter: { source: source.name, path, python: probed.python, helix: probed.helix },
          ...(base && { base }),
          steps,
        };
      }
      if (probed.ran && isNewEnough(probed.python)) {
        base ??= { path: probed.executable, python: probed.python };
      }
    }
  }
  return { ...(base && { base }), steps };
}

/** Why the interpreter that the user named in the setting cannot run Helix; undefined where none is named. */
export function refusedSetting({ steps }: Resolution): string | undefined {
  const named = steps.find((step) => step.source === 'setting helix.interpreter' && step.path !== undefined);
  if (named === undefined || named.accepted) return undefined;
  return `The setting helix.interpreter names ${named.path}, which cannot run Helix: ${named.reason}.`;
}

/** Why there is no Python to run on, and what to do. */
export function noPythonText(resolution: Resolution): string {
  const refused = refusedSetting(resolution);
  if (refused !== undefined) return `${refused} Correct the setting, or set up a private environment.`;
  return resolution.base
    ? 'Helix needs a Python environment, and can make one of its own.'
    : 'Helix needs Python 3.11 or newer, and found none.';
}

/** Whether `version` ("3.12.4") is at least the oldest Python that Helix runs on. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldestPython[0] || (major === oldestPython[0] && minor >= oldestPython[1]);
}

/** Whether two resolutions would start the same server. */
export function isSameInterpreter(one: Interpreter | undefined, other: Interpreter | undefined): boolean {
  return one?.path === other?.path && one?.python === other?.python && one?.helix === other?.helix;
}

function judge(probed: Probed): string {
  if (!probed.ran) {
    return probed.reason;
  }
  if (!isNewEnough(probed.python)) {
    return `Python ${probed.python}; Helix needs ${oldestPython.join('.')} or newer`;
  }
  if (probed.helix === undefined) {
    // That no such module is there says nothing more; anything else (a broken installation) does.
    const more =
      probed.reason && !probed.reason.startsWith("ModuleNotFoundError: No module named 'helix_")
        ? ` (${probed.reason})`
        : '';
    return `Python ${probed.python}, but Helix is not installed in it${more}`;
  }
  return `Python ${probed.python} with Helix ${probed.helix}`;
}
