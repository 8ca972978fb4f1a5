import type { Definition } from '../../core/index.ts';
import type { WorldEvent } from '../scenario.ts';
import { tidyMs } from '../time.ts';
import type { Failure } from './failure.ts';
import { simplerStorms, withoutMembers } from './simpler.ts';
import { calmMsOf, type Storm, someoneMayLead } from './storm.ts';
import { runStorm } from './verdict.ts';

export interface Shrunk {
  readonly storm: Storm;
  readonly failure: Failure;
  readonly tries: number;
}

/** The maximum number of runs for one storm. */
const MOST_TRIES = 1500;

/**
 * Makes a failing storm smaller while it fails in the same way from the same seed: first fewer events and members,
 * then simpler settings, then less time. It yields after every run, so that its caller can stop or show progress.
 * Everything is tried in a fixed order: the same storm always shrinks to the same.
 */
export function* shrink(
  storm: Storm,
  failure: Failure,
  definition: Definition,
  mostTries: number = MOST_TRIES,
): Generator<Shrunk, Shrunk> {
  let best: Shrunk = { storm: cutShort(storm, failure), failure, tries: 0 };

  /** One more run: keeps the candidate if it fails as the first one did. */
  function* keepsFailing(candidate: Storm | null): Generator<Shrunk, boolean> {
    if (candidate === null || best.tries >= mostTries) return false;
    const fair = timely(candidate, failure);
    const longest = failure.atMs / storm.timeoutMs + SLACK;
    const found = sameFailure(fair, failure.property, longest, definition);
    const tries = best.tries + 1;
    best = found === null ? { ...best, tries } : { storm: cutShort(fair, found), failure: found, tries };
    yield best;
    return found !== null;
  }

  /** Removes events, in halves, quarters and so on down to single ones, the last ones first. */
  function* fewerFaults(): Generator<Shrunk, boolean> {
    let any = false;
    for (let size = Math.max(1, best.storm.faults.length >> 1); ; size >>= 1) {
      for (let at = best.storm.faults.length - size; at > -size; at -= size) {
        const { faults } = best.storm;
        const from = Math.max(0, at);
        if (from >= faults.length) continue;
        const rest = [...faults.slice(0, from), ...faults.slice(at + size)];
        if (yield* keepsFailing({ ...best.storm, faults: rest })) any = true;
      }
      if (size <= 1) return any;
    }
  }

  /** The first few alone, the last few alone, then each member separately. */
  function* fewerMembers(): Generator<Shrunk, boolean> {
    const ids = best.storm.members.map((member) => member.id);
    for (let left = 1; left < ids.length - 1; left++) {
      for (const gone of [ids.slice(left), ids.slice(0, -left)]) {
        if (yield* keepsFailing(withoutMembers(best.storm, gone))) return true;
      }
    }
    let any = false;
    for (const id of ids.toReversed()) {
      if (yield* keepsFailing(withoutMembers(best.storm, [id]))) any = true;
    }
    return any;
  }

  function* simpler(): Generator<Shrunk, boolean> {
    let any = false;
    for (const simplify of simplerStorms(best.storm, definition)) {
      if (yield* keepsFailing(simplify(best.storm))) any = true;
    }
    return any;
  }

  /** Removes waiting: everything from one event on, and the end, comes earlier. */
  function* sooner(): Generator<Shrunk, boolean> {
    for (let i = 0; i <= best.storm.faults.length; i++) {
      for (const share of [1, 0.5]) if (yield* keepsFailing(closeGap(best.storm, i, share))) break;
    }
    return false;
  }

  function* rounder(): Generator<Shrunk, boolean> {
    for (const gridMs of [1000, 100, 10, 1]) if (yield* keepsFailing(onGrid(best.storm, gridMs))) break;
    return false;
  }

  const passes = [fewerFaults, fewerMembers, simpler, sooner];
  for (let again = true; again; ) {
    again = false;
    for (const pass of passes) if (yield* pass()) again = true;
  }
  yield* rounder();
  return best;
}

/** In timeouts: a smaller storm may take a little longer to fail. */
const SLACK = 10;

/** The failure of that name in the candidate, or null: also if it is not a valid scenario. */
function sameFailure(
  candidate: Storm,
  property: string,
  longest: number,
  definition: Definition,
): Failure | null {
  if (isOfTheCalm(property) && !someoneMayLead(candidate)) return null;
  const endMs = candidate.endMs === null ? null : tidyMs(longest * candidate.timeoutMs);
  try {
    const { failure, world } = runStorm({ ...candidate, endMs }, definition);
    if (failure?.property === property) return failure;
    return world.violations.find((each) => each.claimed && each.property === property) ?? null;
  } catch {
    return null;
  }
}

/** What comes after a broken promise does not matter. A liveness failure needs the whole calm. */
function cutShort(storm: Storm, { property, atMs }: Failure): Storm {
  const exam = storm.exam && atMs > calmMsOf(storm);
  if (isOfTheCalm(property)) return { ...storm, exam };
  const faults = storm.faults.filter((fault) => fault.atMs <= atMs);
  return { ...storm, faults, exam, endMs: Math.max(atMs, 0.001) };
}

/** Another storm may need more time to settle than this one did, which is not a failure. */
function timely(storm: Storm, { property }: Failure): Storm {
  const { settle: _, ...usual } = storm;
  return property === 'L1' ? usual : storm;
}

function isOfTheCalm(property: string): boolean {
  return property.startsWith('L');
}

/** Moves the i-th event and all later ones nearer to the one before; the last gap is the one before the calm. */
function closeGap(storm: Storm, i: number, share: number): Storm | null {
  const { faults, stopMs, endMs, timeoutMs } = storm;
  const before = faults[i - 1]?.atMs ?? 0;
  const after = faults[i]?.atMs ?? (endMs === null ? stopMs : before);
  const byMs = (after - before) * share;
  if (byMs < timeoutMs / 20) return null;
  const moved = faults.map((fault, k) => (k < i ? fault : moveTo(fault, fault.atMs - byMs)));
  return { ...storm, faults: moved, stopMs: endMs === null ? tidyMs(stopMs - byMs) : stopMs };
}

/** Round times are easier to read. */
function onGrid(storm: Storm, gridMs: number): Storm {
  const up = (ms: number): number => Math.ceil(ms / gridMs) * gridMs;
  return {
    ...storm,
    faults: storm.faults.map((fault) => moveTo(fault, Math.round(fault.atMs / gridMs) * gridMs)),
    stopMs: up(storm.stopMs),
    endMs: storm.endMs === null ? null : up(storm.endMs),
  };
}

function moveTo(fault: WorldEvent, atMs: number): WorldEvent {
  return { ...fault, atMs: tidyMs(atMs) };
}
