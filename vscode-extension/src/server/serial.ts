/**
 * One run at a time and at most one queued: a caller during a run gets the one after it, together with
 * everybody else who asked meanwhile. So a burst of events costs two runs, and the last of them saw them all.
 */
export class Serial {
  private running: Promise<void> | undefined;
  private queued: Promise<void> | undefined;

  constructor(private readonly work: () => Promise<void>) {}

  /** Resolves when a run that began after this call has ended. */
  request(): Promise<void> {
    if (!this.running) {
      return (this.running = this.run());
    }
    return (this.queued ??= this.afterRunning(this.running));
  }

  private async run(): Promise<void> {
    try {
      await this.work();
    } finally {
      this.running = undefined;
    }
  }

  private async afterRunning(running: Promise<void>): Promise<void> {
    try {
      await running;
    } catch {
      // The caller of that run gets its failure; it is no reason not to run again.
    }
    this.queued = undefined;
    return this.request();
  }
}
