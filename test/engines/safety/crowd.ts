/**
 * Many participants on three members: forty pods of a Deployment over three fixed voters. They are killed with -9, scaled up and
 * down, and come back under other names, while members are killed, stopped and restarted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../../support/ground.ts';
import type { Members } from '../../support/servers/members.ts';
import { Crew, type Participant } from './crew.ts';

export interface CrowdResult {
  /** What must not be, in words: two that may act at one moment, or a token that was given twice. */
  readonly faults: readonly string[];
  readonly leaderships: number;
  /** What is left in the register at the end. */
  readonly left: unknown;
}

const isAlive = ({ child }: Participant): boolean => child.exitCode === null && child.signalCode === null;

export async function runCrowd(
  members: Members,
  {
    count,
    rounds,
    leaseMs,
    say,
    places,
  }: {
    count: number;
    rounds: number;
    leaseMs: number;
    say: (text: string) => void;
    /** Where the participants are, in turn; with the test if omitted. */
    places?: readonly Place[];
  },
): Promise<CrowdResult> {
  // No proxies: each process has the addresses of the members, and nothing else.
  const site = { ports: null, way: () => ({ url: members.url }) };
  const options = { leaseMs };
  const crew = new Crew();
  try {
    await crew.add(count, site, options, places);
    let token = await crew.leads(0n);
    const alive = (): Participant[] => crew.participants.filter(isAlive);
    for (let round = 0; round < rounds; round++) {
      say(`round ${round + 1}: ${alive().length} participants, token ${token}`);
      const next = crew.leads(token);
      await crew.kill([crew.leader!]);
      token = await next;
      say('the leader was killed, another leads');

      const manager = await members.manager();
      await manager.stop('SIGKILL');
      await crew.kill(
        alive()
          .filter((each) => each !== crew.leader)
          .slice(0, count / 2),
      );
      token = await crew.leads(token - 1n);
      await members.manager();
      await manager.restart();
      say('the manager was killed and half of the participants: one leads, another member manages');

      const stopped = await members.manager();
      stopped.pause();
      await crew.add(count - alive().length, site, options, places);
      await crew.leads(token - 1n);
      await sleep(leaseMs);
      stopped.resume();
      token = await crew.leads(token - 1n);
      say('the manager was stopped, scaled up again: one leads');
    }
    await crew.kill(crew.participants);
    await sleep(leaseMs);
    return {
      faults: [...crew.watch.faults, ...crew.watch.overlaps().map(({ words }) => words)],
      leaderships: crew.watch.leaderships,
      left: await registerOf(members),
    };
  } finally {
    await crew.close();
  }
}

/** What the register holds, as soon as nothing in it is held, or after a while. */
async function registerOf(members: Members): Promise<unknown> {
  for (let tries = 100; ; tries--) {
    const { url } = await members.manager();
    const { value } = (await (await fetch(`${url}/elections/caucus.leases/value`)).json()) as {
      value: { elections: readonly unknown[] };
    };
    if (value.elections.length === 0 || tries === 0) return value.elections;
    await sleep(100);
  }
}
