/** What is wrong, and what to do about it. */
export interface Finding {
  /** `problem`: the cluster does not do its work, or is about to stop. `warning`: it works, and one more fault may end that. */
  readonly severity: 'problem' | 'warning';
  /** A word that never changes, for scripts. */
  readonly kind: string;
  /** The member, the file or the cluster that it is about. */
  readonly subject: string;
  readonly what: string;
  /** The next step; a command where there is one. */
  readonly next: string;
}

export function problem(kind: string, subject: string, what: string, next: string): Finding {
  return { severity: 'problem', kind, subject, what, next };
}

export function warning(kind: string, subject: string, what: string, next: string): Finding {
  return { severity: 'warning', kind, subject, what, next };
}

/** Problems first; otherwise in the order in which they were found. */
export function bySeverity(findings: readonly Finding[]): readonly Finding[] {
  const of = (severity: Finding['severity']): readonly Finding[] =>
    findings.filter((each) => each.severity === severity);
  return [...of('problem'), ...of('warning')];
}
