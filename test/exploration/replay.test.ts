/** A counterexample is worth more if it can be played: the scenario must break the same property when simulated. */
import { describe, expect, it } from 'vitest';
import { type Definition, define, type Protocol, readSettings } from '../../src/core/index.ts';
import { type Bounds, explore, replayOf, retell, traceOf } from '../../src/exploration/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { readScenario, simulate } from '../../src/simulation/index.ts';
import { narrate } from '../../src/story/index.ts';
import { epochBugs, epochProtocol } from '../support/bent.ts';
import { tenancy } from '../support/tenancy.ts';

const members = [1, 2, 3].map((id) => ({ id }));

/** A protocol without settings as it would stand in the catalogue, so that a scenario can name it. */
function definitionOf(protocol: Protocol, messages: Definition['messages']): Definition {
  const { name } = protocol;
  return define({
    name,
    summary: name,
    timing: {},
    options: {},
    messages,
    commands: ['campaign'],
    create: () => protocol,
  });
}

/** Explores, replays every violation, and says which properties each run broke. */
function replayed(
  definition: Definition,
  bounds: Partial<Bounds>,
): { property: string; claimed: boolean; seen: boolean }[] {
  const timing = readSettings(definition.timing, {}, '');
  const options = readSettings(definition.options, {}, '');
  const exploring = { protocol: definition.create({ timing, options }), members, bounds, samples: 0 };
  return explore(exploring).violations.map(({ property, claimed, acts }) => {
    const replay = replayOf(retell(exploring, acts))!;
    const scenario = readScenario({ protocol: 'it', members: 3, ...replay }, { it: definition });
    const { violations } = simulate(scenario, 1, { freeze: true });
    const seen = violations.some((each) => each.property === property && each.claimed === claimed);
    return { property, claimed, seen };
  });
}

function expectAllSeen(results: { property: string; claimed: boolean; seen: boolean }[], some: string): void {
  expect(results.map(({ property }) => property)).toContain(some);
  expect(results.filter(({ seen }) => !seen)).toEqual([]);
}

const epoch = catalogue.epoch!;
const bully = catalogue.bully!;

describe('the scenario of a counterexample breaks the same property', () => {
  it('epoch: two leaders at once', () => expectAllSeen(replayed(epoch, { terms: 2, crashes: 0 }), 'S10'));

  it('epoch: two winners in one term, after a disk was lost', () =>
    expectAllSeen(replayed(epoch, { terms: 1, crashes: 1, amnesia: 1 }), 'S1'));

  it('epoch, in a network that counts what it loses and repeats', () => {
    const network = { drops: 1, duplicates: 1, inFlight: 4 };
    expectAllSeen(replayed(epoch, { terms: 2, crashes: 0, network }), 'S10');
  });

  it('bully: two leaders at once', () => expectAllSeen(replayed(bully, { crashes: 1 }), 'S10'));

  for (const [name, { breaks, protocol, bounds }] of Object.entries(epochBugs)) {
    it(`epoch that ${name}`, () => {
      expectAllSeen(replayed(definitionOf(protocol, epoch.messages), bounds), breaks);
    });
  }

  for (const bug of ['fromReceipt', 'shortPromise', 'anyRound', 'forgetful', 'anyLife'] as const) {
    it(`a lease with the bug ${bug}`, () => {
      const any = { expected: 'anything', read: (value: unknown) => value as object };
      const definition = definitionOf(tenancy({ [bug]: true }), { ask: any, grant: any });
      expectAllSeen(replayed(definition, { crashes: 1, counters: { round: 2 } }), 'S10');
    });
  }

  it('and a lease without a bug cannot be broken by firing timers by hand', () => {
    const any = { expected: 'anything', read: (value: unknown) => value as object };
    const definition = definitionOf(tenancy(), { ask: any, grant: any });
    const at = (atMs: number, event: object): object => ({ atMs, ...event });
    const events = [
      at(0, { do: 'hold', count: 100 }),
      ...[1, 2, 3].map((member) => at(1, { do: 'fire', member, timer: 'promise' })),
      at(2, { do: 'fire', member: 1, timer: 'wait' }),
      at(3, { do: 'release', from: 1, to: 2, type: 'ask' }),
      at(4, { do: 'release', from: 2, to: 1, type: 'grant' }),
      at(5, { do: 'fire', member: 2, timer: 'promise' }),
      at(6, { do: 'fire', member: 3, timer: 'wait' }),
      at(7, { do: 'release', from: 3, to: 2, type: 'ask' }),
      at(8, { do: 'release', from: 2, to: 3, type: 'grant' }),
    ];
    const scenario = readScenario({ protocol: 'it', members: 3, untilMs: 10, events }, { it: definition });
    const { acting, violations, doubleMs } = simulate(scenario, 1);
    expect(acting.map(({ member, fromMs, toMs }) => [member, fromMs, toMs])).toEqual([
      [1, 4, 5],
      [3, 8, 10],
    ]);
    expect({ violations, doubleMs }).toEqual({ violations: [], doubleMs: 0 });
  });
});

describe('a history in words', () => {
  it('tells each act and what came of it', () => {
    const exploring = { protocol: epochProtocol(), members, bounds: { terms: 1, amnesia: 1 }, samples: 0 };
    const { acts } = explore(exploring).violations.find(({ property }) => property === 'S3')!;
    expect(traceOf(retell(exploring, acts)).map((line) => narrate(line))).toEqual([
      '1 starts · is follower in 0',
      '2 starts · is follower in 0',
      '3 starts · is follower in 0',
      '1 timer wait · saves {"epoch":1,"votedFor":1} · is candidate in 1 · → 2 vote-request 1 · → 3 vote-request 1',
      '* crash member=1',
      '* restart member=1 amnesia=true',
      '1 starts · is follower in 0',
    ]);
  });

  it('ends a step where its process dies in the middle of a save', () => {
    const { protocol } = epochBugs['sends before it saves']!;
    const exploring = { protocol, members, bounds: { terms: 1, crashes: 1 }, samples: 0 };
    const { acts } = explore(exploring).violations.find(({ property }) => property === 'S2')!;
    const lines = traceOf(retell(exploring, acts)).map((line) => narrate(line));
    const death = lines.findIndex((line) => line?.startsWith('* crash'));
    expect(lines[death]).toMatch(/saving=1$/);
    expect(lines[death - 1]).toContain('vote');
    expect(lines[death - 1]).not.toContain('saves');
  });

  it('has no scenario if a timer would fire by itself before it is over', () => {
    const told = retell({ protocol: tenancy(), members: [{ id: 1 }, { id: 2 }] }, [
      {
        kind: 'react',
        member: 1,
        cause: { type: 'start', amnesia: false, incarnation: 1 },
        draws: [],
        diesAtSave: null,
      },
      {
        kind: 'react',
        member: 2,
        cause: { type: 'start', amnesia: false, incarnation: 1 },
        draws: [],
        diesAtSave: null,
      },
    ]);
    const instant = told.map((each) => ({
      ...each,
      reaction: { ...each.reaction!, timers: [{ timer: 'wait', delayMs: 0 }] },
    }));
    expect(replayOf(told)).not.toBe(null);
    expect(replayOf(instant)).toBe(null);
  });
});
