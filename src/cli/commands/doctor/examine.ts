/**
 * From what was gathered to what is wrong. Pure: every rule is a function of the answers of the members, so that each
 * can be tested without a cluster. A rule says nothing where another one has said why.
 */
import type { Finding } from './finding.ts';
import { bySeverity } from './finding.ts';
import type { Gathered } from './gathered.ts';
import { type Picture, pictureOf } from './picture.ts';
import { configurationFindings, withoutContradictions } from './rules-configuration.ts';
import { leaderFindings } from './rules-leader.ts';
import { linkFindings } from './rules-links.ts';
import { membershipFindings } from './rules-membership.ts';
import { certificateFindings, clockFindings, diskFindings, loopFindings } from './rules-process.ts';
import { reachFindings } from './rules-reach.ts';

export interface Examined {
  /** Did anything answer, or could anything be read? Without, nothing is known to be right. */
  readonly isAnswered: boolean;
  readonly findings: readonly Finding[];
  /** What was checked without a finding. */
  readonly sound: readonly string[];
  /** What could not be checked, because no member told it. */
  readonly unchecked: readonly string[];
}

interface Area {
  readonly name: string;
  /** Does it need more than the status of the members? */
  readonly needsDiagnosis: boolean;
  readonly find: (picture: Picture, others: readonly Finding[]) => readonly Finding[];
}

/** In the order in which an operator should look at them. */
const AREAS: readonly Area[] = [
  { name: 'members', needsDiagnosis: false, find: reachFindings },
  { name: 'leaders', needsDiagnosis: true, find: leaderFindings },
  { name: 'configurations and versions', needsDiagnosis: true, find: configurationFindings },
  { name: 'membership', needsDiagnosis: true, find: membershipFindings },
  { name: 'certificates', needsDiagnosis: false, find: certificateFindings },
  { name: 'disks', needsDiagnosis: true, find: diskFindings },
  { name: 'event loops', needsDiagnosis: true, find: loopFindings },
  { name: 'clocks', needsDiagnosis: false, find: clockFindings },
  // Last: it leaves out what others explain.
  { name: 'links', needsDiagnosis: true, find: linkFindings },
];

export function examine(gathered: Gathered): Examined {
  const picture = pictureOf(gathered);
  const findings: Finding[] = [];
  const sound: string[] = [];
  const unchecked: string[] = [];
  for (const { name, needsDiagnosis, find } of AREAS) {
    const found = withoutContradictions(find(picture, findings), findings);
    findings.push(...found);
    if (found.length > 0) continue;
    const isChecked = picture.home.length > 0 && (!needsDiagnosis || picture.told.length > 0);
    (isChecked ? sound : unchecked).push(name);
  }
  return { isAnswered: picture.home.length > 0, findings: bySeverity(findings), sound, unchecked };
}
