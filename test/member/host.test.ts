import { describe, expect, it } from 'vitest';
import type { Effect, Input, MemberId, Protocol, View } from '../../src/core/index.ts';
import type { Cause } from '../../src/election/index.ts';
import type { ElectionHost } from '../../src/member/election-host.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { VirtualCluster } from './virtual.ts';

const FIVE: readonly MemberId[] = [1, 2, 3, 4, 5];
/** Who says it, in messages that a test makes up: a process on the disk with which every virtual member begins. */
const BY = { disk: '0', start: 1, life: 'made up' };
const THREE: readonly MemberId[] = ['a', 'b', 'c'];

function lastCause(host: ElectionHost): Cause | undefined {
  return host.history.at(-1)?.cause;
}

describe('a host of every protocol', () => {
  for (const protocol of Object.keys(catalogue)) {
    it(`elects one leader with ${protocol}, and another one when it is gone`, () => {
      const cluster = new VirtualCluster(FIVE, { protocol });
      const first = cluster.elect();
      expect(cluster.acting).toEqual([first]);
      expect(cluster.at(first).host.held).not.toBeNull();

      cluster.at(first).host.stop();
      cluster.cut(first);
      expect(cluster.at(first).host.acting).toBe(false);
      const second = cluster.elect();
      expect(second).not.toBe(first);
      expect(cluster.at(second).host.history.at(-1)).toMatchObject({ leader: second, cause: 'won' });
    });
  }
});

describe('may I act?', () => {
  it('is answered by the clock, not by what was reported', () => {
    const cluster = new VirtualCluster(THREE);
    const { host } = cluster.at(cluster.elect());
    const { held } = host;
    expect(host.acting).toBe(true);
    expect(held!.expiresAtMs).toBeGreaterThan(cluster.clock.now());
    expect(host.expiresInMs).toBeGreaterThan(0);

    cluster.clock.stall(130);
    expect(host.view.role).toBe('leader'); // Nothing has run, so nothing has been reported.
    expect(host.acting).toBe(false);
    expect(host.expiresInMs).toBeNull();
    expect(held!.expiresAtMs).toBeLessThanOrEqual(cluster.clock.now());
  });

  it('says that the event loop was blocked, and for how long', () => {
    const cluster = new VirtualCluster(THREE);
    const { host } = cluster.at(cluster.elect());
    cluster.clock.stall(4200);
    cluster.clock.advance(0);
    const loss = host.history.find(({ cause }) => cause === 'event-loop-blocked');
    expect(loss?.detail).toMatch(/^the event loop of [abc] was blocked for 4\.[12] s$/);
    expect(loss?.leader).toBeNull();
    expect(host.held).toBeNull();
  });

  it('is no after a sleep, until a majority has answered a round that was sent since', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const { host } = cluster.at(leader);
    const { held } = host;
    cluster.clock.sleep(3_600_000);
    expect(host.acting).toBe(false);
    expect(held!.expiresAtMs).toBe(0);
    cluster.clock.advance(60);
    expect(host.history.map(({ cause }) => cause)).toContain('suspended');
    expect(host.history.find(({ cause }) => cause === 'suspended')?.detail).toBe(
      `the machine of ${host.self} was asleep for 3600.0 s`,
    );
    cluster.elect();
    expect(cluster.acting).toHaveLength(1);
  });

  it('never comes back under the same token', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const { host } = cluster.at(leader);
    const { held } = host;
    // The lease ends, but no timeout: the others still follow.
    cluster.cut(leader);
    cluster.until(() => !host.acting);
    cluster.heal();
    expect(cluster.until(() => cluster.acting.length > 0)).toBe(true);
    const next = cluster.at(cluster.acting[0]!).host.held!;
    expect(next).not.toBe(held);
    expect(next.token).toBeGreaterThan(held!.token);
  });

  it('gives the same object for as long as a leadership lasts', () => {
    const cluster = new VirtualCluster(THREE);
    const { host } = cluster.at(cluster.elect());
    const { held } = host;
    const first = held!.expiresAtMs;
    cluster.clock.advance(1000);
    expect(host.held).toBe(held);
    expect(held!.expiresAtMs).toBeGreaterThan(first);
  });
});

describe('the history says why', () => {
  it('a leader resigned, and who won', async () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const { host } = cluster.at(leader);
    await expect(host.command({ type: 'resign' })).resolves.toEqual({ status: 'done' });
    expect(lastCause(host)).toBe('resigned');
    const next = cluster.elect();
    expect(host.history.at(-1)).toMatchObject({ leader: next, cause: 'won' });
    expect(host.history.at(-1)?.token).toBe(cluster.at(next).host.held?.token);
  });

  it('a leader handed over', async () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const { host } = cluster.at(leader);
    const to = THREE.find((id) => id !== leader)!;
    cluster.clock.advance(200);
    const outcome = host.command({ type: 'transfer', to });
    expect(host.history.at(-1)).toMatchObject({ cause: 'transferred', leader: null });
    expect(host.acting).toBe(false);
    expect(cluster.elect()).toBe(to);
    await expect(outcome).resolves.toEqual({ status: 'done' });
    expect(cluster.at(to).host.history.map(({ cause }) => cause)).toContain('transferred');
  });

  it('a transfer, in the same way to all of them, and once', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const [to, third] = THREE.filter((id) => id !== leader) as [MemberId, MemberId];
    cluster.clock.advance(200);
    const seen = new Map(THREE.map((id) => [id, cluster.at(id).host.history.length]));
    const rowsOf = (id: MemberId): string[] =>
      cluster
        .at(id)
        .host.history.slice(seen.get(id))
        .map(({ cause, detail }) => `${cause}: ${detail}`);
    void cluster.at(leader).host.command({ type: 'transfer', to });
    expect(cluster.elect()).toBe(to);
    const won = `won: ${to} leads with token ${cluster.at(to).host.token}`;
    expect(rowsOf(leader)).toEqual([`transferred: ${leader} hands over to ${to}`, won]);
    expect(rowsOf(to)).toEqual([`transferred: ${leader} hands over to ${to}`, won]);
    expect(rowsOf(third)).toEqual([`transferred: ${leader} hands over to ${to}`, won]);
  });

  it('an election was called for where somebody leads', async () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const { host } = cluster.at(THREE.find((id) => id !== leader)!);
    const seen = host.history.length;
    await expect(host.command({ type: 'campaign' })).resolves.toEqual({ status: 'done' });
    const [row] = host.history.slice(seen);
    expect(row).toMatchObject({ cause: 'started', detail: `${host.self} was asked to call an election` });
    expect(cluster.elect()).toBe(leader);
    expect(host.history.at(-1)).toMatchObject({ cause: 'learned', leader });
  });

  it('a leadership ended before its time and is given up for a new one: one loss, not two', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const { host } = cluster.at(leader);
    const seen = host.history.length;
    cluster.cut(leader);
    cluster.until(() => !host.acting);
    cluster.heal();
    cluster.until(() => cluster.acting.length > 0);
    const causes = host.history.slice(seen).map(({ cause }) => cause);
    expect(causes[0]).toBe('lease-expired');
    expect(causes).not.toContain('resigned');
    expect(host.history.slice(seen).filter((row) => row.leader === null)).toHaveLength(1);
  });

  it('whoever gives a command may say why', async () => {
    const cluster = new VirtualCluster(THREE);
    const { host } = cluster.at(cluster.elect());
    const why = { cause: 'event-loop-blocked', detail: 'the event loop was blocked for 1.0 s' } as const;
    await host.order({ type: 'resign' }, why);
    expect(host.history.at(-1)).toMatchObject({ leader: null, ...why });
  });

  it('a member without a seat says for whom it waits', () => {
    const cluster = new VirtualCluster(THREE, { isEmpty: true });
    cluster.cut('c');
    cluster.clock.advance(10);
    for (const id of ['a', 'b']) {
      cluster.at(id).host.stop();
      cluster.start(id, null);
    }
    const { host } = cluster.at('a');
    let told = 0;
    host.subscribe(() => {
      told += 1;
    });
    cluster.clock.advance(900);
    expect(host.history).toEqual([]); // It does not take long to hear of members that are there.
    cluster.clock.advance(600); // It looks when an election timer fires, which takes up to 300 ms.
    expect(host.history.map(({ cause }) => cause)).toEqual(['started']);
    expect(host.explanation.detail).toBe(
      'waiting for c: the first start of a cluster, or a start after disks were lost, needs 3 of its 3 members',
    );
    expect(told).toBe(1);
    cluster.clock.advance(5000);
    expect(told).toBe(1);
    cluster.heal();
    cluster.elect();
    expect(host.history.at(-1)?.cause).toBe('won');
  });

  it('a member that the others refuse says that, and not that it waits for them', () => {
    const cluster = new VirtualCluster(THREE, { isEmpty: true });
    cluster.cut('a');
    const { host } = cluster.at('a');
    host.exclude({ cause: 'refused', detail: 'the others have other settings' });
    cluster.clock.advance(5000);
    expect(host.history.map(({ cause }) => cause)).not.toContain('started');
    expect(host.explanation.cause).toBe('refused');
  });

  it('a lease ran out, and says so once', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const { host } = cluster.at(leader);
    const seen = host.history.length;
    cluster.cut(...THREE);
    cluster.clock.advance(1000);
    expect(host.history.slice(seen).map(({ cause }) => cause)).toEqual(['lease-expired']);
    const other = cluster.at(THREE.find((id) => id !== leader)!).host;
    expect(lastCause(other)).toBe('lease-expired');
    expect(other.history.at(-1)?.detail).toBe(`no message from ${leader} arrived in time`);
  });

  it('somebody has heard of a newer term', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const { host } = cluster.at(leader);
    const from = THREE.find((id) => id !== leader)!;
    host.give({ type: 'message', from, message: { type: 'term', term: 99, by: BY } as never });
    expect(host.history.at(-1)).toMatchObject({ leader: null, cause: 'deposed' });
    expect(host.held).toBeNull();
  });

  it('it was removed', async () => {
    const cluster = new VirtualCluster(FIVE);
    const leader = cluster.elect();
    const { host } = cluster.at(leader);
    cluster.clock.advance(200); // It leaves only a cluster that goes on without it: all have to have answered.
    const outcome = host.command({ type: 'remove', member: leader });
    cluster.until(() => !host.view.members!.includes(leader) && host.view.role !== 'leader');
    await expect(outcome).resolves.toEqual({ status: 'done' });
    expect(host.history.map(({ cause }) => cause)).toContain('removed');
  });

  it('a peer is gone, and a member has left', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const { host } = cluster.at(leader);
    host.stop();
    expect(host.history.at(-1)).toMatchObject({ leader: null, cause: 'closed' });
    const others = THREE.filter((id) => id !== leader).map((id) => cluster.at(id).host);
    const { life } = cluster.at(leader);
    for (const other of others) other.give({ type: 'peer-gone', peer: leader, proof: true, life });
    for (const other of others) expect(lastCause(other)).toBe('closed');
    // With proof nobody waits for a timeout.
    const beforeMs = cluster.clock.now();
    cluster.until(() => cluster.acting.length === 1);
    expect(cluster.clock.now() - beforeMs).toBeLessThan(10);
  });

  it('for the last thousand changes', () => {
    const cluster = new VirtualCluster(['a']);
    const { host } = cluster.at('a');
    for (let i = 0; i < 1200; i++) {
      cluster.elect();
      void host.command({ type: 'resign' });
    }
    expect(host.history).toHaveLength(1000);
    const tokens = host.history.flatMap(({ token }) => (token === null ? [] : [token]));
    expect(tokens).toEqual([...tokens].sort((a, b) => (a < b ? -1 : 1)));
    expect(tokens.at(-1)).toBeGreaterThanOrEqual(1199n);
  });
});

describe('a disk that takes nothing', () => {
  it('lets no vote out, and no news of the term, until the record is saved', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const voter = THREE.find((id) => id !== leader)!;
    const member = cluster.at(voter);
    const term = member.host.view.term!;
    cluster.cut(leader);
    cluster.at(leader).host.stop();
    member.host.give({ type: 'peer-gone', peer: leader, proof: true, life: cluster.at(leader).life });
    member.diskError = new Error('no space left on device');
    let told = 0;
    member.host.subscribe(() => {
      told += 1;
    });
    const candidate = THREE.find((id) => id !== leader && id !== voter)!;
    const vote = {
      type: 'vote',
      term: term + 5,
      age: { term: term + 4, version: 99 },
      release: null,
      by: BY,
    };
    expect(member.host.receive(candidate, vote as never)).toEqual([]);
    expect(member.host.illness).toBe('no space left on device');
    expect(told).toBeGreaterThan(0);
    expect(member.host.view.term).toBe(term);

    member.diskError = null;
    cluster.clock.advance(1000);
    expect(member.host.illness).toBeNull();
    expect(member.host.view.term).toBeGreaterThanOrEqual(term + 5);
    expect(member.saved).toMatchObject({ term: member.host.view.term });
  });

  it('is named in the history when a leader stops leading by it', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const member = cluster.at(leader);
    const before = member.host.history.length;
    member.diskError = new Error('no space left on device');
    void member.host.order({ type: 'publish', value: 1 });
    expect(cluster.until(() => !member.host.acting)).toBe(true);
    expect(member.host.history[before]!.detail).toMatch(
      /cannot write to its disk.*: no space left on device$/,
    );
  });

  it('never holds up a leader that stops', () => {
    const script = new Script();
    const cluster = new VirtualCluster(['a'], { create: () => script.protocol });
    const { host } = cluster.at('a');
    script.play(host, [{ type: 'report', view: view('leader', 'a', 7) }]);
    expect(host.acting).toBe(true);
    cluster.at('a').diskError = new Error('read-only');
    script.play(host, [
      { type: 'save', record: 1 },
      { type: 'report', view: view('follower', 'b', 8) },
    ]);
    expect(host.acting).toBe(false);
    expect(host.held).toBeNull();
    // It has stopped, but that b leads in term 8 could still be undone by a crash.
    expect(host.view).toMatchObject({ role: 'follower', leader: null, term: 7 });
    cluster.at('a').diskError = null;
    cluster.clock.advance(1000);
    expect(host.view).toMatchObject({ role: 'follower', leader: 'b', term: 8 });
    expect(host.history.at(-1)).toMatchObject({ leader: 'b', token: 8n });
  });

  it('fails a command whose result nobody may be told', async () => {
    const script = new Script();
    const cluster = new VirtualCluster(['a'], { create: () => script.protocol });
    const { host } = cluster.at('a');
    cluster.at('a').diskError = new Error('read-only');
    script.next = [
      { type: 'save', record: 1 },
      { type: 'answer', command: 1, outcome: { status: 'done' } },
    ];
    await expect(host.command({ type: 'campaign' })).resolves.toMatchObject({
      status: 'failed',
      effect: 'indefinite',
    });
  });

  it('saves the newest record when it can again', () => {
    const script = new Script();
    const cluster = new VirtualCluster(['a'], { create: () => script.protocol });
    const { host } = cluster.at('a');
    const member = cluster.at('a');
    member.diskError = new Error('full');
    script.play(host, [{ type: 'save', record: 1 }]);
    script.play(host, [{ type: 'save', record: 2 }]);
    member.diskError = null;
    cluster.clock.advance(1000);
    expect(member.saved).toBe(2);
    expect(host.illness).toBeNull();
  });
});

describe('saving', () => {
  it('comes before whatever leaves after it, and is done once a step: the last record replaces the others', () => {
    const script = new Script();
    const cluster = new VirtualCluster(['a', 'b'], { create: () => script.protocol });
    const member = cluster.at('a');
    const order: unknown[] = [];
    member.onSave = (record) => order.push(record);
    cluster.onSend = (message) => order.push(message.type);
    const send: Effect = { type: 'send', to: 'b', message: { type: 'm' } };
    script.play(member.host, [
      send,
      { type: 'save', record: 1 },
      { type: 'set-timer', timer: 't', delayMs: 5 },
      { type: 'save', record: 2 },
      send,
      { type: 'save', record: 3 },
      { type: 'report', view: view('follower', 'b', 1) },
      { type: 'save', record: 4 },
    ]);
    expect(order).toEqual(['m', 4, 'm']);
  });
});

describe('commands', () => {
  it('that a protocol does not know are refused', async () => {
    const { host } = new VirtualCluster(['a', 'b'], { protocol: 'ring' }).at('a');
    await expect(host.command({ type: 'publish', value: 1 })).resolves.toEqual({
      status: 'refused',
      reason: 'the protocol ring has no command publish',
    });
  });

  it('that wait when the member is closed have an unknown end, later ones have none', async () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const { host } = cluster.at(leader);
    cluster.cut(leader);
    const outcome = host.command({ type: 'publish', value: 'x' });
    host.stop();
    await expect(outcome).resolves.toMatchObject({ status: 'failed', effect: 'indefinite' });
    await expect(host.command({ type: 'resign' })).resolves.toMatchObject({
      status: 'failed',
      effect: 'definite',
    });
  });

  it('given by somebody who is just being told something wait for their turn', () => {
    const cluster = new VirtualCluster(['a']);
    const { host } = cluster.at('a');
    let isInside = false;
    let resigned = 0;
    host.subscribe(() => {
      expect(isInside).toBe(false);
      isInside = true;
      if (host.held !== null && resigned < 3) {
        resigned += 1;
        void host.command({ type: 'resign' });
      }
      isInside = false;
    });
    cluster.until(() => resigned === 3);
    expect(resigned).toBe(3);
  });
});

describe('a message that came by request', () => {
  it('is answered in the response and nowhere else', () => {
    const cluster = new VirtualCluster(THREE, { priority: 0 });
    const { host } = cluster.at('a');
    const sent = cluster.sent.length;
    const answers = host.receive('b', { type: 'probe', term: 0, by: BY } as never);
    expect(answers.map(({ type }) => type)).toEqual(['probe/answer']);
    expect(cluster.sent).toHaveLength(sent);
  });
});

function view(role: View['role'], leader: MemberId, term: number): View {
  return { role, leader, term, lease: null, version: 0, value: null };
}

/** A protocol that does what the test says, for orders of effects that are hard to bring about otherwise. */
class Script {
  next: readonly Effect[] = [];
  readonly protocol: Protocol = {
    name: 'script',
    pledges: [],
    init: () => ({}),
    step: (_state, input: Input, out) => {
      if (input.type === 'start') return;
      out.push(...this.next);
    },
  };

  play(host: ElectionHost, effects: readonly Effect[]): void {
    this.next = effects;
    host.give({ type: 'peer-back', peer: 'b' });
  }
}
