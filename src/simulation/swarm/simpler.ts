import type { Definition, Json, MemberId } from '../../core/index.ts';
import { DEFAULT_QUALITY } from '../network.ts';
import type { WorldEvent } from '../scenario.ts';
import { tidyMs } from '../time.ts';
import { calmLatencyMs, timeoutOf, USUAL_TIMEOUT_MS } from './cluster.ts';
import type { Storm, StormMember } from './storm.ts';

type Simplify = (storm: Storm) => Storm | null;

/** The storm without some members and without the events about them, or null if no member would be left. */
export function withoutMembers(storm: Storm, ids: readonly MemberId[]): Storm | null {
  const members = storm.members.filter((member) => !ids.includes(member.id));
  if (members.length === 0) return null;
  const faults = storm.faults.map((fault) => forget(fault, ids)).filter((fault) => fault !== null);
  return { ...storm, members, faults };
}

function forget(fault: WorldEvent, ids: readonly MemberId[]): WorldEvent | null {
  if (fault.do === 'partition') {
    return { ...fault, groups: fault.groups.map((group) => group.filter((id) => !ids.includes(id))) };
  }
  const { member, peer, from, to, as } = fault as Partial<Record<string, MemberId>>;
  const named = [member, peer, from, to, as].filter((id) => id !== undefined);
  if (named.some((id) => ids.includes(id))) return null;
  if (fault.do !== 'twin' || fault.with === undefined) return fault;
  return { ...fault, with: fault.with.filter((id) => !ids.includes(id)) };
}

/** Ways to simplify a storm, each leaving a fair storm: what is calm stays calm by the timeouts. */
export function simplerStorms(storm: Storm, definition: Definition): readonly Simplify[] {
  const without =
    (field: 'options' | 'timing' | 'network', key: string): Simplify =>
    (each) => {
      const { [key]: value, ...rest } = each[field] as Record<string, Json>;
      return value === undefined ? null : { ...each, [field]: rest };
    };
  const derived = Object.keys(storm.timing).filter((name) => isDerived(definition, name));
  return [
    withoutCalm,
    (each) => (each.syncMs === null ? null : { ...each, syncMs: null }),
    (each) => (each.isFounded === true ? { ...each, isFounded: false } : null),
    withoutConnections,
    goodNetwork,
    ...['loss', 'duplicate', 'reorder'].map((key) => without('network', key)),
    calmLatency,
    usualTimes(definition),
    ...derived.map((name) => without('timing', name)),
    ...Object.keys(storm.options).map((name) => without('options', name)),
    ...storm.members.map(({ id }) => plainMember(id)),
    renumbered,
    ...storm.faults.flatMap((_, i) => plainerFault(i)),
  ];
}

/** In timeouts: longer than any storm. */
const NEVER = 1000;

/** If a promise is broken, the end of the faults may not matter. */
function withoutCalm(storm: Storm): Storm | null {
  const { stopMs, endMs, timeoutMs } = storm;
  return endMs === null || stopMs > endMs ? null : { ...storm, stopMs: tidyMs(endMs + NEVER * timeoutMs) };
}

function withoutConnections({ connections, ...storm }: Storm): Storm | null {
  return connections === undefined ? null : storm;
}

function goodNetwork(storm: Storm): Storm | null {
  return Object.keys(storm.network).length < 2 ? null : calmLatency({ ...storm, network: {} });
}

/** The latency as it is once calm; if that is the default, it is omitted. */
function calmLatency(storm: Storm): Storm | null {
  const { latencyMs: before, ...network } = storm.network;
  const { calmLatencyMs } = storm;
  const said = `${calmLatencyMs}` === `${DEFAULT_QUALITY.latencyMs}` ? {} : { latencyMs: calmLatencyMs };
  if (JSON.stringify(said.latencyMs) === JSON.stringify(before)) return null;
  return { ...storm, network: { ...network, ...said } };
}

/** A protocol derives it if it is not set. The timeout itself is always set then, since the storm needs it. */
function isDerived(definition: Definition, name: string): boolean {
  return name !== 'timeoutMs' && definition.timing[name]?.default === null;
}

/** The times of a protocol and the latency depend on each other: they return to their defaults together. */
function usualTimes(definition: Definition): Simplify {
  const timing = definition.timing.timeoutMs?.default === null ? { timeoutMs: USUAL_TIMEOUT_MS } : {};
  return (storm) => {
    if (JSON.stringify(storm.timing) === JSON.stringify(timing)) return null;
    const { latencyMs: _, ...network } = storm.network;
    const timeoutMs = timeoutOf(definition, timing);
    const calmMs = calmLatencyMs(definition, { options: storm.options, timing }, 1);
    return { ...storm, timing, timeoutMs, network, syncMs: null, calmLatencyMs: calmMs };
  };
}

function plainMember(id: MemberId): Simplify {
  return (storm) => {
    if (storm.members.every((member) => member.id !== id || Object.keys(member).length === 1)) return null;
    return { ...storm, members: storm.members.map((member) => (member.id === id ? { id } : member)) };
  };
}

/** Members 1 to n, in the same order. */
function renumbered(storm: Storm): Storm | null {
  const names = new Map<unknown, MemberId>(storm.members.map(({ id }, i) => [id, i + 1]));
  if ([...names].every(([before, after]) => before === after)) return null;
  const rename = <T>(id: T): T | MemberId => names.get(id) ?? id;
  return {
    ...storm,
    members: storm.members.map((member): StormMember => ({ ...member, id: rename(member.id) })),
    faults: storm.faults.map((fault): WorldEvent => {
      const copy: Record<string, unknown> = { ...fault };
      for (const field of ['member', 'peer', 'from', 'to', 'as']) {
        if (copy[field] !== undefined) copy[field] = rename(copy[field]);
      }
      if (fault.do === 'partition') copy.groups = fault.groups.map((group) => group.map(rename));
      if (fault.do === 'twin' && fault.with !== undefined) copy.with = fault.with.map(rename);
      return copy as unknown as WorldEvent;
    }),
  };
}

const OPTIONAL = [
  'half',
  'silent',
  'jumpMs',
  'proof',
  'earlier',
  'oneWay',
  'amnesia',
  'disk',
  'with',
  'copy',
  'count',
  'type',
  'from',
  'to',
  'reorder',
  'duplicate',
  'loss',
];

/** Omits one field of an event. If it was required the scenario is refused, and the candidate is dropped. */
function plainerFault(i: number): readonly Simplify[] {
  return OPTIONAL.map(
    (field): Simplify =>
      (storm) => {
        const fault = storm.faults[i] as Record<string, unknown> | undefined;
        if (fault?.[field] === undefined) return null;
        const { [field]: _, ...rest } = fault;
        return { ...storm, faults: storm.faults.map((each, k) => (k === i ? (rest as WorldEvent) : each)) };
      },
  );
}
