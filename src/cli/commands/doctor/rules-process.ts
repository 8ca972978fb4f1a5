/** What is wrong with single processes: their disks, event loops, clocks and certificates. */
import { type Finding, problem, warning } from './finding.ts';
import type { Picture } from './picture.ts';

/** The lease of the default preset, for protocols without leases and stores. */
const USUAL_LEASE_MS = 1500;
/** A delay of this part of the lease leaves little of it; one of the whole lease has cost it. */
const PART_OF_LEASE = 0.25;
const SKEW_MS = 5000;
const SOON_DAYS = 30;

export function diskFindings({ told, home }: Picture): readonly Finding[] {
  return [
    ...home.flatMap(({ status: { voterId, illness } }) =>
      illness === null
        ? []
        : [
            problem(
              'ill',
              `member ${voterId}`,
              `cannot do its part: ${illness}`,
              'on its machine: df -h and mount show whether the disk is full or read-only, dmesg whether it fails or does not answer. Free some space, mount it again, or give the member another disk; it tries again by itself and needs no restart',
            ),
          ],
    ),
    ...told.flatMap(({ status, diagnosis }) => {
      const worstMs = diagnosis.saves?.worstMs ?? 0;
      return late('slow-disk', status.voterId, worstMs, leaseOf(diagnosis.timing), {
        what: `a save to its data folder took ${ms(worstMs)} in the last minute`,
        next: 'on its machine: iostat -x 1 shows the disk. Give the data folder a disk of its own, or all members a longer lease (preset)',
      });
    }),
  ];
}

export function loopFindings({ told }: Picture): readonly Finding[] {
  return told.flatMap(({ status, diagnosis }) => {
    const worstMs = diagnosis.loop?.worstMs ?? 0;
    return late('loop-blocked', status.voterId, worstMs, leaseOf(diagnosis.timing), {
      what: `its event loop was blocked for at least ${ms(worstMs)} in the last minute (or its process was stopped)`,
      next: 'look for long synchronous work in the program of this process (node --cpu-prof), or for a machine that is too busy; move the work to a worker thread, or give all members a longer lease (preset)',
    });
  });
}

function late(
  kind: string,
  id: string | number,
  worstMs: number,
  leaseMs: number,
  { what, next }: { readonly what: string; readonly next: string },
): readonly Finding[] {
  if (worstMs <= leaseMs * PART_OF_LEASE) return [];
  const words = `${what}; the lease is ${ms(leaseMs)}`;
  if (worstMs < leaseMs) return [warning(kind, `member ${id}`, words, next)];
  return [problem(kind, `member ${id}`, `${words}: a leader that is so late loses it`, next)];
}

function leaseOf(timing: Readonly<Record<string, unknown>> | null | undefined): number {
  return typeof timing?.leaseMs === 'number' ? timing.leaseMs : USUAL_LEASE_MS;
}

function ms(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}

/** Which clock is wrong: the one that is far from the middle of all. */
export function clockFindings({ home }: Picture): readonly Finding[] {
  const clocks = home.flatMap(({ status, clock }) =>
    clock === null ? [] : [{ id: status.voterId, ...clock }],
  );
  const sorted = [...clocks].sort((one, other) => one.aheadMs - other.aheadMs);
  // Of two that differ either may be wrong: both are compared with the clock of this machine.
  const middle =
    sorted.length > 2 ? sorted[Math.floor(sorted.length / 2)]! : { id: null, aheadMs: 0, withinMs: 0 };
  const than = middle.id === null ? 'the clock of this machine' : `that of ${middle.id}`;
  return clocks.flatMap(({ id, aheadMs, withinMs }) => {
    const offMs = aheadMs - middle.aheadMs;
    if (Math.abs(offMs) - withinMs - middle.withinMs < SKEW_MS) return [];
    return [
      warning(
        'clock',
        `member ${id}`,
        `its clock is ${ms(Math.abs(offMs))} ${offMs > 0 ? 'ahead of' : 'behind'} ${than}: the times in its history and log are wrong, and without data folders so may be the first tokens of a cluster`,
        'on its machine: timedatectl, or chronyc tracking; start a time service',
      ),
    ];
  });
}

export function certificateFindings({ home }: Picture): readonly Finding[] {
  return home.flatMap(({ status: { voterId, certificate } }) => {
    if (certificate === undefined) return [];
    const next =
      'issue a new one (caucus cert member) and replace the file; the member reads it again by itself';
    return [
      ...expiry(`member ${voterId}`, 'its certificate', certificate.daysLeft, next),
      ...expiry(
        `member ${voterId}`,
        'a CA that it accepts',
        certificate.caDaysLeft ?? Number.POSITIVE_INFINITY,
        'make a new CA, add it to the CA files of all members, and then replace the certificates',
      ),
    ];
  });
}

function expiry(subject: string, what: string, days: number, next: string): readonly Finding[] {
  if (days >= SOON_DAYS) return [];
  if (days < 0)
    return [problem('certificate', subject, `${what} has expired: the others refuse connections`, next)];
  return [
    warning('certificate', subject, `${what} expires ${days === 0 ? 'today' : `in ${days} days`}`, next),
  ];
}
