/** What may go wrong in the explorer's world, each with the smallest protocol that notices it. */
import { describe, expect, it } from 'vitest';
import type { Effect, Input, MemberId, Protocol, View } from '../../src/core/index.ts';
import { type Bounds, type Exploration, type Exploring, explore } from '../../src/exploration/index.ts';

interface Notes {
  id: MemberId;
  others: MemberId[];
  heard: string[];
}

/** A protocol that only writes down what happens to it, as far as `listen` wants to hear it. */
function witness(
  listen: (input: Input, notes: Notes) => string | null,
  effects: (input: Input, notes: Notes) => Effect[] = () => [],
): Protocol {
  return {
    name: 'witness',
    pledges: [],
    init: ({ id, members }): Notes => ({ id, others: members.filter((other) => other !== id), heard: [] }),
    step(state, input, out) {
      const notes = state as Notes;
      const word = listen(input, notes);
      if (word !== null) notes.heard.push(word);
      out.push(...effects(input, notes));
    },
  };
}

const two = [{ id: 1 }, { id: 2 }];

function check(protocol: Protocol, bounds: Partial<Bounds>, more: Partial<Exploring> = {}): Exploration {
  const exact = { covering: false, symmetry: false, samples: 0 };
  return explore({ protocol, members: two, bounds: { crashes: 0, ...bounds }, ...exact, ...more });
}

const leads = (term: number | null): View => ({
  role: 'leader',
  leader: 1,
  term,
  lease: null,
  version: 0,
  value: null,
});

/** Leads once it has heard all of these, in this order: then a history that led to them was found. */
function leadsAfter(member: MemberId, words: readonly string[]): (input: Input, notes: Notes) => Effect[] {
  return (_, { id, heard }) =>
    id === member && heard.join() === words.join() ? [{ type: 'report', view: leads(null) }] : [];
}

function isReached(result: Exploration): boolean {
  return result.sometimes['a member leads'] === true;
}

describe('evidence', () => {
  const listen = (input: Input, { id }: Notes): string | null => {
    if (id !== 1) return null;
    if (input.type === 'peer-gone') return `gone ${input.peer}${input.proof ? ' proof' : ''}`;
    return input.type === 'peer-back' ? `back ${input.peer}` : null;
  };
  const reaches = (words: readonly string[], bounds: Partial<Bounds>): boolean =>
    isReached(check(witness(listen, leadsAfter(1, words)), bounds));

  it('comes as often as the bound says, true or false', () => {
    expect(reaches(['gone 2'], { evidence: 1 })).toBe(true);
    expect(reaches(['gone 2', 'back 2'], { evidence: 1 })).toBe(false);
    expect(reaches(['gone 2', 'back 2'], { evidence: 2 })).toBe(true);
    expect(reaches(['gone 2'], {})).toBe(false);
  });

  it('is called proof only where it is true', () => {
    expect(reaches(['gone 2 proof'], { evidence: 1 })).toBe(false);
    expect(reaches(['gone 2 proof'], { evidence: 1, crashes: 1 })).toBe(true);
    expect(reaches(['gone 2 proof'], { evidence: 1, falseProof: true })).toBe(true);
  });

  it('that is false and called proof takes back what was promised on the strength of proof', () => {
    const lead = (input: Input): Effect[] =>
      input.type === 'peer-gone' && input.proof ? [{ type: 'report', view: leads(null) }] : [];
    const pledges = [{ property: 'S10', assuming: ['proof'] }] as const;
    const { violations } = check({ ...witness(listen, lead), pledges }, { evidence: 2, falseProof: true });
    expect(violations.map(({ property, claimed }) => [property, claimed])).toEqual([['S10', false]]);
  });
});

describe('commands', () => {
  const listen = (input: Input): string | null => {
    if (input.type !== 'command') return null;
    const { command, id } = input;
    return command.type === 'transfer' ? `${id} to ${command.to}` : `${id} ${command.type}`;
  };
  const reaches = (words: readonly string[], commands: Bounds['commands']): boolean =>
    isReached(check(witness(listen, leadsAfter(1, words)), { commands }));

  it('are given in every order, up to the bound, with running numbers', () => {
    const commands = { most: 2, types: ['campaign', 'resign', 'transfer'] } as const;
    expect(reaches(['1 campaign', '2 resign'], commands)).toBe(true);
    expect(reaches(['1 to 2'], commands)).toBe(true);
    expect(reaches(['2 campaign'], commands)).toBe(true);
    expect(reaches(['1 campaign', '2 resign', '3 resign'], commands)).toBe(false);
    expect(reaches(['1 campaign'], { most: 0, types: ['campaign'] })).toBe(false);
  });
});

describe('draws', () => {
  const listen = (input: Input): string | null =>
    input.type === 'drawn' ? `${input.draw}${input.value}` : null;
  const draw = (...names: string[]): Effect[] => names.map((name) => ({ type: 'draw', draw: name }));

  it('fall in every way there is, one after the other', () => {
    const reaches = (words: readonly string[]): boolean => {
      const lead = leadsAfter(1, words);
      const ask = (input: Input, notes: Notes): Effect[] =>
        input.type === 'start' && notes.id === 1 ? draw('a', 'b') : lead(input, notes);
      return isReached(check(witness(listen, ask), { draws: ['0', '1', '2'] }));
    };
    expect(reaches(['a0', 'b2'])).toBe(true);
    expect(reaches(['a2', 'b2'])).toBe(true);
    expect(reaches(['b0', 'a0'])).toBe(false);
    expect(reaches(['a3', 'b0'])).toBe(false);
  });

  it('make as many beginnings as there are ways', () => {
    const ask = (input: Input): Effect[] => (input.type === 'start' ? draw('a') : []);
    expect(check(witness(listen, ask), { draws: ['0', '1', '2'] }).states).toBe(9);
    expect(check(witness(listen, ask), { draws: ['0', '1'] }).states).toBe(4);
  });
});

describe('a network that counts', () => {
  const ping = (input: Input, { id, others }: Notes): Effect[] =>
    input.type === 'start' && id === 1
      ? ['x', 'y'].map((type) => ({ type: 'send', to: others[0]!, message: { type } }))
      : [];
  const listen = (input: Input): string | null => (input.type === 'message' ? input.message.type : null);
  const reaches = (words: readonly string[], network: Bounds['network']): boolean => {
    const lead = leadsAfter(2, words);
    return isReached(
      check(
        witness(listen, (input, notes) => [...ping(input, notes), ...lead(input, notes)]),
        { network, depth: 6 },
      ),
    );
  };
  const counted = { drops: 0, duplicates: 0, inFlight: 3 };

  it('delivers in any order, each message once', () => {
    expect(reaches(['x', 'y'], counted)).toBe(true);
    expect(reaches(['y', 'x'], counted)).toBe(true);
    expect(reaches(['x', 'x'], counted)).toBe(false);
  });

  it('repeats as many as it may', () => {
    expect(reaches(['x', 'x'], { ...counted, duplicates: 1 })).toBe(true);
    expect(reaches(['x', 'x', 'x'], { ...counted, duplicates: 1 })).toBe(false);
    expect(reaches(['x', 'y', 'x', 'y'], 'any')).toBe(true);
  });

  it('goes no further where too much is under way', () => {
    const { beyond, states } = check(
      witness(() => null, ping),
      { network: { ...counted, duplicates: 2, inFlight: 3 } },
    );
    expect(beyond).toBeGreaterThan(0);
    expect(states).toBeGreaterThan(1);
  });

  it('loses as many as it may, and what arrives at a member that is down is lost as well', () => {
    const states = (network: Bounds['network'], crashes: number): number =>
      check(
        witness(() => null, ping),
        { network, crashes },
      ).states;
    expect(states(counted, 0)).toBe(4); // Nothing matters but which of the two messages are still under way.
    expect(states({ ...counted, drops: 1 }, 0)).toBe(7);
  });
});

describe('the start', () => {
  it('counts too: two that lead as soon as they start are found', () => {
    const lead = (input: Input): Effect[] =>
      input.type === 'start' ? [{ type: 'report', view: leads(1) }] : [];
    for (const covering of [true, false]) {
      const { violations, sometimes } = check(
        witness(() => null, lead),
        {},
        { covering },
      );
      expect(violations.map(({ property, detail, acts }) => [property, detail, acts.length])).toEqual([
        ['S1', '1 and 2 both won term 1', 2],
        ['S10', '1 and 2 could both act (2 in term 1)', 2],
        ['S6', '2 acts with token 1 after 1 acted with 1', 2],
      ]);
      expect(sometimes['two members have led']).toBe(true);
    }
  });
});

describe('other bounds', () => {
  const tick = (input: Input): Effect[] =>
    input.type === 'start' || input.type === 'timer'
      ? [{ type: 'set-timer', timer: 'tick', delayMs: 1 }]
      : [];
  const listen = (input: Input): string | null => (input.type === 'timer' ? 'tick' : null);

  it('timers: only so many fire', () => {
    const clock = witness(listen, tick);
    expect(check(clock, { timers: 3 })).toMatchObject({ complete: true, states: 10 }); // 1 + 2 + 3 + 4
  });

  it('counters: what a protocol says grows without end is cut off', () => {
    const clock: Protocol = {
      ...witness(listen, tick),
      measure: (state) => ({ ticks: (state as Notes).heard.length }),
    };
    expect(check(clock, { counters: { ticks: 2 } })).toMatchObject({ complete: true, states: 9 });
    expect(check(clock, {})).toMatchObject({ complete: true, states: 9 }); // A counter that nobody named gets 2.
  });

  it('refuses a bound that it cannot count to', () => {
    expect(() =>
      check(
        witness(() => null),
        { crashes: 16 },
      ),
    ).toThrow('crashes: at most 15, not 16');
  });
});
