/** The machine that decides about connections, rule by rule. */
import { describe, expect, it } from 'vitest';
import { type Closing, DEFAULT_PEER_OPTIONS, Peers } from '../../src/peers/index.ts';
import { Bench, processOf } from './bench.ts';
import { type RuleName, rules } from './rules.ts';

const two = processOf(2, 'two');
const twin = processOf(2, 'twin');

describe('a greeting is refused', () => {
  it.each([
    ['of another cluster', { ...two, cluster: 'other' }, 'other-cluster'],
    ['of our own id: two processes share it', processOf(1, 'another'), 'same-id'],
    ['of this very process: a URL leads back to it', processOf(1, 'own'), 'same-id'],
    ['of a member that is no peer', processOf(3, 'three'), 'unknown-member'],
  ])('%s', (_, identity, kind) => {
    expect(new Bench(Peers).greet(10, identity)).toEqual([`refuse 10: ${kind}`, `tell ${kind}`]);
  });

  it('of a member with other times, unless both can do with that', () => {
    const rules = (timeoutMs: number, more: object = {}): string =>
      JSON.stringify({ protocol: 'quorum', timing: { timeoutMs }, options: {}, ...more });
    const free = { mayDiffer: ['timing'] };
    const greeted = (own: string, other: string): readonly string[] =>
      new Bench(Peers, {}, processOf(1, 'own', { rules: own })).greet(10, { ...two, rules: other });
    expect(greeted(rules(1), rules(2))).toContain('refuse 10: other-rules');
    expect(greeted(rules(1, free), rules(2))).toContain('refuse 10: other-rules');
    expect(greeted(rules(1), rules(2, free))).toContain('refuse 10: other-rules');
    expect(greeted(rules(1, free), rules(2, free))).not.toContain('refuse 10: other-rules');
    const options = { options: { maxDrift: 0.1 } };
    expect(greeted(rules(1, free), rules(1, { ...free, ...options }))).toContain('refuse 10: other-rules');
  });

  it('of a member that plays by other rules, whichever side dialled', () => {
    const bench = new Bench(Peers, {}, processOf(1, 'own', { rules: '{"protocol":"quorum"}' }));
    const other = { ...two, rules: '{"protocol":"epoch"}' };
    expect(bench.greet(10, other)).toContain('refuse 10: other-rules');
    bench.take({ type: 'timer', timer: 'dial 2' }, { type: 'dialled', peer: 2, connection: 11 });
    expect(bench.take({ type: 'greeted', connection: 11, identity: other })).toEqual([
      'refuse 11: other-rules',
      'tell other-rules',
      'unreachable: null',
    ]);
  });

  const rulesOf = (used: object, given: object = used): string =>
    JSON.stringify({ protocol: 'quorum', timing: used, options: {}, given: { timing: given, options: {} } });
  const differing = (ours: string, theirs: string): string | undefined => {
    const { peers } = new Bench(Peers, {}, processOf(1, 'own', { rules: ours }));
    peers.take({ type: 'accepted', connection: 10 }, 0);
    const identity = { ...two, rules: theirs };
    const told = peers.take({ type: 'greeted', connection: 10, identity }, 0);
    return told.flatMap((each) => (each.type === 'tell' ? [each.refused.reason] : []))[0];
  };

  it.each([
    ['set, and left to its default', rulesOf({ leaseMs: 1500 }, { leaseMs: null })],
    ['in another order', JSON.stringify({ options: {}, timing: { leaseMs: 1500 }, protocol: 'quorum' })],
  ])('not because the same settings were given in another way: %s', (_, theirs) => {
    expect(differing(rulesOf({ leaseMs: 1500 }), theirs)).toBeUndefined();
  });

  it('if the settings differ: as they were given, or else as they are used', () => {
    expect(
      differing(rulesOf({ leaseMs: 1500, heartbeatMs: 600 }, { leaseMs: null }), rulesOf({ leaseMs: 9 })),
    ).toContain(': leaseMs: 2 has 9, 1 has the default; give all members the same');
    expect(differing(rulesOf({ leaseMs: 1500 }, {}), rulesOf({ leaseMs: 125 }, {}))).toContain(
      ': leaseMs: 2 has 125, 1 has 1500; give all members the same',
    );
  });

  it('by the other side: the log must not say that this side refused it', () => {
    const refused = { kind: 'other-cluster', reason: 'another cluster' } as const;
    const { peers } = new Bench(Peers);
    peers.take({ type: 'dialled', peer: 2, connection: 10 }, 0);
    const decided = peers.take({ type: 'refused', connection: 10, refused }, 0);
    expect(decided).toContainEqual({ type: 'tell', about: { peer: 2 }, verdict: 'refuses-us', refused });
    const bench = new Bench(Peers);
    bench.greet(10, two);
    const warned = bench.peers.take({ type: 'refused', connection: 10, refused }, 0);
    expect(warned).toEqual([{ type: 'tell', about: { process: two }, verdict: 'warns-us', refused }]);
  });

  it('where another member was dialled', () => {
    const bench = new Bench(Peers);
    bench.take({ type: 'peer-added', peer: 3 }, { type: 'timer', timer: 'dial 2' });
    bench.take({ type: 'dialled', peer: 2, connection: 10 });
    const decided = bench.take({ type: 'greeted', connection: 10, identity: processOf(3, 'three') });
    expect(decided[0]).toBe('refuse 10: unknown-member');
  });

  it('if it is no greeting, or comes twice; the second time the connection stays', () => {
    const bench = new Bench(Peers);
    const refused = { kind: 'bad-shape', reason: 'a message before the hello' } as const;
    bench.take({ type: 'accepted', connection: 9 });
    expect(bench.take({ type: 'bad-frame', connection: 9, refused })).toContain('refuse 9: bad-shape');
    bench.greet(10, two);
    expect(bench.take({ type: 'greeted', connection: 10, identity: two })).toEqual(['tell bad-shape']);
  });

  it('if it does not come in time', () => {
    const bench = new Bench(Peers);
    bench.take({ type: 'accepted', connection: 10 });
    expect(bench.take({ type: 'timer', timer: 'greeting 10' })).toEqual(['terminate 10']);
  });
});

describe('a peer', () => {
  it('is up with its first connection, which is greeted, used and asked to show where its process runs', () => {
    expect(new Bench(Peers).greet(10, two)).toEqual([
      'accept 10',
      'greet 10',
      'two is up',
      'back',
      'meet 10',
      'use 10',
    ]);
  });

  it('is not asked where it runs if it says itself that it runs elsewhere', () => {
    const elsewhere = processOf(2, 'two', { process: { ...two.process!, bootId: 'other' } });
    expect(new Bench(Peers).greet(10, elsewhere)).not.toContain('meet 10');
  });

  it('may open a second connection: the oldest that answers stays, and the smaller id closes the others', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    expect(bench.greet(11, two).slice(-3)).toEqual(['probe 10', 'probe 11', 'use null']);
    expect(bench.probed(11, 1, true)).toEqual([]);
    expect(bench.probed(10, 1, true)).toEqual(['close 11', 'use 10']);
  });

  it('is not left for a connection that answers by one that does not', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    bench.greet(11, two);
    bench.probed(10, 1, false);
    expect(bench.probed(11, 1, true)).toEqual(['use 11']);
  });

  it.each([1, 3])('is heard over its oldest connection again when that answers (own id %d)', (own) => {
    const bench = new Bench(Peers, {}, processOf(own, 'own'));
    bench.greet(10, two);
    bench.greet(11, two);
    bench.probed(10, 1, false);
    expect(bench.probed(11, 1, true)).toEqual(['use 11']);
    expect(bench.take({ type: 'pong', connection: 11 })).toEqual([]);
    expect(bench.take({ type: 'pong', connection: 10 })).toEqual(['probe 10', 'probe 11', 'use null']);
    expect(bench.probed(10, 2, true)).toEqual([...(own === 1 ? ['close 11'] : []), 'use 10']);
  });

  it('none of whose connections answers is sent to over the oldest, and asked again when one answers', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    bench.greet(11, two);
    bench.probed(10, 1, false);
    expect(bench.probed(11, 1, false)).toEqual(['use 10']);
    expect(bench.take({ type: 'pong', connection: 11 })).toEqual(['probe 10', 'probe 11', 'use null']);
    bench.probed(10, 2, false);
    expect(bench.probed(11, 2, true)).toEqual(['use 11']);
  });

  it('is not sent to over a connection that answered and was closed since', () => {
    const bench = new Bench(Peers, {}, processOf(3, 'own'));
    for (const connection of [10, 11, 12]) bench.greet(connection, two);
    for (const poll of [1, 2]) bench.probed(11, poll, true);
    bench.closed(11, 'ended');
    for (const poll of [1, 2]) bench.probed(10, poll, false);
    expect(bench.probed(12, 2, true)).toEqual(['use 12']);
  });

  it('leaves it to the smaller id which of them are closed', () => {
    const bench = new Bench(Peers, {}, processOf(3, 'own'));
    bench.greet(10, two);
    bench.greet(11, two);
    expect(bench.probed(10, 1, true)).toEqual(['use 10']);
  });

  it('is asked again which connection answers when the one in use is closed and several are left', () => {
    const bench = new Bench(Peers, {}, processOf(3, 'own'));
    for (const connection of [10, 11, 12]) bench.greet(connection, two);
    bench.probed(10, 1, true);
    expect(bench.probed(10, 2, true)).toContain('use 10');
    expect(bench.closed(10, 'ended')).toEqual(['probe 11', 'probe 12', 'use null']);
    bench.probed(11, 3, false);
    expect(bench.probed(12, 3, true)).toEqual(['use 12']);
  });

  it('has no more than so many connections', () => {
    const bench = new Bench(Peers, { connectionsPerPeer: 2 });
    for (const connection of [10, 11]) bench.greet(connection, two);
    expect(bench.greet(12, two)).toEqual(['terminate 12']);
  });

  it('is down with its last connection, and dialled again', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    expect(bench.closed(10, 'goodbye')).toEqual(['two is down', 'two is gone', 'use null']);
    expect(bench.take({ type: 'timer', timer: 'dial 2' })).toEqual(['dial']);
  });

  it('is left alone once it is removed', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    const decided = bench.take({ type: 'peer-removed', peer: 2 });
    expect(decided).toEqual(['close 10', 'two is down', 'two is gone', 'use null', 'unreachable: null']);
    expect(bench.take({ type: 'timer', timer: 'dial 2' })).toEqual([]);
    expect(bench.greet(11, two)).toContain('refuse 11: unknown-member');
  });
});

describe('another process of a peer', () => {
  it('is refused as long as one connection of the first answers, and both are told', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    expect(bench.greet(11, twin)).toEqual(['probe 10']);
    expect(bench.probed(10, 1, true)).toEqual(['warn 10: same-id', 'refuse 11: same-id', 'tell same-id']);
  });

  it('takes its place if none answers: that the first is gone is only suspected', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    bench.greet(11, twin);
    expect(bench.probed(10, 1, false)).toEqual([
      'terminate 10',
      'two is down',
      'two is gone',
      'accept 11',
      'greet 11',
      'twin is up',
      'two is gone',
      'back',
      'meet 11',
      'use 11',
    ]);
  });

  it('does not take it from a process that connected again meanwhile, and answers there', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    bench.greet(11, twin);
    bench.greet(12, two);
    expect(bench.probed(10, 1, false)).toEqual(['probe 10', 'probe 12']);
    bench.probed(10, 3, false);
    expect(bench.probed(12, 3, true)).toEqual(['warn 12: same-id', 'refuse 11: same-id', 'tell same-id']);
  });

  it('takes it too if the first closes before it has answered', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    bench.greet(11, twin);
    expect(bench.closed(10, 'ended')).toContain('twin is up');
  });

  it('has no say any more once its connection is closed', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    bench.greet(11, twin);
    bench.closed(11, 'ended');
    expect(bench.probed(10, 1, false)).toEqual([]);
  });

  it('is another one also with the same life, if it runs elsewhere', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    const copy = processOf(2, 'two', { process: { ...two.process!, pid: 7 } });
    expect(bench.greet(11, copy)).toEqual(['probe 10']);
  });
});

describe('a death', () => {
  /** A peer that has shown that it runs here. */
  function met(options = {}): Bench {
    const bench = new Bench(Peers, options);
    bench.greet(10, two);
    expect(bench.take({ type: 'met', connection: 10 })).toEqual(['two is local']);
    return bench;
  }
  const pid = two.process!.pid;
  const seen = (bench: Bench, look: number, isDead: boolean): string[] =>
    bench.take({ type: 'seen', peer: 2, look, isDead });

  it('is proven if the process is seen to be gone', () => {
    const bench = met();
    expect(bench.closed(10, 'ended')).toContain(`look 1 at ${pid}`);
    expect(seen(bench, 1, true)).toEqual(['two is gone, certainly']);
  });

  it('is looked for some milliseconds long: a process closes its sockets before it exits', () => {
    const bench = met();
    bench.closed(10, 'ended');
    expect(seen(bench, 1, false)).toEqual([]);
    bench.nowMs = 1;
    expect(bench.take({ type: 'timer', timer: 'look 2' })).toEqual([`look 2 at ${pid}`]);
    bench.nowMs = 20;
    expect(seen(bench, 2, false)).toEqual(['two is gone']);
  });

  it('is not looked for if the process has not shown that it runs here', () => {
    const bench = new Bench(Peers);
    bench.greet(10, two);
    expect(bench.closed(10, 'ended')).toContain('two is gone');
  });

  it('is not looked for any more when the process is back', () => {
    const bench = met();
    bench.closed(10, 'reset');
    bench.greet(11, two);
    expect(seen(bench, 1, true)).toEqual([]);
  });

  it('of the process before is found out when another one comes', () => {
    const bench = met();
    bench.closed(10, 'ended');
    bench.nowMs = 20;
    seen(bench, 1, false);
    expect(bench.greet(11, twin)).toContain(`look 2 at ${pid}`);
    expect(seen(bench, 2, true)).toEqual(['two is gone, certainly', 'back']);
  });

  it('is no death if the process before lives: two share an id', () => {
    const bench = met();
    bench.greet(11, twin);
    expect(bench.probed(10, 1, false).filter((each) => each.startsWith('look'))).toHaveLength(2);
    expect(seen(bench, 2, false)).toEqual(['two and twin share an id', 'two is gone', 'back']);
  });

  const ENDS: readonly (readonly [closing: Closing, sure: string, reason: string])[] = [
    ['ended', ', certainly', 'the system closes the connections of a process that has died like this'],
    ['reset', ', certainly', 'the system does so too, if something was unread'],
    ['leaving', ', certainly', 'its member stopped, and its process says so'],
    ['goodbye', '', 'the process says that it lives on'],
    ['duplicate', '', 'the process says that it has another connection'],
    ['by-us', '', 'this side gave it up'],
  ];

  it.each(ENDS)(
    'where connections are trusted: the last one is closed, %s: gone%s, since %s',
    (closing, sure, _) => {
      const bench = new Bench(Peers, { trustConnections: true });
      bench.greet(10, two);
      expect(bench.closed(10, closing)).toContain(`two is gone${sure}`);
    },
  );

  it('is not proven by the end of a connection if another one of the same life was closed otherwise', () => {
    const bench = new Bench(Peers, { trustConnections: true });
    bench.greet(10, two);
    bench.closed(10, 'by-us');
    bench.greet(11, two);
    expect(bench.closed(11, 'ended')).toContain('two is gone');
  });

  it('is proven by the end of a connection that this side dialled, if only duplicates were closed', () => {
    const bench = new Bench(Peers, { trustConnections: true });
    bench.take({ type: 'timer', timer: 'dial 2' }, { type: 'dialled', peer: 2, connection: 10 });
    bench.take({ type: 'greeted', connection: 10, identity: two });
    bench.greet(11, two);
    expect(bench.probed(10, 1, true)).toContain('close 11');
    bench.closed(11, 'by-us');
    expect(bench.closed(10, 'ended')).toContain('two is gone, certainly');
  });

  it('is not proven if two processes came with one life', () => {
    const bench = new Bench(Peers, { trustConnections: true });
    bench.greet(10, two);
    bench.greet(11, processOf(2, 'two', { process: { ...two.process!, pid: 7 } }));
    bench.closed(10, 'ended');
    expect(bench.closed(11, 'ended')).toContain('two is gone');
  });
});

describe('a peer that cannot be reached', () => {
  it('is dialled again after waits that double, with half of each drawn', () => {
    const peers = new Bench(Peers, { backOffMs: [10, 1000] }).peers;
    const waits = Array.from({ length: 9 }, () => {
      peers.take({ type: 'timer', timer: 'dial 2' }, 0);
      const decided = peers.take({ type: 'dial-failed', peer: 2, reason: 'refused' }, 0);
      return decided.flatMap((each) => (each.type === 'set-timer' ? [each.delayMs] : []))[0];
    });
    const most = [10, 20, 40, 80, 160, 320, 640, 1000, 1000];
    expect(waits).toEqual(most.map((ms) => [ms / 2, ms]));
  });

  it('is dialled at once by the smaller id, and after a moment by the larger', () => {
    const delayOf = (own: number): unknown =>
      new Peers(processOf(own, 'own'), { ...DEFAULT_PEER_OPTIONS, yieldMs: 50 })
        .take({ type: 'peer-added', peer: 2 }, 0)
        .flatMap((each) => (each.type === 'set-timer' ? [each.delayMs] : []))[0];
    expect([delayOf(1), delayOf(3)]).toEqual([0, 50]);
  });

  it('and is given up by REST is dialled again', () => {
    const bench = new Bench(Peers);
    bench.take({ type: 'timer', timer: 'dial 2' });
    expect(bench.take({ type: 'dial-found-rest', peer: 2 })).toEqual(['use-rest']);
    expect(bench.take({ type: 'rest-failed', peer: 2 })).toEqual(['unreachable: null']);
    expect(bench.take({ type: 'timer', timer: 'dial 2' })).toEqual(['dial']);
  });
});

describe('the rules that planted bugs break', () => {
  it.each(Object.keys(rules) as RuleName[])('%s', (name) => {
    expect(rules[name](Peers)).toBe(true);
  });
});
