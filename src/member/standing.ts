import type { Why } from '../core/index.ts';

/** Whether a member stands for an election: what its program wants, and what keeps it from standing. */
export class Standing {
  /** What the program last set; a member that does not stand has 0. */
  priority = 0;
  /** It stands for a while although the program does not: an operator needs a leader. */
  isLent = false;
  /** Why it must not lead, whatever the program set; or null. */
  bar: Why | null = null;
  /** Set if the disk does not take writes: this member does not stand, and saves nothing. */
  aside: Why | null = null;

  get isAllowed(): boolean {
    return this.bar === null && this.aside === null;
  }

  get wanted(): number {
    return this.isLent ? Math.max(1, this.priority) : this.priority;
  }
}
