/** Plays acts: each opens a stage, its scenarios run in order on it, each with a time limit. */
import { endLeftovers, marked } from './processes.ts';
import type { Run, Stage } from './stage.ts';
import { until, within } from './until.ts';

export interface Scenario {
  title: string;
  /** The limit on an idle machine. */
  limitMs: number;
  play(stage: Stage): Promise<void>;
}

export interface Act {
  name: string;
  open(run: Run): Promise<Stage>;
  scenarios: Scenario[];
}

export interface Outcome {
  act: string;
  title: string;
  outcome: 'passed' | 'failed' | 'skipped';
  ms: number;
  error?: string;
}

/** Thrown by a scenario that cannot be played here; the reason is printed. */
export class Skipped extends Error {}

export const scenario = (title: string, play: Scenario['play'], limitMs = 60_000): Scenario => ({
  title,
  limitMs,
  play,
});

/** Plays one act; whatever happens, nothing of it runs afterwards. */
export async function playAct(
  act: Act,
  run: Run,
  chosen: (title: string) => boolean,
  deadline: number,
): Promise<Outcome[]> {
  const scenarios = act.scenarios.filter(({ title }) => chosen(`${act.name}: ${title}`));
  if (scenarios.length === 0) return [];
  console.log(`    ${act.name}`);
  const outcomes: Outcome[] = [];
  const note = (title: string, ms: number, error?: unknown): void => {
    const outcome = outcomeOf(act.name, title, ms, error);
    outcomes.push(outcome);
    console.log(line(outcome));
  };
  let stage: Stage;
  try {
    stage = await within('opening the editor', 90_000, act.open(run));
  } catch (error) {
    for (const { title } of scenarios) note(title, 0, error);
    return outcomes;
  }
  const noteElsewhere = (): void => {
    for (const { title, ms, error } of run.noted.splice(0)) note(title, ms, error);
  };
  for (const scenario of scenarios) {
    const began = performance.now();
    try {
      if (began > deadline) throw new Error('the time of the whole run was over');
      await within(scenario.title, scenario.limitMs, scenario.play(stage));
      noteElsewhere();
      note(scenario.title, performance.now() - began);
    } catch (error) {
      noteElsewhere();
      note(scenario.title, performance.now() - began, error);
      if (!(error instanceof Skipped)) await recover(stage, `${act.name} ${scenario.title}`);
    }
  }
  try {
    await within('closing the editor', 30_000, stage.close());
    await nothingLeft(run);
    note('nothing is left running', 0);
  } catch (error) {
    note('nothing is left running', 0, error);
    await endLeftovers(run.mark);
  }
  return outcomes;
}

/** Helix's daemon leaves by itself when it has been idle; whatever else was started is gone at once. */
async function nothingLeft(run: Run): Promise<void> {
  const others = (): string[] =>
    marked(run.mark)
      .filter(({ command }) => !command.includes('chrom'))
      .map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`);
  await until(
    'no process of the editor or of Helix runs',
    () => {
      if (others().length === 0) return true;
      throw new Error(others().join('; '));
    },
    { withinMs: 15_000, everyMs: 200 },
  );
}

async function recover(stage: Stage, name: string): Promise<void> {
  const folder = name.replaceAll(/[^\p{L}\d]+/gu, '-').slice(0, 80);
  await stage.keepEvidence(folder).catch((error: unknown) => {
    console.log(`      no evidence: ${String(error)}`);
  });
  await within('closing the windows', 15_000, stage.forget()).catch((error: unknown) => {
    console.log(`      ${String(error)}`);
  });
}

function outcomeOf(act: string, title: string, ms: number, error?: unknown): Outcome {
  const base = { act, title, ms: Math.round(ms) };
  if (error === undefined) return { ...base, outcome: 'passed' };
  if (error instanceof Skipped) return { ...base, outcome: 'skipped', error: error.message };
  const text = error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error);
  return { ...base, outcome: 'failed', error: text };
}

function line({ outcome, title, ms, error }: Outcome): string {
  const mark = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }[outcome];
  const reason = error === undefined ? '' : `\n      ${error.split('\n').slice(0, 12).join('\n      ')}`;
  return `${mark}  ${title} (${(ms / 1000).toFixed(1)} s)${reason}`;
}
