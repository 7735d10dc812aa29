/** The server's process: started without a shell, its error stream kept for the log, its end explained and assured. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Launch } from './launch';

const keptLines = 20;
const drainMs = 50;

export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Why the process is gone, in a sentence; it never rejects. */
  readonly ended: Promise<string>;
  private readonly lastLines: string[] = [];

  constructor(launch: Launch, onErrorLine: (line: string) => void) {
    this.child = spawn(launch.command, launch.args, { cwd: launch.cwd, env: { ...launch.env }, windowsHide: true });
    createInterface({ input: this.child.stderr }).on('line', (line) => {
      this.lastLines.push(line);
      this.lastLines.splice(0, this.lastLines.length - keptLines);
      onErrorLine(line);
    });
    this.ended = new Promise((resolve) => {
      this.child.once('error', (error) => {
        resolve(`The language server could not be started: ${error.message}.`);
      });
      // Not `close`: a daemon that inherited the error stream would keep it open. What was written last still comes.
      this.child.once('exit', (code, signal) => {
        setTimeout(() => {
          resolve(endOf(code, signal, this.lastLines));
        }, drainMs);
      });
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Gives the process `graceMs` to leave, then ends it. */
  async end(graceMs: number): Promise<void> {
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), graceMs);
    await this.ended;
    clearTimeout(timer);
  }
}

/** What became of a process, for people: with its last word, where it had one. */
export function endOf(code: number | null, signal: string | null, lines: readonly string[]): string {
  const how = signal ? `was ended by ${signal}` : `ended with status ${code ?? 'unknown'}`;
  const last = lines.findLast((line) => line.trim())?.trim();
  return last ? `The language server ${how}: ${last}` : `The language server ${how}.`;
}
