import type { Played } from './challenge.ts';
import { dethroned } from './dethroned.ts';
import { countFaults } from './faults.ts';
import {
  allRan,
  endMs,
  hasMajority,
  isWhole,
  leadersNow,
  namesOf,
  seconds,
  together,
  togetherUntilNow,
} from './leading.ts';

const FOR_GOOD_MS = 20_000;
export const NO_REST_MS = 10_000;
export const REST_MS = 6000;

type Said = { solved: boolean; progress: string };

export function twoAtOnce(played: Played): Said {
  const first = together(played.history.claims, played.headMs)[0];
  if (first === undefined) return { solved: false, progress: nowLeads(played) };
  const names = namesOf(first.leaders, 'epoch');
  return { solved: true, progress: `${names} led at the same time, from ${seconds(first.fromMs)} on.` };
}

function nowLeads(played: Played): string {
  const names = leadersNow(played, 'epoch');
  return names === '' ? 'There is no leader yet.' : `Only ${names} leads.`;
}

export function withOneLink(played: Played): Said {
  const { events, history } = played;
  const [cut] = events;
  const isOne =
    cut?.do === 'cut' && [cut.from, cut.to].every((end) => history.members.includes(end as never));
  if (events.length > 1 || (cut !== undefined && !isOne)) {
    return { solved: false, progress: 'That was more than one link. Rewind to before it, or start again.' };
  }
  if (cut === undefined) return { solved: false, progress: `${nowLeads(played)} No link is cut yet.` };
  return twoAtOnce(played);
}

export function forGood(played: Played): Said {
  const { history, events, headMs } = played;
  const since = events.at(-1)?.atMs ?? 0;
  if (!isWhole(history.members, history.blocked.at(headMs))) {
    return { solved: false, progress: 'A member is cut off from the rest. Heal a link.' };
  }
  const lastedMs = togetherUntilNow(history.claims, headMs, since);
  if (lastedMs === 0) return { solved: false, progress: nowLeads(played) };
  const solved = lastedMs >= FOR_GOOD_MS;
  return { solved, progress: `Two leaders for ${seconds(lastedMs)} of ${FOR_GOOD_MS / 1000} s.` };
}

export function inOneEpoch(played: Played): Said {
  const broken = played.history.violations.find(({ property }) => property === 'S1');
  if (broken === undefined) return { solved: false, progress: nowLeads(played) };
  return { solved: true, progress: `At ${seconds(broken.atMs)}: ${broken.detail.replace('term', 'epoch')}.` };
}

export function withoutTouching(played: Played): Said {
  const { found, why } = dethroned(played);
  if (found !== null) {
    const { member, toUs } = found;
    return {
      solved: true,
      progress: `${member} stopped leading at ${seconds(toUs! / 1000)}, although it was healthy.`,
    };
  }
  return { solved: false, progress: why ?? nowLeads(played) };
}

export function noRest(played: Played): Said {
  const { history, events, headMs } = played;
  const first = history.claims[0];
  if (first === undefined || events.length === 0) return { solved: false, progress: nowLeads(played) };
  if (!hasMajority(history.members, history.blocked.at(headMs))) {
    return { solved: false, progress: 'No member can talk to a majority any more. Heal a link.' };
  }
  const sinceMs = Math.max(first.fromUs / 1000, events.at(-1)!.atMs);
  if (!allRan(played, sinceMs)) return { solved: false, progress: 'Not all members run.' };
  // The ten seconds begin with the last action, or when a long leadership no longer takes up too much of them.
  const longOnes = history.claims
    .map((claim) => ({ fromMs: Math.max(claim.fromUs / 1000, sinceMs), toMs: endMs(claim, headMs) }))
    .filter(({ fromMs, toMs }) => toMs - fromMs >= REST_MS);
  const restMs = (fromMs: number, toMs: number): number =>
    Math.max(0, ...longOnes.map((long) => Math.min(long.toMs, toMs) - Math.max(long.fromMs, fromMs)));
  let lastedMs = 0;
  for (const fromMs of [sinceMs, ...longOnes.map(({ toMs }) => toMs - REST_MS + 0.001)]) {
    const toMs = Math.min(headMs, fromMs + NO_REST_MS);
    if (restMs(fromMs, toMs) < REST_MS && (toMs === headMs || toMs - fromMs >= NO_REST_MS)) {
      lastedMs = Math.max(lastedMs, toMs - fromMs);
    }
  }
  return {
    solved: lastedMs >= NO_REST_MS,
    progress: `No rest for ${seconds(lastedMs)} of ${NO_REST_MS / 1000} s.`,
  };
}

export function byClocks({ history }: Played): Said {
  const broken = history.violations.find(({ property }) => property === 'S10');
  if (broken !== undefined)
    return { solved: true, progress: `At ${seconds(broken.atMs)}: ${broken.detail}.` };
  const off = history.members.filter((id) => history.shots.get(id)!.last!.clockRate !== 1).length;
  return {
    solved: false,
    progress: `${off} of ${history.members.length} clocks are wrong; one member may act at a time.`,
  };
}

export function unbroken({ history }: Played): Said {
  const broken = history.violations.find(({ claimed }) => claimed);
  if (broken !== undefined) {
    return {
      solved: true,
      progress: `A promise broke at ${seconds(broken.atMs)}: ${broken.detail}. Please report it!`,
    };
  }
  const faults = countFaults(history);
  return { solved: false, progress: `It has survived ${faults} ${faults === 1 ? 'fault' : 'faults'}.` };
}
