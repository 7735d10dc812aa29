/** When to stop starting a server that keeps dying. Pure: the clock is passed in. */

export const mostCrashes = 5;
export const withinMs = 3 * 60 * 1000;

export class CrashRecord {
  private times: number[] = [];

  constructor(private readonly now: () => number) {}

  /** Notes a crash; true while another start is worth trying. */
  noteAndMayRestart(): boolean {
    const now = this.now();
    this.times = [...this.times.filter((time) => now - time <= withinMs), now];
    return this.times.length < mostCrashes;
  }

  /** Forgets earlier crashes: the user asked for a restart. */
  clear(): void {
    this.times = [];
  }

  get count(): number {
    return this.times.length;
  }
}
