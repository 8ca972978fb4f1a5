/**
 * Whole schedules, most of which once broke an election that identified members by their names alone. They are drawn
 * with other members, sizes and times in every run, and now and then a step is left out. Times are in leases:
 * `place.leaseMs`.
 */
import type { MemberId } from '../../core/index.ts';
import type { Fault, Part, Place } from './fault-kinds.ts';
import { shuffled } from './identities.ts';

export interface Schedule {
  /** How many members it is drawn with. */
  readonly sizes: readonly number[];
  /** It needs timeouts that are long compared to the lease, so that only the members that it asks become candidates. */
  readonly isSlow: boolean;
  /** It is about a cluster that was never founded. */
  readonly isBlank?: boolean;
  draw(place: Place): Fault;
}

export const SCHEDULES: Readonly<Record<string, Schedule>> = {
  /** Two changes within one lease: a majority of the last members need not overlap with the majority that promised. */
  'two-changes': {
    sizes: [4, 5, 5, 5, 5, 6, 7, 7],
    isSlow: false,
    draw(place) {
      const { random, newIds } = place;
      const [leader, ...others] = cast(place);
      const half = Math.floor(others.length / 2);
      const deaf = others.slice(0, random.chance(0.8) ? half : random.between(1, others.length - 1));
      const hearing = others.slice(deaf.length);
      const script = new Script(place);
      script.lead(leader!);
      if (random.chance(0.5)) script.now({ do: 'publish', value: 'before' });
      script.wait(1 + random.fraction());
      if (random.chance(0.5)) {
        for (const to of deaf) script.now({ do: 'cut', from: leader!, to, oneWay: true });
        script.wait(4 * (0.5 + random.fraction()));
        script.now({ do: 'heal' });
      }
      // Some hear of the changes, but no longer of the leader: their promises end before those of the others.
      const deafMs = script.ms;
      for (const to of deaf) script.now({ do: 'drop', from: leader!, to, type: 'heartbeat', count: 20 });
      script.wait(random.chance(0.7) ? 0.5 + 0.4 * random.fraction() : random.fraction());
      const changes: Part[] = hearing.map((member) => ({ do: 'remove', member }));
      if (random.chance(0.3))
        changes.splice(random.below(changes.length + 1), 0, { do: 'add', member: newIds[0]! });
      const stepMs = place.leaseMs * random.pick([0.05, 0.08, 0.12, 0.2])!;
      for (const each of changes.slice(0, 3)) {
        script.now(each);
        script.waitMs(stepMs);
        script.now(each); // Again, if the earlier one was still in progress.
      }
      for (let i = 0; i < 6; i++) {
        script.at(deafMs + place.leaseMs * (0.9 + random.fraction()), {
          do: 'campaign',
          member: random.pick(deaf)!,
        });
      }
      script.at(deafMs + 6 * place.leaseMs, { do: 'heal' });
      return script.parts;
    },
  },
  /** A member accepts a value and loses its disk before the value is committed: its answer must not count. */
  'lost-acceptor': {
    sizes: [3, 4, 5, 5, 5, 6, 7],
    isSlow: false,
    draw(place) {
      const { random } = place;
      const [leader, ...others] = cast(place);
      const script = new Script(place);
      script.lead(leader!);
      script.now({ do: 'publish', value: 'before' });
      script.wait(2);
      const fates = others.map((_, i) =>
        i === 0 ? 'deliver' : i === 1 ? 'hold' : random.pick(['drop', 'drop', 'hold', 'deliver'])!,
      );
      others.forEach((to, i) => {
        const type = 'publish/send';
        if (fates[i] === 'hold') script.now({ do: 'hold', from: leader!, to, type, count: 1 });
        if (fates[i] === 'drop') script.now({ do: 'drop', from: leader!, to, type, count: 100 });
      });
      script.now({ do: 'publish', value: 'X' });
      script.wait(0.1);
      const lost = others[0]!;
      if (random.chance(0.8)) script.now({ do: 'cut', from: leader!, to: lost });
      script.now({ do: 'restart', member: lost, disk: 'lost' });
      script.wait(random.fraction());
      script.now({ do: 'release', from: leader!, type: 'publish/send', count: 10 });
      script.wait(0.1);
      const near = others.filter((_, i) => fates[i] === 'hold');
      const far = others.filter((id) => !near.includes(id));
      script.now({ do: 'partition', groups: [[leader!, ...near], far] });
      script.wait(10 * (0.5 + random.fraction()));
      for (const member of far) script.now({ do: 'publish', value: 'Y', member });
      script.wait(4);
      script.now({ do: 'heal' });
      return script.parts;
    },
  },
  /** A leader has members that were never committed, others elect another leader, and one of these loses its disk. */
  'uncommitted-members': {
    sizes: [3, 3, 3, 4, 5],
    isSlow: false,
    draw(place) {
      const { random } = place;
      const [leader, gone, lost, ...rest] = cast(place);
      const script = new Script(place);
      script.lead(leader!);
      script.now({ do: 'drop', from: leader!, type: 'publish/send', count: 100 });
      script.now(
        random.chance(0.8) ? { do: 'remove', member: gone! } : { do: 'add', member: place.newIds[0]! },
      );
      script.wait(0.1 + random.fraction());
      script.now({ do: 'cut', from: leader!, to: 'all' });
      script.wait(6 * (0.5 + random.fraction()));
      const near = rest.filter(() => random.chance(0.3));
      const far = [gone!, ...rest.filter((id) => !near.includes(id))];
      script.now({ do: 'heal' });
      script.now({ do: 'partition', groups: [[leader!, lost!, ...near], far] });
      script.now({ do: 'restart', member: lost!, disk: 'lost' });
      script.wait(8 * (0.5 + random.fraction()));
      script.now({ do: 'publish', value: 'Y', member: leader! });
      script.wait(4 * random.fraction());
      script.now({ do: 'heal' });
      return script.parts;
    },
  },
  /** A member is removed and added again, and one of those that know of it loses its disk before the others know. */
  'added-again': {
    sizes: [3, 3, 3, 4, 5],
    isSlow: false,
    draw(place) {
      const { random } = place;
      const [leader, again, ...rest] = cast(place);
      const script = new Script(place);
      script.lead(leader!);
      script.now({ do: 'remove', member: again! });
      script.wait(1.5);
      const deaf = rest.slice(0, Math.max(1, Math.floor(rest.length / 2)));
      for (const to of deaf) script.now({ do: 'cut', from: leader!, to });
      script.now({ do: 'add', member: again! });
      script.wait(0.3 + random.fraction());
      if (random.chance(0.5)) script.now({ do: 'publish', value: 'X' });
      script.wait(0.3 * random.fraction());
      const near = rest.filter((id) => !deaf.includes(id));
      script.now({ do: 'heal' });
      script.now({
        do: 'partition',
        groups: [
          [leader!, ...deaf],
          [again!, ...near],
        ],
      });
      script.now({ do: 'restart', member: leader!, disk: 'lost' });
      script.wait(8 * (0.5 + random.fraction()));
      for (const member of [leader!, ...deaf]) script.now({ do: 'publish', value: 'Y', member });
      script.wait(4 * random.fraction());
      script.now({ do: 'heal' });
      return script.parts;
    },
  },
  /** A member with an empty disk answers one that lost its disk, restarts, and votes as if it had not answered. */
  'blank-again': {
    sizes: [5],
    isSlow: true,
    isBlank: true,
    draw(place) {
      const { random } = place;
      const [asker, lost, blank, winner, helper] = cast(place) as [
        MemberId,
        MemberId,
        MemberId,
        MemberId,
        MemberId,
      ];
      const script = new Script(place, 0);
      script.now({ do: 'crash', member: blank });
      script.lead(asker);
      script.now({ do: 'restart', member: asker });
      script.wait(1.5);
      script.now({ do: 'hold', from: asker, to: blank, type: 'vote' });
      for (const to of [winner, helper]) script.now({ do: 'drop', from: asker, to, type: 'vote' });
      script.now({ do: 'hold', from: lost, to: asker, type: 'vote/answer' });
      script.now({ do: 'campaign', member: asker });
      script.wait(0.25);
      for (const to of [lost, winner, helper]) script.now({ do: 'cut', from: asker, to });
      for (const to of [asker, winner]) script.now({ do: 'cut', from: blank, to });
      script.now({ do: 'restart', member: blank });
      script.now({ do: 'restart', member: lost, disk: 'lost' });
      script.wait(0.25);
      script.now({ do: 'heal', from: blank, to: winner });
      script.now({ do: 'restart', member: blank });
      script.wait(1.3);
      script.now({ do: 'cut', from: winner, to: blank });
      script.now({ do: 'campaign', member: winner });
      script.wait(0.3 + random.fraction() * 0.2);
      script.now({ do: 'heal', from: blank, to: asker });
      script.now({ do: 'release', from: asker, to: blank, type: 'vote' });
      script.wait(0.2);
      script.now({ do: 'heal', from: lost, to: asker });
      script.now({ do: 'release', from: lost, to: asker, type: 'vote/answer' });
      script.wait(3);
      script.now({ do: 'heal' });
      return script.parts;
    },
  },
  /**
   * A candidate asks again, in another life after it lost its disk or in the same, and gets a vote that was meant for
   * the first request.
   */
  'earlier-life': {
    sizes: [5, 5, 5, 3, 4],
    isSlow: true,
    draw(place) {
      const { random } = place;
      const [asker, voter, ...others] = cast(place);
      const script = new Script(place);
      const rival = others.at(-1)!;
      script.now({ do: 'hold', from: asker!, to: voter!, type: 'vote' });
      for (const to of others)
        script.now({ do: 'drop', from: asker!, to, type: 'vote', count: 1 + random.below(2) });
      script.now({ do: 'campaign', member: asker! });
      script.wait(0.2);
      script.now({ do: 'drop', from: asker!, to: voter!, type: 'recall', count: 10 });
      if (random.chance(0.6)) script.now({ do: 'restart', member: asker!, disk: 'lost' });
      script.wait(1.4);
      script.now({ do: 'hold', from: voter!, to: asker!, type: 'vote/answer' });
      script.wait(0.2);
      script.now({ do: 'release', from: asker!, to: voter!, type: 'vote' });
      script.wait(0.5);
      for (const type of ['pre-vote', 'vote']) script.now({ do: 'drop', from: asker!, to: voter!, type });
      script.now({ do: 'drop', from: asker!, type: 'heartbeat', count: 40 });
      script.wait(0.15);
      script.now({ do: 'campaign', member: asker! });
      script.wait(0.1);
      script.now({ do: 'release', from: voter!, to: asker!, type: 'vote/answer' });
      script.wait(0.2);
      script.now({ do: 'cut', from: asker!, to: rival });
      for (let i = 0; i < 3; i++) {
        script.now({ do: 'campaign', member: rival });
        script.wait(0.1);
      }
      script.wait(2);
      script.now({ do: 'heal' });
      return script.parts;
    },
  },
  /**
   * Some members talk with one process of a member and some with the other, until the second has the seat; then they
   * are split.
   */
  'two-processes': {
    sizes: [3, 3, 3, 4, 5],
    isSlow: false,
    draw(place) {
      const { random } = place;
      const [leader, member, ...rest] = cast(place);
      const near = [leader!, ...rest.slice(0, random.below(rest.length))];
      const far = rest.filter((id) => !near.includes(id));
      const script = new Script(place);
      script.lead(leader!);
      script.now({ do: 'publish', value: 'before' });
      script.wait(1);
      script.now({ do: 'twin', member: member!, disk: 'empty', with: near });
      script.wait(random.fraction());
      const from = random.chance(0.7) ? { from: leader! } : {};
      for (const to of far) script.now({ do: 'drop', ...from, to, type: 'publish/send', count: 100 });
      // The members that talk with the second process do not hear the first: after a timeout it loses the seat.
      script.waitMs(place.cluster.timeoutMs * (1 + 2 * random.fraction()));
      for (const a of near) for (const to of far) script.now({ do: 'cut', from: a, to });
      if (random.chance(0.3)) script.now({ do: 'crash', member: leader! });
      script.wait(8 * (0.5 + random.fraction()));
      for (const each of [...near, ...far, member!])
        script.now({ do: 'publish', value: random.below(100), member: each });
      script.wait(2 * random.fraction());
      script.now({ do: 'crash', member: member!, twin: true });
      const told = { gone: true, proof: true, twin: true };
      script.now({ do: 'evidence', member: 'all', peer: member!, ...told });
      script.wait(4 * random.fraction());
      script.now({ do: 'heal' });
      script.wait(2);
      script.now({ do: 'publish', value: 'after' });
      return script.parts;
    },
  },
};

/** The members in random order: which plays which part. */
function cast(place: Place): MemberId[] {
  return shuffled(place, place.ids);
}

/** Collects the steps of a schedule. Every wait varies a little, and now and then a step is left out. */
class Script {
  readonly parts: Part[] = [];
  /** When the next step is taken. */
  ms = 0;
  readonly #place: Place;
  readonly #omit: number;

  constructor(place: Place, omit: number = place.random.chance(0.3) ? 0.05 : 0) {
    this.#place = place;
    this.#omit = omit;
  }

  now(part: Part): void {
    this.at(this.ms, part);
  }

  at(afterMs: number, part: Part): void {
    if ('type' in part && part.type !== undefined && !this.#knows(part.type)) return;
    if (this.#omit > 0 && this.#place.random.chance(this.#omit)) return;
    this.parts.push({ ...part, afterMs });
  }

  /** In leases, give or take a tenth. */
  wait(leases: number): void {
    this.waitMs(this.#place.leaseMs * leases * (0.9 + 0.2 * this.#place.random.fraction()));
  }

  waitMs(ms: number): void {
    this.ms += ms;
  }

  /** The leader transfers the leadership to this member, with time for it. */
  lead(member: MemberId): void {
    this.waitMs(3 * this.#place.cluster.timeoutMs);
    this.now({ do: 'transfer', to: member });
    this.wait(2);
    this.now({ do: 'campaign', member });
    this.wait(2);
  }

  #knows(type: string): boolean {
    const { messages, formerMessages = [] } = this.#place.definition;
    return Object.hasOwn(messages, type) || formerMessages.includes(type);
  }
}
