import type { CheckResult } from '../src/cli/commands/check/result.ts';
import type { Json } from '../src/core/index.ts';
import type { Bounds } from '../src/exploration/index.ts';
import type { ExplorationName } from '../test/supporting/explorations.ts';
import type { Hunted } from './hunted.ts';
import type { Stood } from './mutants-document.ts';

/** A scenario that breaks something, and how it was found. */
export interface Example {
  readonly scenario: Readonly<Record<string, Json>>;
  /** What it breaks, seen when it was replayed. */
  readonly properties: readonly string[];
  /** Its history in the words of the explorer; null where the simulator tells it. */
  readonly trace: readonly string[] | null;
  /** No history has fewer steps. */
  readonly isShortest: boolean;
}

export interface ExploreJob {
  readonly kind: 'explore';
  readonly subject: string;
  /** The fault whose row it belongs to; null where it only stands in the list of explorations. */
  readonly fault: string | null;
  readonly bounds: Partial<Bounds>;
}

export interface TrialsJob {
  readonly kind: 'trials';
  readonly subject: string;
  readonly fault: string;
}

export interface CompareJob {
  readonly kind: 'compare';
  readonly subject: string;
}

export interface SwarmJob {
  readonly kind: 'swarm';
  readonly from: number;
  readonly runs: number;
}

/** An exploration that begins where a script has led. */
export interface DirectedJob {
  readonly kind: 'directed';
  readonly name: string;
  /** Without the rule that stands against it. */
  readonly isPlanted: boolean;
}

/** An exploration of changes of members from the first start on, without a script. */
export interface UnscriptedJob {
  readonly kind: 'unscripted';
  readonly name: string;
  /** The way in which an earlier version was broken whose remedy is taken out; null: today's rules. */
  readonly planted: string | null;
}

/** An exploration of support between two processes (`test/supporting`). */
export interface SupportJob {
  readonly kind: 'support';
  readonly name: ExplorationName;
}

/** Hunts some of the bugs that are planted in one part of the source. */
export interface HuntJob {
  readonly kind: 'hunt';
  readonly in: 'protocol' | 'peers' | 'store' | 'host' | 'support';
  readonly from: number;
  readonly to: number;
}

/** Shows that what hunts the bugs finds nothing in the protocol as it is. */
export interface StandJob {
  readonly kind: 'stand';
}

export type Job =
  | ExploreJob
  | TrialsJob
  | CompareJob
  | SwarmJob
  | DirectedJob
  | UnscriptedJob
  | SupportJob
  | HuntJob
  | StandJob;

export interface Explored {
  readonly job: ExploreJob;
  readonly result: CheckResult;
}

export interface BrokenInRuns {
  readonly property: string;
  readonly claimed: boolean;
  readonly runs: number;
  readonly firstSeed: number;
}

export interface Tried {
  readonly job: TrialsJob;
  readonly runs: number;
  /** How many leaderships began after the first: that something happened. */
  readonly changes: number;
  readonly broken: readonly BrokenInRuns[];
  readonly examples: readonly Example[];
}

/** What one trouble did to one election, on average over its runs. */
export interface Compared {
  readonly trouble: string;
  readonly subject: string;
  /** The part of the trouble's time during which two could act. */
  readonly doubleShare: number;
  /** Leaders that were deposed though nothing had been done to them, in each run. */
  readonly deposed: number;
  readonly example: Example | null;
}

export interface Swarmed {
  readonly runs: number;
  readonly steps: number;
  readonly seconds: number;
  readonly failed: readonly number[];
}

export interface Directed {
  readonly job: DirectedJob | UnscriptedJob;
  readonly bounds: Bounds;
  readonly states: number;
  readonly complete: boolean;
  /** The promises that were broken. */
  readonly found: readonly string[];
  readonly seconds: number;
}

export interface Supported {
  readonly job: SupportJob;
  readonly states: number;
  readonly complete: boolean;
  /** In how many of the states an election rested on both sides. */
  readonly resting: number;
  /** What was broken, or null. */
  readonly broken: string | null;
  readonly seconds: number;
}

export interface AnswerOf {
  readonly explore: Explored;
  readonly trials: Tried;
  readonly compare: readonly Compared[];
  readonly swarm: Swarmed;
  readonly directed: Directed;
  readonly unscripted: Directed;
  readonly support: Supported;
  readonly hunt: readonly Hunted[];
  readonly stand: readonly Stood[];
}
