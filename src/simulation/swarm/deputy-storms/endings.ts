/**
 * How the leadership of an act ends, and what comes after: the leader dies, and each member learns of that at another moment or
 * never; or it hands over; or both. Then others ask for votes, and leaders publish, around the end of the lease that the deputy had.
 */
import type { MemberId } from '../../../core/index.ts';
import type { Act } from './act.ts';

export function endLeadership(act: Act): void {
  const { random, roles, endMs } = act;
  const { leader, deputy } = roles;
  const about = random.fraction();
  if (about < 0.55) die(act, leader, endMs);
  else if (about < 0.85) {
    handOver(act);
    if (random.chance(0.6)) die(act, leader, endMs + (random.chance(0.5) ? act.aMoment() : act.aLease()));
  } else if (about < 0.92) {
    die(act, leader, endMs);
    die(act, deputy, endMs + act.aMoment());
  }
  goOn(act);
}

function handOver(act: Act): void {
  const { random, roles, endMs } = act;
  const { leader, deputy } = roles;
  switch (random.below(5)) {
    case 0:
    case 1:
      // The successor is another member if the deputy lacks what was published.
      if (random.chance(0.5)) {
        act.add(endMs - act.aMoment(), {
          do: 'drop',
          type: 'publish/send',
          from: leader,
          to: deputy,
          count: 100,
        });
        act.add(endMs - act.aMoment(), { do: 'publish', value: random.below(1000) });
      }
      return act.add(endMs, { do: 'resign', member: leader });
    case 2:
      return act.add(endMs, { do: 'transfer', to: act.other() });
    default:
      act.add(endMs, { do: 'transfer', to: deputy });
      if (random.chance(0.6)) silence(act);
  }
}

/** No member hears that the deputy leads, for longer than its leader waits. */
function silence(act: Act): void {
  const { random, roles, ids, endMs, pace } = act;
  const { deputy } = roles;
  const fromMs = endMs + act.aMoment() * random.pick([-1, -1, 1])!;
  for (const to of ids) {
    if (to === deputy) continue;
    act.add(fromMs, { do: 'cut', from: deputy, to, oneWay: true });
    act.add(endMs + pace.timeoutMs * (1 + random.fraction()), { do: 'heal', from: deputy, to, oneWay: true });
  }
}

/**
 * The process ends. The proof may come when it has started again; then it is about the earlier process. `late`: does the deputy learn
 * of the death last? Null: in half of the cases.
 */
export function die(act: Act, member: MemberId, atMs: number, late: boolean | null = null): void {
  const { random, roles, ids } = act;
  act.add(atMs, { do: 'crash', member });
  const isProven = random.chance(0.9);
  const againMs = atMs + (random.chance(0.4) ? act.aMoment() : act.aLease() * random.pick([1, 2])!);
  const isLate = late ?? random.chance(0.5);
  for (const each of ids) {
    if (each === member || !isProven || random.chance(0.15)) continue;
    const lateMs = isLate && each === roles.deputy ? act.aLease() : act.aMoment();
    const toldMs = atMs + lateMs;
    const earlier = toldMs >= againMs ? { earlier: true } : {};
    act.add(toldMs, { do: 'evidence', member: each, peer: member, gone: true, proof: true, ...earlier });
  }
  act.add(againMs, { do: 'restart', member });
}

export function goOn(act: Act): void {
  const { random, roles, endMs, pace } = act;
  const { leader, deputy, others } = roles;
  for (let times = random.between(0, 4); times > 0; times--) {
    const member = random.pick([...others, ...others, leader])!;
    act.add(endMs + act.aLease(), { do: 'campaign', member });
  }
  for (let times = random.between(1, 3); times > 0; times--) {
    const asked = random.chance(0.4) ? {} : { member: random.chance(0.7) ? deputy : act.other() };
    const value = random.below(1000);
    act.add(endMs + (random.chance(0.6) ? act.aLease() : pace.timeoutMs * random.fraction()), {
      do: 'publish',
      value,
      ...asked,
    });
  }
  // The one that has just taken over dies too, or starts again.
  if (random.chance(0.25)) {
    const atMs = endMs + act.aMoment() + act.aLease() * random.pick([0, 1])!;
    if (random.chance(0.5)) die(act, deputy, atMs);
    else act.add(atMs, { do: 'restart', member: deputy });
  }
}
