/** Watches, for a whole run, whether a process of Helix talks to anything beyond this machine. */
import { foreignConnections, helixProcesses } from './processes.ts';

const EVERY_MS = 200;

export class NetworkWatch {
  readonly #seen = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #looks = 0;

  constructor(mark: string) {
    this.#timer = setInterval(() => {
      for (const { pid, command } of helixProcesses(mark)) {
        this.#looks += 1;
        for (const address of foreignConnections(pid)) this.#seen.add(`${address} by ${command}`);
      }
    }, EVERY_MS);
    this.#timer.unref();
  }

  /** What was seen, and how often a process was looked at. */
  stop(): { seen: string[]; looks: number } {
    clearInterval(this.#timer);
    return { seen: [...this.#seen], looks: this.#looks };
  }
}
