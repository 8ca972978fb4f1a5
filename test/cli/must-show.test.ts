/** The commands that must work as they were asked for. */
import { describe, expect, it } from 'vitest';
import { simulateJson } from './caucus.ts';

const crash = (atMs: number, member: number) => ({ atMs, do: 'crash', member });

describe.concurrent('caucus simulate', () => {
  it('ring: five members, leader 1 dead: ends agreed on leader 2', async () => {
    const scenario = { protocol: 'ring', members: 5, untilMs: 60_000, events: [crash(1000, 1)] };
    expect((await simulateJson(scenario)).final).toMatchObject({ leader: 2, agreed: true });
  });

  it('bully, default preference highest: crashing 5 ends at 4, restarting 5 ends at 5', async () => {
    const scenario = { protocol: 'bully', members: 5, untilMs: 60_000, events: [crash(1000, 5)] };
    expect((await simulateJson(scenario)).final).toMatchObject({ leader: 4, agreed: true });
    const restart = { atMs: 30_000, do: 'restart', member: 5 };
    const again = { ...scenario, events: [...scenario.events, restart] };
    expect((await simulateJson(again)).final).toMatchObject({ leader: 5, agreed: true });
  });

  it('the scenario of the documentation', async () => {
    const scenario = {
      protocol: 'bully',
      options: { quorum: true },
      members: 5,
      timing: { heartbeatMs: 50, timeoutMs: [150, 300] },
      network: { latencyMs: [1, 10], loss: 0, duplicate: 0 },
      untilMs: 20_000,
      events: [
        { atMs: 1000, do: 'crash', member: 'leader' },
        { atMs: 5000, do: 'restart', member: 5, amnesia: false },
      ],
    };
    expect((await simulateJson(scenario)).final.agreed).toBe(true);
  });

  it('the same hash for the same seed in two processes, and another for another seed', async () => {
    const scenario = { protocol: 'epoch', network: { loss: 0.1, duplicate: 0.1 }, events: [crash(5000, 1)] };
    const hashOf = async (seed: string): Promise<string> =>
      (await simulateJson(scenario, '--seed', seed)).hash;
    const [first, second, other] = await Promise.all([hashOf('9'), hashOf('9'), hashOf('10')]);
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });
});
