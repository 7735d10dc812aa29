import { describe, expect, it } from 'vitest';
import { CrashRecord, mostCrashes, withinMs } from '../../src/server/crashes';
import { Serial } from '../../src/server/serial';

/** Work whose runs end when they are told to. */
function heldWork() {
  const ends: ((error?: Error) => void)[] = [];
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      ends.push((error) => {
        if (error) {
          reject(error);
        } else {
          resolve();
        }
      });
    });
  return { ends, work };
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe('restarts', () => {
  it('asked for in a burst run once now and once after', async () => {
    const { ends, work } = heldWork();
    const serial = new Serial(work);
    const asked = [serial.request(), serial.request(), serial.request(), serial.request()];
    await settle();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await settle();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await Promise.all(asked);
    expect(ends).toHaveLength(2);
  });

  it('resolve only with a run that began after they were asked for', async () => {
    const { ends, work } = heldWork();
    const serial = new Serial(work);
    const first = serial.request();
    let done = false;
    const second = serial.request().then(() => (done = true));
    await settle();
    ends[0]?.();
    await first;
    await settle();
    expect(done).toBe(false);
    ends[1]?.();
    await second;
    expect(done).toBe(true);
  });

  it('go on after one that failed', async () => {
    const { ends, work } = heldWork();
    const serial = new Serial(work);
    const first = serial.request();
    const second = serial.request();
    await settle();
    ends[0]?.(new Error('no'));
    await expect(first).rejects.toThrow('no');
    await settle();
    ends[1]?.();
    await second;
    const third = serial.request();
    await settle();
    ends[2]?.();
    await third;
    expect(ends).toHaveLength(3);
  });
});

describe('crashes', () => {
  it('allow four restarts, and end it with the fifth in three minutes', () => {
    const crashes = new CrashRecord(() => 1000);
    const may = Array.from({ length: mostCrashes }, () => crashes.noteAndMayRestart());
    expect(may).toEqual([true, true, true, true, false]);
  });

  it('of long ago do not count', () => {
    let now = 0;
    const crashes = new CrashRecord(() => now);
    for (let i = 0; i < 20; i++) {
      now += withinMs / 3;
      expect(crashes.noteAndMayRestart()).toBe(true);
    }
  });

  it('are forgotten when somebody asks for a restart', () => {
    const crashes = new CrashRecord(() => 1000);
    for (let i = 0; i < mostCrashes; i++) {
      crashes.noteAndMayRestart();
    }
    crashes.clear();
    expect(crashes.noteAndMayRestart()).toBe(true);
  });
});
