/** A run that is steered by hand: timers fire and messages arrive when the scenario says so. */
import { describe, expect, it } from 'vitest';
import { BadInput, type Definition, define, type Effect } from '../../src/core/index.ts';
import { readScenario, simulate } from '../../src/simulation/index.ts';
import { History } from '../support/history.ts';

const parrots = (events: object[]): History =>
  new History({ protocol: 'parrot', members: 2, network: { latencyMs: 1 }, untilMs: 1000, events });

describe('fire', () => {
  it('lets a timer come due now; the next one counts from here', () => {
    const history = parrots([{ atMs: 30, do: 'fire', member: 1, timer: 'tick' }]);
    expect(
      history
        .inputs(1, 'timer')
        .map(({ atMs }) => atMs)
        .slice(0, 3),
    ).toEqual([30, 130, 230]);
    expect(
      history
        .inputs(2, 'timer')
        .map(({ atMs }) => atMs)
        .slice(0, 2),
    ).toEqual([100, 200]);
    expect(history.events('fire')).toEqual([{ do: 'fire', member: 1, timer: 'tick' }]);
  });

  it('does nothing, and says so, if there is no such timer or nobody to hear it', () => {
    const history = parrots([
      { atMs: 10, do: 'fire', member: 1, timer: 'tock' },
      { atMs: 20, do: 'crash', member: 1 },
      { atMs: 30, do: 'fire', member: 1, timer: 'tick' },
      { atMs: 40, do: 'pause', member: 2 },
      { atMs: 50, do: 'fire', member: 2, timer: 'tick' },
    ]);
    expect(history.events('fire').map((event) => Object.keys(event))).toEqual(
      [1, 2, 3].map(() => ['do', 'skipped']),
    );
    expect(history.inputs(1, 'timer')).toEqual([]);
  });

  it('needs a member and the name of a timer', () => {
    const read = (event: object) => () =>
      readScenario({ events: [{ atMs: 1, do: 'fire', ...event }] }, { epoch });
    expect(read({ member: 1 })).toThrow(BadInput);
    expect(read({ timer: 'wait' })).toThrow(BadInput);
    expect(read({ member: 1, timer: 'wait' })).not.toThrow();
  });

  const epoch: Definition = define({
    ...{ name: 'epoch', summary: '', timing: {}, options: {}, messages: {}, commands: [] },
    create: () => holders([]),
  });

  /** Each member sets these timers as it starts, and may act while its first one runs. */
  function holders(timers: readonly (readonly [name: string, delayMs: number])[]) {
    return {
      name: 'holders',
      pledges: [],
      init: () => null,
      step(_: unknown, input: { type: string }, out: Effect[]) {
        if (input.type !== 'start') return;
        for (const [timer, delayMs] of timers) out.push({ type: 'set-timer', timer, delayMs });
        const view = {
          role: 'leader',
          leader: 1,
          term: null,
          lease: timers[0]![0],
          version: 0,
          value: null,
        } as const;
        out.push({ type: 'report', view });
      },
    };
  }

  /** Until when member 1 could act, if member 2's timer is fired at 10 ms. */
  function actsUntil(timers: readonly (readonly [name: string, delayMs: number])[], fired: string): number {
    const definition = define({ ...epoch, create: () => holders(timers) } as Definition);
    const events = [{ atMs: 10, do: 'fire', member: 2, timer: fired }];
    const scenario = readScenario({ protocol: 'it', members: 2, untilMs: 50, events }, { it: definition });
    return simulate(scenario, 1).acting.find(({ member }) => member === 1)!.toMs;
  }

  it('ends every lease that was set before that timer and for no longer', () => {
    expect(
      actsUntil(
        [
          ['lease', 100],
          ['promise', 100],
        ],
        'promise',
      ),
    ).toBe(10);
    expect(
      actsUntil(
        [
          ['lease', 100],
          ['promise', 99],
        ],
        'promise',
      ),
    ).toBe(50);
  });
});

describe('release', () => {
  const held = (events: object[]): number[] =>
    parrots([{ atMs: 0, do: 'hold', count: 100 }, ...events]).heard(2, 1);

  it('can pick the nth of what is held', () => {
    const pick = { atMs: 450, do: 'release', from: 1, to: 2 };
    expect(held([pick])).toEqual([1]);
    expect(held([{ ...pick, nth: 3 }])).toEqual([3]);
    expect(held([{ ...pick, nth: 3 }, { ...pick, nth: 3 }, pick])).toEqual([3, 4, 1]);
    expect(held([{ ...pick, nth: 2, count: 2 }])).toEqual([2, 3]);
    expect(held([{ ...pick, nth: 9 }])).toEqual([]);
  });

  it('can keep a copy, which arrives again when it is released again', () => {
    const copy = { atMs: 450, do: 'release', from: 1, to: 2, copy: true };
    expect(held([copy, copy, { ...copy, copy: false }, copy])).toEqual([1, 1, 1, 2]);
  });
});
