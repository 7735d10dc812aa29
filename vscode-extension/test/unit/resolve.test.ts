import { describe, expect, it } from 'vitest';
import {
  isSameInterpreter,
  resolveInterpreter,
  type InterpreterSource,
  type Named,
  type Probed,
  type SourceName,
} from '../../src/python/resolve';

const source = (name: SourceName, named: Named): InterpreterSource => ({ name, find: () => Promise.resolve(named) });
const python = (version: string, helix?: string): Probed => ({
  ran: true,
  executable: '/x',
  python: version,
  ...(helix && { helix }),
});
const probing = (answers: Record<string, Probed>) => {
  const asked: string[] = [];
  const probe = (path: string): Promise<Probed> => {
    asked.push(path);
    return Promise.resolve(answers[path] ?? { ran: false, reason: 'not found' });
  };
  return { asked, probe };
};

describe('the interpreter', () => {
  it('is the first one, in the order of the sources, that runs Helix', async () => {
    const { probe, asked } = probing({ '/private': python('3.12.1', '0.1.0'), '/path': python('3.13.0', '0.1.0') });
    const { interpreter } = await resolveInterpreter(
      [
        source('setting helix.interpreter', { none: 'not set' }),
        source('private environment', { paths: ['/private'] }),
        source('PATH', { paths: ['/path'] }),
      ],
      probe,
    );
    expect(interpreter).toEqual({ source: 'private environment', path: '/private', python: '3.12.1', helix: '0.1.0' });
    expect(asked).toEqual(['/private']);
  });

  it('that the setting names comes before all others', async () => {
    const { probe } = probing({ '/mine': python('3.11.0', '0.1.0'), '/private': python('3.12.0', '0.1.0') });
    const { interpreter } = await resolveInterpreter(
      [
        source('setting helix.interpreter', { paths: ['/mine'] }),
        source('private environment', { paths: ['/private'] }),
      ],
      probe,
    );
    expect(interpreter?.path).toBe('/mine');
  });

  it('is passed over with a reason when it is too old, lacks Helix, or does not run', async () => {
    const { probe } = probing({ '/old': python('3.9.18', '0.1.0'), '/bare': python('3.13.0') });
    const { steps, interpreter, base } = await resolveInterpreter(
      [
        source('setting helix.interpreter', { paths: ['/old'] }),
        source('Python extension', { paths: ['/bare'] }),
        source('PATH', { paths: ['/gone'] }),
      ],
      probe,
    );
    expect(interpreter).toBeUndefined();
    expect(base).toEqual({ path: '/x', python: '3.13.0' });
    expect(steps.map((step) => step.reason)).toEqual([
      'Python 3.9.18; Helix needs 3.11 or newer',
      'Python 3.13.0, but Helix is not installed in it',
      'not found',
    ]);
  });

  it('is looked at once, even when two sources name it', async () => {
    const { probe, asked } = probing({ '/same': python('3.12.0') });
    const { steps } = await resolveInterpreter(
      [source('Python extension', { paths: ['/same'] }), source('PATH', { paths: ['/same'] })],
      probe,
    );
    expect(asked).toEqual(['/same']);
    expect(steps[1]?.reason).toBe('looked at above');
  });

  it('tells each step as it is taken', async () => {
    const told: string[] = [];
    const { probe } = probing({ '/a': python('3.12.0', '0.1.0') });
    await resolveInterpreter(
      [source('private environment', { none: 'not made yet' }), source('PATH', { paths: ['/a'] })],
      probe,
      (step) => told.push(`${step.source}: ${step.reason}`),
    );
    expect(told).toEqual(['private environment: not made yet', 'PATH: Python 3.12.0 with Helix 0.1.0']);
  });

  it('is another one only when path, Python or Helix differ, not when another source names it', () => {
    const one = { source: 'PATH', path: '/a', python: '3.12.0', helix: '0.1.0' } as const;
    expect(isSameInterpreter(one, { ...one, source: 'Python extension' })).toBe(true);
    expect(isSameInterpreter(one, { ...one, helix: '0.2.0' })).toBe(false);
    expect(isSameInterpreter(one, undefined)).toBe(false);
  });
});
