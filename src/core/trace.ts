import type { Effect } from './effect.ts';
import type { MemberId } from './ids.ts';
import type { Input } from './input.ts';
import type { Json } from './json.ts';

/**
 * A trace is NDJSON: one header, then one line per event, in order. It is the same in every host, so a recording of a
 * real cluster replays like a simulated one.
 */
export type TraceLine = TraceHeader | TraceStep | TraceEvent;

export interface TraceHeader {
  readonly trace: 'caucus/1';
  readonly protocol: string;
  readonly members: readonly MemberId[];
  readonly timing: Json;
  readonly options: Json;
  /** Null if nothing was seeded: in a recording of real members. */
  readonly seed: number | null;
}

/** One member processed one input. */
export interface TraceStep {
  readonly atMs: number;
  readonly member: MemberId;
  readonly input: Input;
  readonly effects: readonly Effect[];
}

/** Something happened outside the members: a crash, a cut, a lost message. */
export interface TraceEvent {
  readonly atMs: number;
  readonly event: { readonly do: string; readonly [field: string]: Json };
}

export function encodeTraceLine(line: TraceLine): string {
  return `${JSON.stringify(line)}\n`;
}
