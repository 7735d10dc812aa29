/** Explanations and findings as Markdown for people. Pure. */
import { reasonWords } from './words';
import type { Step } from '../python/resolve';
import type { DoctorAnswer, Explanation, VerdictStatus } from '../base/protocol';

const marks: Record<VerdictStatus, string> = {
  verified: '✓ verified',
  stale_risk: '~ stale risk',
  needs_refresh: '! needs refresh',
};

export function verdictMark(status: VerdictStatus): string {
  return marks[status];
}

export function explanationText(explanation: Explanation): string {
  const { source_id, start_line, end_line, symbol } = explanation;
  const where = `\`${source_id}:${start_line}-${end_line}\``;
  return [
    `# ${marks[explanation.status]}: ${reasonWords(explanation.reason)}`,
    '',
    symbol ? `**${symbol}** in ${where}` : where,
    ...(explanation.detail ? ['', explanation.detail] : []),
    '',
    '## What was observed, in order',
    '',
    ...explanation.observations.map((one, index) => {
      const line = `${index + 1}. ${one.observation}`;
      return one.decides ? `${line} → **${reasonWords(one.finding)}**, which decided` : line;
    }),
    ...(explanation.refresh_targets.length > 0 ? ['', '## What to read again', ''] : []),
    ...explanation.refresh_targets.map(
      (target) => `- \`${target.source_id}:${target.start_line}-${target.end_line}\` (${reasonWords(target.reason)})`,
    ),
    '',
  ].join('\n');
}

export function doctorText(answer: DoctorAnswer): string {
  const signs = { ok: '✓', warn: '⚠', fail: '✗' } as const;
  return [
    `# ${answer.ok ? '✓ Helix can work here' : '✗ Something keeps Helix from working'}`,
    '',
    ...answer.checks.flatMap((check) => [
      `- ${signs[check.state]} **${check.name}** ${check.detail}`,
      ...(check.action ? [`  - ${check.action}`] : []),
    ]),
    '',
  ].join('\n');
}

/** What can be examined where no server runs: each Python that was looked at, and what to do. */
export function withoutServerText(why: string, steps: readonly Step[]): string {
  return [
    '# ✗ Helix does not run',
    '',
    why,
    '',
    '## Where a Python was looked for, in order',
    '',
    ...steps.map(({ source, path, accepted, reason }) => {
      const where = path === undefined ? '' : ` \`${path}\``;
      return `- ${accepted ? '✓' : '✗'} **${source}**${where}: ${reason}`;
    }),
    '',
    '## What you can do',
    '',
    '- *Helix: Set Up Private Environment* makes an environment in the extension’s own folder. It needs Python 3.11 or newer, or uv.',
    '- *Helix: Choose Interpreter* takes a Python that has Helix installed.',
    '- *Helix: Show Logs* has every step.',
    '',
  ].join('\n');
}

/** The wire's words, for people: `needs_refresh` is "needs refresh". */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}
