/** Asks an interpreter what it is, and whether Helix can be imported there. */
import type { Probe, Probed } from './resolve';
import { run, RunError } from './run';

const timeoutMs = 20_000;

// Old enough syntax that any Python 3 can say its version. Helix itself is found, not guessed from package metadata.
const question = `
import json, sys
answer = {"python": "%d.%d.%d" % sys.version_info[:3], "executable": sys.executable}
if sys.version_info[:2] >= (3, 11):
    try:
        import helix_core, helix_ls
        answer["helix"] = helix_core.__version__
    except Exception as error:
        answer["reason"] = "%s: %s" % (type(error).__name__, error)
print("helix-probe " + json.dumps(answer))
`;

/** `cwd` must be a folder without Python files of others: it comes first on the interpreter's path. */
export function probeIn(cwd: string): Probe {
  return async (path) => {
    try {
      const { stdout } = await run(path, ['-c', question], { cwd, timeoutMs });
      return read(stdout);
    } catch (error) {
      if (error instanceof RunError) {
        return { ran: false, reason: error.message };
      }
      throw error;
    }
  };
}

function read(stdout: string): Probed {
  const line = stdout.split('\n').find((one) => one.startsWith('helix-probe '));
  if (!line) {
    return { ran: false, reason: 'did not answer like a Python' };
  }
  const answer = JSON.parse(line.slice('helix-probe '.length)) as {
    python: string;
    executable: string;
    helix?: string;
    reason?: string;
  };
  return { ran: true, ...answer };
}
