/** Numbers and times as people read them, with their units. */

const counts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

export const count = (value: number): string => counts.format(value);
export const time = (seconds: number): string => times.format(seconds * 1e3);
export const day = (seconds: number): string => days.format(seconds * 1e3);
export const hour = (seconds: number): string => hours.format(seconds * 1e3);
export const of = (value: number, one: string, several = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : several}`;

export function milliseconds(value: number): string {
  return value < 1_000 ? `${count(value)} ms` : `${(value / 1e3).toFixed(1)} s`;
}

export function bytes(value: number): string {
  if (value < 1e6) {
    return `${count(value / 1e3)} kB`;
  }
  return value < 1e9 ? `${(value / 1e6).toFixed(1)} MB` : `${(value / 1e9).toFixed(2)} GB`;
}

/** A share of 0 to 1. What is not all is never shown as all. */
export function percent(part: number, whole: number): string {
  if (whole === 0) {
    return '–';
  }
  const share = (100 * part) / whole;
  return `${share > 99 && share < 100 ? (Math.floor(share * 10) / 10).toFixed(1) : count(share)} %`;
}

/** The value that a share of the values does not exceed (nearest rank). */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** A word of the wire: `needs_refresh` as "needs refresh". */
export const words = (name: string): string => name.replaceAll('_', ' ');
