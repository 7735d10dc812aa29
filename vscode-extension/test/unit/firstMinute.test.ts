import { describe, expect, it } from 'vitest';
import manifest from '../../package.json';
import { wrongSetting, type Contributed } from '../../src/base/wrongSetting';
import { PackageCount } from '../../src/python/packageCount';
import { noPythonText, refusedSetting, type Resolution } from '../../src/python/resolve';
import { statusText } from '../../src/status/statusText';
import { asItWas } from '../../src/view/asItWas';
import { missingOf } from '../../src/view/missing';
import { withoutServerText } from '../../src/view/verdictText';

const setting = 'setting helix.interpreter' as const;
const broken: Resolution = {
  base: { path: '/usr/bin/python3', python: '3.12.0' },
  steps: [{ source: setting, path: '/no/python', accepted: false, reason: 'it printed no version' }],
};
const bare: Resolution = {
  base: { path: '/usr/bin/python3', python: '3.12.0' },
  steps: [{ source: setting, accepted: false, reason: 'not set' }],
};

describe('a broken interpreter setting', () => {
  it('is named with its path and its reason, wherever something is said', () => {
    const named = 'The setting helix.interpreter names /no/python, which cannot run Helix: it printed no version.';
    expect(refusedSetting(broken)).toBe(named);
    const state = { kind: 'noPython', resolution: broken } as const;
    expect(missingOf(state)?.text).toContain(named);
    expect(statusText(state, []).label).toContain(named);
    expect(statusText(state, []).actions[0]?.command).toBe('helix.openInterpreterSetting');
    expect(withoutServerText(noPythonText(broken), broken.steps)).toContain('`/no/python`: it printed no version');
  });

  it('is blamed on nothing where none is set', () => {
    expect(refusedSetting(bare)).toBeUndefined();
    expect(missingOf({ kind: 'noPython', resolution: bare })?.actions[0]).toBe('setUp');
  });
});

describe('a setting of the wrong type', () => {
  const contributed: Readonly<Record<string, Contributed>> = manifest.contributes.configuration.properties;
  const about = (name: string): Contributed => {
    const found = contributed[`helix.${name}`];
    if (!found) throw new Error(`helix.${name} is not contributed`);
    return found;
  };

  it.each([
    [
      'interpreter',
      ['/usr/bin/python3', '-X'],
      'must be text, and is a list; write "/usr/bin/python3", without brackets.',
    ],
    ['interpreter', 3, 'must be text, and is 3; it is ignored.'],
    ['hover.enabled', 'yes', 'must be true or false, and is a string; it is ignored.'],
    ['index.paused', null, 'must be true or false, and is null; it is ignored.'],
    ['index.exclude', '*.gen', 'must be a list of text, and is a string; it is ignored.'],
    ['index.include', ['src/', 3], 'must be a list of text, and is a list of other values; it is ignored.'],
    ['index.maxFileSize', 4096, 'must be text, and is 4096; it is ignored.'],
    ['index.maxFileSize', '2 megs', 'is "2 megs", which is ignored. Write a size such as 500 KB or 2 MB.'],
    ['index.maxFileBytes', '2 MB', 'must be a whole number or empty, and is a string; it is ignored.'],
    ['index.maxFileBytes', 10, 'must be at least 1024, and is 10; the nearest value counts.'],
    ['index.maxFiles', 2.5, 'must be a whole number or empty, and is 2.5; it is ignored.'],
    ['proxy.port', 70_000, 'must be from 0 to 65535, and is 70000; the nearest value counts.'],
    ['proxy.idleSeconds', true, 'must be a number or empty, and is a boolean; it is ignored.'],
    ['trail.record', 1, 'must be true or false, and is 1; it is ignored.'],
    ['logLevel', 'loud', 'must be one of error, warning, info, debug, and is "loud"; it is ignored.'],
    ['logLevel', { level: 'info' }, 'must be text, and is an object; it is ignored.'],
  ])('is told: helix.%s = %j', (name, value, said) => {
    expect(wrongSetting(`helix.${name}`, value, about(name))).toBe(`The setting helix.${name} ${said}`);
  });

  it.each([
    ['index.maxFileSize', '4 MB'],
    ['index.maxFileSize', '1.5kb'],
    ['index.maxFiles', null],
    ['index.include', ['src/']],
    ['proxy.port', 0],
  ])('is not told of one that is right: helix.%s = %j', (name, value) => {
    expect(wrongSetting(`helix.${name}`, value, about(name))).toBeUndefined();
  });

  it.each(Object.entries(contributed))('is known of %s: no default is wrong, an object always is', (name, setting) => {
    expect(wrongSetting(name, (setting as { default?: unknown }).default, setting)).toBeUndefined();
    expect(wrongSetting(name, {}, setting)).toMatch(/^The setting \S+ must be .+, and is an object; it is ignored\.$/);
  });
});

describe('setting up', () => {
  it('counts each package once, of those that the lock pins', () => {
    const count = new PackageCount('apsw==3.50 \\\n    --hash=sha256:aa\nrich==14.0 \\\n    --hash=sha256:bb\n');
    count.step = 'Installing what Helix needs';
    expect(count.seen('Collecting apsw==3.50 (from -r lock)')).toBe('Installing what Helix needs: 1 of 2 packages');
    expect(count.seen('Collecting apsw==3.50 (from -r lock)')).toBeUndefined();
    expect(count.seen('  Using cached apsw-3.50.whl')).toBeUndefined();
    expect(count.seen(' + rich==14.0')).toBe('Installing what Helix needs: 2 of 2 packages');
  });

  it('is what the view shows, with the step', () => {
    expect(missingOf({ kind: 'settingUp', step: 'Installing: 3 of 80 packages' })).toMatchObject({
      text: 'Installing: 3 of 80 packages',
      isBusy: true,
    });
    expect(missingOf({ kind: 'starting' })).toBeNull();
  });
});

describe('text as it was', () => {
  const then = ['def f():', '    return 1', ''];

  it('stands where the changed lines stand, and nothing else changes', () => {
    const now = ['import x', 'def f(a):', '    b = a', '    return 1', '', 'def g(): ...'];
    expect(asItWas(now, { start_line: 2, end_line: 3 }, then)).toEqual(['import x', ...then, 'def g(): ...']);
  });

  it('takes as many lines as it has where none of them is left', () => {
    const now = ['def h():', '    pass', '', 'tail'];
    expect(asItWas(now, { start_line: 1, end_line: 2 }, then)).toEqual([...then, 'tail']);
    expect(asItWas([], { start_line: 9, end_line: 9 }, then)).toEqual(then);
  });
});
