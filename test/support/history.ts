import type { Definition, Input, MemberId, TraceEvent, TraceLine, TraceStep } from '../../src/core/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { readScenario, runWorld, type World } from '../../src/simulation/index.ts';
import { parrot } from './parrot.ts';

const everything: Record<string, Definition> = { ...catalogue, parrot };

/** A run together with all that happened in it. */
export class History {
  readonly world: World;
  readonly lines: TraceLine[] = [];

  constructor(scenario: object, seed = 1) {
    const read = readScenario(scenario, everything);
    this.world = runWorld(read, seed, { freeze: true, trace: (line) => this.lines.push(line) });
  }

  /** The inputs of one kind that a member took, with their times. */
  inputs<K extends Input['type']>(
    member: MemberId,
    type: K,
  ): { atMs: number; input: Extract<Input, { type: K }> }[] {
    return this.lines
      .filter(
        (line): line is TraceStep => 'input' in line && line.member === member && line.input.type === type,
      )
      .map(({ atMs, input }) => ({ atMs, input: input as Extract<Input, { type: K }> }));
  }

  /** The numbers of the pings that one parrot heard from another. */
  heard(by: MemberId, from: MemberId): number[] {
    return this.inputs(by, 'message')
      .filter(({ input }) => input.from === from)
      .map(({ input }) => (input.message as unknown as { n: number }).n);
  }

  events(what: string): TraceEvent['event'][] {
    const events = this.lines.filter((line): line is TraceEvent => 'event' in line);
    return events.map((line) => line.event).filter((event) => event.do === what);
  }
}
