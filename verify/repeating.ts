import type { ExploreJob } from './jobs.ts';
import { subjectNamed } from './subjects.ts';

/** The command that explores the same. What the command has no flag for is only explored here. */
export function checkCommandOf({ subject, bounds }: ExploreJob): string {
  const { definition, options, maxStates, isExact } = subjectNamed(subject);
  if (bounds.commands !== undefined) return '`npm run verify -- --only commands`';
  if (bounds.falseProof) return `\`npm run verify -- --only ${definition.name}\``;
  const flags = [
    `--terms ${bounds.terms}`,
    `--crashes ${bounds.crashes}`,
    ...(bounds.amnesia ? [`--amnesia ${bounds.amnesia}`] : []),
    ...(bounds.evidence ? [`--evidence ${bounds.evidence}`] : []),
    ...(options.quorum ? ['--quorum'] : []),
    ...(isExact ? ['--exact'] : []),
    `--max-states ${maxStates}`,
  ];
  return `\`npx caucus check ${definition.name} ${flags.join(' ')}\``;
}
