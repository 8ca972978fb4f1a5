import type { MemberId, Property, Protocol } from '../core/index.ts';
import { SAFETY_NAMES } from '../properties/index.ts';
import { type Bounds, checkBounds, DEFAULT_BOUNDS, isCounted } from './model/bounds.ts';
import { canHaveAliases, clusterOf, type Setup } from './model/cluster.ts';
import { Learned, type Lessons, NO_LESSONS } from './model/lessons.ts';
import type { Script } from './model/script.ts';
import { BreadthFirst } from './search/breadth-first.ts';
import { Covering } from './search/covering.ts';
import { checkEventually, type Eventually } from './search/eventually.ts';
import type { Found } from './search/findings.ts';
import { collisionProbability, FINGERPRINT_BITS } from './search/fingerprints.ts';
import { LoopsTooLarge } from './search/loops.ts';
import type { Progress, Search } from './search/search.ts';
import { type Space, spaceOf } from './search/space.ts';
import { NotSymmetric } from './search/symmetry.ts';
import { type Act, pathOf } from './tell/path.ts';

/** What is to be explored. */
export interface Exploring {
  readonly protocol: Protocol;
  readonly members: readonly Setup[];
  readonly bounds?: Partial<Bounds>;
  /** The events before the search; bounds count from there on. All members have started before it. */
  readonly script?: Script;
  /** The properties to check. Each keeps a piece of history in the states, so fewer properties mean fewer states. */
  readonly properties?: readonly Property[];
  /** Treat states as equal that differ only in which member is which, if the protocol allows it (default: true). */
  readonly symmetry?: boolean;
  /** Drop from states what can never matter again (default: true). */
  readonly forgetting?: boolean;
  /** Check only states that no other covers (default: true, if the network delivers any number of times, and as long as it saves work). */
  readonly covering?: boolean;
  /**
   * Remember states by fingerprints of 64 bits, for searches that would not fit into memory otherwise (default: false).
   * Every state is then checked separately.
   */
  readonly fingerprints?: boolean;
  /** Stop, incomplete, at this many states. */
  readonly maxStates?: number;
  /** At how many states to stop searching for a shorter history of what was found. */
  readonly maxStatesForShortest?: number;
  /** From how many states to check whether a leader is elected once the faults stop. */
  readonly samples?: number;
}

/** A broken property, and a history that breaks it. */
export interface Violation {
  readonly property: Property;
  /** Did the protocol promise it under what happened in this history? */
  readonly claimed: boolean;
  readonly members: readonly MemberId[];
  readonly detail: string;
  readonly acts: readonly Act[];
  /** No history with fewer events breaks it. */
  readonly shortest: boolean;
}

export interface Exploration {
  readonly protocol: string;
  readonly members: readonly MemberId[];
  readonly bounds: Bounds;
  readonly script: Script;
  /** Why members were not interchangeable; null if they were. */
  readonly asymmetry: string | null;
  /** Why nothing about earlier terms was dropped; null if something was. */
  readonly memory: string | null;
  /** Only states that no other covers were checked. */
  readonly covering: boolean;
  /** How many states were checked. */
  readonly states: number;
  readonly transitions: number;
  /** How many transitions led past a bound, where the search stopped. */
  readonly beyond: number;
  /** The distance of the furthest state from the start, in events. */
  readonly depth: number;
  /** The search within the bounds is complete. */
  readonly complete: boolean;
  /**
   * States were told apart by fingerprints of so many bits: the search is complete unless two states have the same one,
   * which is at most so probable. Null if states were compared in full.
   */
  readonly fingerprints: { readonly bits: number; readonly collisionProbability: number } | null;
  readonly violations: readonly Violation[];
  readonly sometimes: Readonly<Record<string, boolean>>;
  readonly eventually: Omit<Eventually, 'failed'> & {
    /** A history after which the members never agree, although no further fault happens; null if there is none. */
    readonly failed: readonly Act[] | null;
  };
}

const MOST_STATES = 50_000_000;
const MOST_FOR_SHORTEST = 300_000;
const SAMPLES = 1000;
/** Between two checks of the remaining memory. */
const STATES_AT_A_TIME = 256;

/** Explores to the end. */
export function explore(exploring: Exploring): Exploration {
  const explorer = new Explorer(exploring);
  while (explorer.advance(10_000)) {
    // Each call checks some more states.
  }
  return explorer.result();
}

/**
 * Checks every state of a small cluster that can be reached within the bounds. If one state can cover another, it
 * first finds what can be broken at all, and then the shortest history that breaks it.
 */
export class Explorer {
  readonly #exploring: Exploring;
  readonly #bounds: Bounds;
  #covering: boolean;
  readonly #fingerprints: boolean;
  readonly #maxStates: number;
  #lessons: Lessons;
  #space!: Space;
  #search!: Search;
  /** Searches the shortest histories of what was found. */
  #shortening: BreadthFirst | null = null;

  constructor(exploring: Exploring) {
    const { bounds, covering = true, fingerprints = false, maxStates = MOST_STATES } = exploring;
    this.#exploring = exploring;
    this.#bounds = { ...DEFAULT_BOUNDS, ...bounds };
    checkBounds(this.#bounds);
    this.#fingerprints = fingerprints;
    this.#covering =
      covering && !fingerprints && !isCounted(this.#bounds.network) && this.#bounds.depth === null;
    this.#maxStates = maxStates;
    this.#lessons = firstLessons(exploring);
    this.#learning(() => this.#begin());
  }

  /** Checks up to this many further states. False once the search has ended, or there is no memory left. */
  advance(states: number): boolean {
    let more = true;
    for (let left = states; more && left > 0; left -= STATES_AT_A_TIME) {
      this.#learning(() => {
        more = this.#advance(Math.min(left, STATES_AT_A_TIME));
      });
    }
    return more;
  }

  #advance(states: number): boolean {
    if (this.#shortening !== null) return this.#shorten(this.#shortening, states);
    if (this.#search.advance(states) && this.#search.states.size < this.#maxStates) return true;
    if (!this.#covering || this.#search.findings.all.length === 0) return false;
    this.#shortening = new BreadthFirst(this.#space);
    return true;
  }

  get progress(): Progress {
    return (this.#shortening ?? this.#search).progress;
  }

  /** A promise is known to be broken: a caller that only asks for that can stop. */
  get hasBrokenPromise(): boolean {
    return this.#search.findings.all.some(({ claimed }) => claimed);
  }

  result(): Exploration {
    const { protocol, members, script = [], samples = SAMPLES } = this.#exploring;
    const { progress, beyond, depth, isDone, sightings, states } = this.#search;
    return {
      protocol: protocol.name,
      members: clusterOf(protocol, members, false).ids,
      bounds: this.#bounds,
      script,
      asymmetry: this.#lessons.asymmetry,
      memory: this.#lessons.memory,
      covering: this.#covering,
      states: progress.states,
      transitions: progress.transitions,
      beyond,
      depth,
      complete: isDone,
      fingerprints: this.#fingerprints
        ? { bits: FINGERPRINT_BITS, collisionProbability: collisionProbability(states.size) }
        : null,
      violations: this.#search.findings.all.map((found) => this.#violation(found)),
      sometimes: sightings.result(),
      eventually: this.#eventually(samples),
    };
  }

  #eventually(samples: number): Exploration['eventually'] {
    const { failed, ...counts } = checkEventually(this.#space, this.#search.states, samples);
    return {
      ...counts,
      failed: failed === null ? null : pathOf(this.#space, this.#search, failed, null).acts,
    };
  }

  #begin(): void {
    const { protocol, members, script = [], properties = SAFETY_NAMES } = this.#exploring;
    const cluster = clusterOf(protocol, members, this.#lessons.asymmetry === null);
    this.#space = spaceOf(cluster, this.#bounds, script, new Set(properties), this.#lessons);
    this.#shortening = null;
    this.#search = this.#covering
      ? new Covering(this.#space)
      : new BreadthFirst(this.#space, this.#fingerprints);
  }

  /** Does the work; when a lesson is learned on the way, starts again with it. */
  #learning(work: () => void): void {
    let todo = work;
    for (;;) {
      try {
        return todo();
      } catch (error) {
        if (error instanceof Learned) this.#lessons = error.lessons;
        else if (error instanceof NotSymmetric)
          this.#lessons = { ...this.#lessons, asymmetry: error.message };
        else if (error instanceof LoopsTooLarge) this.#covering = false;
        else throw error;
        todo = () => this.#begin();
      }
    }
  }

  #shorten(shortening: BreadthFirst, states: number): boolean {
    const { maxStatesForShortest = MOST_FOR_SHORTEST } = this.#exploring;
    const sought = this.#search.findings.all;
    if (sought.every(({ property, claimed }) => shortening.findings.has(property, claimed))) return false;
    return shortening.advance(states) && shortening.states.size < maxStatesForShortest;
  }

  #violation({ property, claimed, state, action }: Found): Violation {
    const better = this.#shortening?.findings.all.find(
      (each) => each.property === property && each.claimed === claimed,
    );
    const path =
      better === undefined
        ? pathOf(this.#space, this.#search, state, action)
        : pathOf(this.#space, this.#shortening!, better.state, better.action);
    const { members, detail } = path.findings.find((finding) => finding.property === property)!;
    const shortest = better !== undefined || !this.#covering;
    return { property, claimed, members, detail, acts: path.acts, shortest };
  }
}

/** What is known before the search. */
function firstLessons({ members, symmetry = true, forgetting = true }: Exploring): Lessons {
  return {
    ...NO_LESSONS,
    asymmetry: symmetry ? (canHaveAliases(members) ? null : 'too many members') : 'not asked for',
    memory: forgetting ? null : 'not asked for',
  };
}
