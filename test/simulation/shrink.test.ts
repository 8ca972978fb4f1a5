import { describe, expect, it } from 'vitest';
import { type Definition, majority } from '../../src/core/index.ts';
import { epoch } from '../../src/protocols/epoch.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import {
  drawStorm,
  type Failure,
  readScenario,
  runStorm,
  type Shrunk,
  type Storm,
  scenarioOf,
  shrink,
  simulate,
} from '../../src/simulation/index.ts';
import { faulty } from '../support/faulty.ts';

/** Votes for whoever asks, as often as it is asked. */
const forgetful = faulty(epoch, (state) => {
  (state as { votedFor: unknown }).votedFor = null;
});

/** A member that comes back never hears of the leader. */
const deaf = faulty(epoch, (state, input) => {
  const s = state as { deaf?: boolean };
  if (input.type === 'start' && input.incarnation > 1) s.deaf = true;
  return !(s.deaf && input.type === 'message' && input.message.type === 'keep-alive');
});

/** Does not survive a command. */
const clumsy = faulty(epoch, (_, input) => {
  if (input.type === 'command') throw new Error('commanded');
});

/** Helps a rival at once when it is told, without proof, that the leader is gone. */
const gullible = faulty(quorum, (_, input) => {
  if (input.type === 'peer-gone') (input as { proof: boolean }).proof = true;
});

function firstFailing(
  definition: Definition,
  fits: (storm: Storm, failure: Failure) => boolean = () => true,
): { storm: Storm; failure: Failure } {
  for (let seed = 1; seed <= 1000; seed++) {
    const storm = drawStorm(definition, seed);
    const { failure } = runStorm(storm, definition);
    if (failure !== null && fits(storm, failure)) return { storm, failure };
  }
  throw new Error(`no seed fails with ${definition.name}`);
}

const isLarge = ({ faults, members }: Storm): boolean => faults.length > 15 && members.length >= 5;

function shrunk(definition: Definition, storm: Storm, failure: Failure, mostTries?: number): Shrunk {
  const pieces = shrink(storm, failure, definition, mostTries);
  for (;;) {
    const { value, done } = pieces.next();
    if (done) return value;
  }
}

describe('a failing storm', () => {
  it('that breaks a promise shrinks to the few members and events that it takes, and ends there', () => {
    const { storm, failure } = firstFailing(forgetful, isLarge);
    const small = shrunk(forgetful, storm, failure);
    expect(small.failure.property).toBe(failure.property);
    expect(small.storm.seed).toBe(storm.seed);
    expect(small.storm.faults.length).toBeLessThanOrEqual(3);
    expect(small.storm.members.length).toBeLessThanOrEqual(4);
    expect(small.storm.endMs).toBeLessThanOrEqual(60_000);

    // What is written to a file fails too, read as anybody would read it.
    const saved = JSON.parse(JSON.stringify(scenarioOf(small.storm)));
    const { violations } = simulate(readScenario(saved, { epoch: forgetful }), storm.seed);
    const broken = violations.filter(({ claimed }) => claimed).map(({ property }) => property);
    expect(broken).toContain(failure.property);
    expect(saved.seed).toBe(storm.seed);
  });

  it('that does not settle keeps the calm after it, or it would prove nothing', () => {
    const { storm, failure } = firstFailing(deaf, (each, { property }) => isLarge(each) && property === 'L1');
    const small = shrunk(deaf, storm, failure);
    expect(small.failure.property).toBe('L1');
    // Restarts are enough, a second one where the first of the deaf comes to lead; two members, or there would be nobody to be deaf to.
    expect(small.storm.faults.length).toBeLessThanOrEqual(2);
    for (const fault of small.storm.faults) expect(fault.do).toMatch(/restart|crash/);
    expect(small.storm.members.length).toBeLessThanOrEqual(3);
    expect(small.storm.members.length).toBeGreaterThanOrEqual(2);
    const { events, untilMs } = scenarioOf(small.storm) as { events: { do: string }[]; untilMs: number };
    expect(untilMs - small.storm.stopMs).toBeCloseTo(40 * small.storm.timeoutMs, 2);
    if (small.storm.faults.some((fault) => fault.do === 'crash'))
      expect(events.at(-1)).toMatchObject({ do: 'restart', member: 'all' });
    expect(runStorm(small.storm, epoch).failure).toBe(null); // The bug, not the storm, is to blame.
  });

  it('in which the protocol throws shrinks to what makes it throw', () => {
    const { storm, failure } = firstFailing(clumsy, isLarge);
    const small = shrunk(clumsy, storm, failure);
    expect(small.failure).toMatchObject({ property: 'error', detail: 'commanded' });
    expect(small.storm.faults.length).toBe(1);
    expect(small.storm.members.length).toBe(1);
    expect(scenarioOf(small.storm)).toEqual({
      protocol: 'epoch',
      seed: storm.seed,
      members: 1,
      untilMs: expect.any(Number),
      events: [{ atMs: expect.any(Number), do: 'campaign', member: expect.anything() }],
    });
  });

  it('of the production protocol shrinks to evidence and what it needs', () => {
    const { storm, failure } = firstFailing(
      gullible,
      ({ faults, connections }) => faults.length > 15 && connections === undefined,
    );
    expect(failure.property).toBe('S10');
    const small = shrunk(gullible, storm, failure);
    const kinds = small.storm.faults.map((fault) => fault.do);
    expect(kinds).toContain('evidence');
    expect(kinds.length).toBeLessThanOrEqual(5);
    expect(small.storm.members.length).toBeLessThanOrEqual(5);
    expect(runStorm(small.storm, quorum).failure).toBe(null);
  });

  it('with connections shrinks to what is done to processes: what the others make of it needs no evidence', () => {
    const { storm, failure } = firstFailing(
      gullible,
      ({ faults, connections }) => faults.length > 15 && connections !== undefined,
    );
    const small = shrunk(gullible, storm, failure);
    expect(small.failure.property).toBe(failure.property);
    expect(small.storm.faults.length).toBeLessThanOrEqual(5);
    expect(small.storm.connections).toBeDefined();
    expect(small.storm.faults.map((fault) => fault.do)).not.toContain('evidence');
    expect(runStorm(small.storm, quorum).failure).toBe(null);
  });

  it('always shrinks to the same', () => {
    const { storm, failure } = firstFailing(forgetful, isLarge);
    expect(shrunk(forgetful, storm, failure)).toEqual(shrunk(forgetful, storm, failure));
  });

  it('is given no more runs than it may have, and what is found by then fails too', () => {
    const { storm, failure } = firstFailing(forgetful, isLarge);
    for (const most of [0, 1, 10]) {
      const { storm: some, tries } = shrunk(forgetful, storm, failure, most);
      expect(tries).toBeLessThanOrEqual(most);
      expect(runStorm(some, forgetful).failure?.property).toBe(failure.property);
    }
    expect(shrunk(forgetful, storm, failure).tries).toBeLessThan(500);
  });

  it('tells of every run that it tries', () => {
    const { storm, failure } = firstFailing(forgetful, isLarge);
    const told = [...shrink(storm, failure, forgetful, 20)].map(({ tries }) => tries);
    expect(told).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });

  it('never loses the ones who could lead on the way', () => {
    // Members of priority 0 alone would not settle, bug or not: a storm that shrank to them would be a false alarm.
    const stubborn = faulty(quorum, (_, input) => input.type !== 'timer' || input.timer !== 'election');
    const { storm, failure } = firstFailing(stubborn, ({ members }) => {
      const idle = members.filter((member) => member.priority === 0).length;
      return members.length > 3 && idle >= majority(members.length);
    });
    expect(failure.property).toBe('L1');
    const small = shrunk(stubborn, storm, failure);
    expect(small.storm.members.some((member) => member.priority !== 0)).toBe(true);
    expect(runStorm(small.storm, quorum).failure).toBe(null);
  });
});
