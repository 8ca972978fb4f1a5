import { describe, expect, it } from 'vitest';
import { play } from '../support/play.ts';

describe('whole runs of the ring of seed 000', () => {
  const run = (events: object[], more: object = {}) =>
    ({ protocol: 'ring', members: 5, untilMs: 60_000, events, ...more }) as const;
  const seeds = Array.from({ length: 50 }, (_, i) => i + 1);

  it('the leader dies: the next lowest leads, whatever the seed', () => {
    for (const seed of seeds) {
      const { final, changes } = play(run([{ atMs: 1000, do: 'crash', member: 1 }]), seed);
      expect(final, `seed ${seed}`).toMatchObject({ agreed: true, leader: 2 });
      expect(changes).toBe(1);
    }
  });

  it('nothing happens: no election, no duty made twice', () => {
    for (const seed of seeds) {
      const { messages, final } = play(run([]), seed);
      expect(final, `seed ${seed}`).toMatchObject({ agreed: true, leader: 1 });
      expect(Object.keys(messages.byType)).toEqual(['ack', 'alive', 'heartbeat', 'heartbeat-invoke']);
      // One duty, passed on once a second and a little.
      expect(messages.byType['heartbeat-invoke']).toBeLessThanOrEqual(60);
      expect(messages.byType['heartbeat-invoke']).toBeGreaterThan(55);
    }
  });

  it('a follower that restarts finds its way back into the ring without an election', () => {
    for (const member of [2, 3, 5]) {
      const { final, messages } = play(
        run([
          { atMs: 4000, do: 'crash', member },
          { atMs: 5000, do: 'restart', member },
        ]),
      );
      expect(final).toMatchObject({ agreed: true, leader: 1 });
      expect(messages.byType.election).toBeUndefined();
    }
  });

  it('so does a leader that restarts before anybody asks for it', () => {
    const { final, messages } = play(
      run([
        { atMs: 500, do: 'crash', member: 1 },
        { atMs: 600, do: 'restart', member: 1 },
      ]),
    );
    expect(final).toMatchObject({ agreed: true, leader: 1 });
    expect(messages.byType.election).toBeUndefined();
  });

  it('a former leader that comes back follows the one that was elected', () => {
    const { final } = play(
      run([
        { atMs: 1000, do: 'crash', member: 1 },
        { atMs: 8000, do: 'restart', member: 1 },
      ]),
    );
    expect(final).toMatchObject({ agreed: true, leader: 2 });
  });

  it('a duty that is lost with its carrier is made again', () => {
    const { final } = play(
      run(
        [
          { atMs: 1500, do: 'crash', member: 3 },
          { atMs: 30_000, do: 'crash', member: 1 },
        ],
        { network: { latencyMs: 5 } },
      ),
    );
    expect(final).toMatchObject({ agreed: true, leader: 2 });
  });

  // Member 3 has acknowledged it; what it hands on is lost, and 3 dies before it can try again.
  it.each([
    { type: 'election', crashAtMs: 80 },
    { type: 'leader', crashAtMs: 150 },
  ])('$type that is lost with its carrier is made again', ({ type, crashAtMs }) => {
    const { final, darkMs } = play(
      run(
        [
          { atMs: 1, do: 'crash', member: 1 },
          { atMs: 1, do: 'drop', from: 3, type },
          { atMs: crashAtMs, do: 'crash', member: 3 },
        ],
        { network: { latencyMs: 5 }, options: { missedHeartbeatTolerance: 0 } },
      ),
    );
    expect(darkMs).toBeGreaterThan(5000);
    expect(final).toMatchObject({ agreed: true, leader: 2 });
  });

  it('each side of a partition elects; when it heals, all follow the leader of the later round', () => {
    const groups = [
      [1, 2],
      [3, 4, 5],
    ];
    for (const seed of seeds) {
      const { final, doubleMs } = play(
        run([
          { atMs: 1000, do: 'partition', groups },
          { atMs: 25_000, do: 'heal' },
        ]),
        seed,
      );
      expect(final, `seed ${seed}`).toMatchObject({ agreed: true, leader: 3 });
      expect(doubleMs).toBeGreaterThan(0);
    }
  });

  it('a leader that was paused and replaced follows when it goes on', () => {
    for (const seed of seeds) {
      const { final } = play(
        run([
          { atMs: 1000, do: 'pause', member: 1 },
          { atMs: 20_000, do: 'resume', member: 1 },
        ]),
        seed,
      );
      expect(final, `seed ${seed}`).toMatchObject({ agreed: true, leader: 2 });
    }
  });

  it('a network that is too slow for its timeouts does not choke the ring: it recovers at once', () => {
    const slow = run([{ atMs: 40_000, do: 'network', latencyMs: 5 }], { network: { latencyMs: 100 } });
    const { final, messages } = play(slow);
    expect(final.agreed).toBe(true);
    // In the 40 s of the slow network: without the bound on what a member has in flight it would be millions.
    expect(messages.total).toBeLessThan(12_000);
  });
});
