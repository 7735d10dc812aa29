/** How far an installation is, counted from what pip or uv writes. Pure. */

const pinned = /^[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?==/gm;
const pipPackage = /^Collecting ([A-Za-z0-9][\w.-]*)/;
const uvPackage = /^ \+ ([A-Za-z0-9][\w.-]*)==/;

export class PackageCount {
  step = '';
  private readonly total: number;
  private readonly found = new Set<string>();

  /** `lock` is the text of a requirements file that pins each package. */
  constructor(lock: string) {
    this.total = lock.match(pinned)?.length ?? 0;
  }

  /** The step with its count, `Installing what Helix needs: 12 of 80 packages`; undefined where a line names no new package. */
  seen(line: string): string | undefined {
    const name = (pipPackage.exec(line) ?? uvPackage.exec(line))?.[1];
    if (name === undefined || this.found.has(name)) return undefined;
    this.found.add(name);
    return `${this.step}: ${Math.min(this.found.size, this.total)} of ${this.total} packages`;
  }
}
