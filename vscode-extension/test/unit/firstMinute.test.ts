import { describe, expect, it } from 'vitest';
import { wrongSetting } from '../../src/base/wrongSetting';
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
  it.each([
    [
      'interpreter',
      ['/usr/bin/python3', '-X'],
      '',
      'must be text, and is a list; write "/usr/bin/python3", without brackets',
    ],
    ['hover.enabled', 'yes', true, 'must be true or false, and is a string; it is ignored'],
    ['index.paused', null, false, 'must be true or false, and is null; it is ignored'],
  ])('is told: helix.%s', (name, value, usual, said) => {
    expect(wrongSetting(name, value, usual)).toBe(`The setting helix.${name} ${said}.`);
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
