import type { Json, MemberId } from '../core/index.ts';
import type { Stretch } from './ledger.ts';
import type { Scenario } from './scenario.ts';
import { toMs } from './time.ts';
import type { Violation } from './violation.ts';
import { World, type WorldOptions } from './world.ts';

export interface FinalView {
  /** `down` for a member that does not run. */
  readonly role: 'leader' | 'follower' | 'candidate' | 'none' | 'down';
  readonly leader: MemberId | null;
  readonly term: number | null;
  readonly version: number | null;
  readonly value: Json;
}

/** The result of a run: the object that `caucus simulate --json` prints. */
export interface Result {
  readonly protocol: string;
  readonly seed: number;
  readonly untilMs: number;
  readonly hash: string;
  readonly claims: readonly { member: MemberId; term: number | null; fromMs: number; toMs: number }[];
  readonly acting: readonly { member: MemberId; token: string | null; fromMs: number; toMs: number }[];
  readonly final: {
    readonly leader: MemberId | null;
    readonly agreed: boolean;
    readonly views: Readonly<Record<string, FinalView>>;
  };
  readonly changes: number;
  readonly darkMs: number;
  readonly doubleMs: number;
  readonly messages: { readonly total: number; readonly byType: Readonly<Record<string, number>> };
  readonly violations: readonly Violation[];
}

/** Runs a scenario from a seed to its end. */
export function simulate(scenario: Scenario, seed: number, options: WorldOptions = {}): Result {
  return resultOf(runWorld(scenario, seed, options));
}

export function runWorld(scenario: Scenario, seed: number, options: WorldOptions = {}): World {
  const world = new World(scenario, seed, options);
  world.runUntil(scenario.untilMs);
  world.finish();
  return world;
}

export function resultOf(world: World): Result {
  const { scenario, coverage, claims, acting } = world;
  return {
    protocol: scenario.definition.name,
    seed: world.seed,
    untilMs: scenario.untilMs,
    hash: world.hash,
    claims: claims.stretches.map((each) => ({ member: each.member, term: each.term, ...span(each) })),
    acting: acting.stretches.map((each) => ({
      member: each.member,
      token: each.term === null ? null : String(each.term),
      ...span(each),
    })),
    final: { ...agreement(world), views: viewsOf(world) },
    changes: Math.max(0, claims.stretches.length - 1),
    darkMs: toMs(coverage.darkUs),
    doubleMs: toMs(coverage.doubleUs),
    messages: messagesOf(world),
    violations: world.violations,
  };
}

/**
 * Every running process that was not removed names the same leader, and one process of that member believes it leads.
 */
export function agreement(world: World): { leader: MemberId | null; agreed: boolean } {
  const running = world.processes.filter(
    (host) => host.alive && !host.paused && !(host.view.role === 'none' && world.removed.has(host.id)),
  );
  const leader = running[0]?.view.leader ?? null;
  const agreed =
    leader !== null &&
    running.every((host) => host.view.leader === leader) &&
    running.filter((host) => host.id === leader && host.view.role === 'leader').length === 1;
  return { leader: agreed ? leader : null, agreed };
}

function viewsOf(world: World): Record<string, FinalView> {
  const views: Record<string, FinalView> = {};
  for (const { name, alive, view } of world.processes) {
    const { role, leader, term, version, value } = view;
    views[name] = alive
      ? { role, leader, term, version, value }
      : { role: 'down', leader: null, term: null, version: null, value: null };
  }
  return views;
}

function messagesOf(world: World): Result['messages'] {
  const byType = Object.fromEntries([...world.messagesByType].sort(([a], [b]) => (a < b ? -1 : 1)));
  const total = Object.values(byType).reduce((sum, count) => sum + count, 0);
  return { total, byType };
}

function span({ fromUs, toUs }: Stretch): { fromMs: number; toMs: number } {
  return { fromMs: toMs(fromUs), toMs: toMs(toUs ?? fromUs) };
}
