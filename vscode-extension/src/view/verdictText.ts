/** Findings as Markdown for people. Pure. */
import type { Step } from '../python/resolve';
import type { DoctorAnswer } from '../base/protocol';

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
