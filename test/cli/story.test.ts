import { describe, expect, it } from 'vitest';
import type { TraceLine } from '../../src/core/index.ts';
import { fires, happens, hears, send, step, storyOf, tell, timer, view } from './toy.ts';

const beat = { type: 'beat' };
const beats = (from: number, count: number): TraceLine[] =>
  Array.from({ length: count }, (_, i) => [
    step(from + i * 100, 1, fires('beat'), ...send(beat, 2, 3, 4), timer('beat')),
    ...[2, 3, 4].map((id) => step(from + i * 100 + 1, id, hears(1, beat), timer('wait'))),
  ]).flat();

describe('the story of a run', () => {
  it('counts what goes on and on', () => {
    expect(tell(beats(100, 50))).toEqual(['0 150 beat in 10 s']);
  });

  it('tells a change and every message that led to it, and no counters', () => {
    const ask = { type: 'ask', nonce: 17 };
    const pass = { type: 'pass', ids: [2], nonce: 18 };
    expect(
      tell([
        step(10, 1, fires('x'), ...send(ask, 2)),
        step(20, 2, hears(1, ask), ...send(pass, 3)),
        step(30, 3, hears(2, pass), view('leader', 3)),
      ]),
    ).toEqual(['10 1: ask → 2 (timer x)', '20 2: pass(2) → 3', '30 3 leads']);
  });

  it('tells together who did the same because of the same message', () => {
    const tells = { type: 'tell', who: 1, nonce: 3 };
    expect(
      tell([
        step(10, 1, fires('x'), view('leader', 1), ...send(tells, 2, 3, 4)),
        step(20, 2, hears(1, tells), view('follower', 1)),
        step(22, 4, fires('x'), view('none')),
        step(25, 4, fires('x'), view('candidate')),
        step(30, 3, hears(1, tells), view('follower', 1)),
        step(35, 4, hears(1, tells), view('follower', 1)),
      ]),
    ).toEqual([
      '10 1 leads · tell(1) → all (timer x)',
      '20 2 and 3 follow 1',
      '22 4 starts (timer x)',
      '25 4 stands for election (timer x)',
      '35 4 follows 1', // It stood in between, so its own order is kept.
    ]);
  });

  it('does not move anybody past a fault', () => {
    const tells = { type: 'tell', who: 1, nonce: 3 };
    expect(
      tell([
        step(10, 1, fires('x'), view('leader', 1), ...send(tells, 2, 3)),
        step(20, 2, hears(1, tells), view('follower', 1)),
        happens(25, 'crash', { member: 1 }),
        step(30, 3, hears(1, tells), view('follower', 1)),
      ]),
    ).toEqual([
      '10 1 leads · tell(1) → 2 and 3 (timer x)',
      '20 2 follows 1',
      '25 1 crashes',
      '30 3 follows 1',
    ]);
  });

  it('tells a second try with the first, and leaves acks out', () => {
    const ask = { type: 'ask', nonce: 17 };
    const got = { type: 'got', nonce: 17 };
    expect(
      tell([
        step(10, 1, fires('x'), ...send(ask, 2), timer('ack')),
        step(20, 1, fires('ack'), ...send(ask, 2), timer('ack')),
        step(30, 1, fires('ack'), ...send(ask, 3), timer('ack')),
        step(40, 3, hears(1, ask), ...send(got, 1), view('leader', 3)),
        step(50, 1, hears(3, got), { type: 'cancel-timer', timer: 'ack' }),
      ]),
    ).toEqual(['10 1: ask → 2 (timer x, 2 tries)', '30 1: ask → 3 (timer ack)', '40 3 leads']);
  });

  it('tells every vote that counted, not only the last', () => {
    const votes = [1, 2, 3].map((nonce) => ({ type: 'ask', nonce }));
    expect(
      tell([
        ...votes.map((vote, i) => step(10 + i, i + 1, fires('x'), ...send(vote, 4))),
        ...votes.slice(0, 2).map((vote, i) => step(20 + i, 4, hears(i + 1, vote))),
        step(30, 4, hears(3, votes[2]!), view('leader', 4)),
      ]),
    ).toEqual(['10 1–3: ask → 4 (timer x)', '30 4 leads']);
  });

  it('tells together the same answer to different members', () => {
    const [a, b] = [
      { type: 'ask', nonce: 1 },
      { type: 'ask', nonce: 2 },
    ];
    const [yes, too] = [
      { type: 'vote', granted: true, age: null },
      { type: 'vote', granted: true, age: null },
    ];
    expect(
      tell([
        step(10, 1, fires('x'), ...send(a!, 3)),
        step(10, 2, fires('x'), ...send(b!, 4)),
        step(20, 3, hears(1, a!), ...send(yes!, 1)),
        step(21, 4, hears(2, b!), ...send(too!, 2)),
        step(30, 1, hears(3, yes!), view('follower', 3)),
        step(31, 2, hears(4, too!), view('follower', 4)),
      ]),
    ).toEqual([
      '10 1: ask → 3 (timer x)',
      '10 2: ask → 4 (timer x)',
      '20 3 and 4: vote(granted) → 1 and 2',
      '30 1 follows 3',
      '31 2 follows 4',
    ]);
  });

  it('names the cause of a change where no line of its own tells of it', () => {
    const late = { type: 'beat' };
    const rows = tell([
      ...beats(100, 20),
      step(2100, 1, fires('beat'), ...send(late, 2, 3, 4), timer('beat')),
      step(2101, 2, hears(1, late), view('follower', 1)),
    ]);
    expect(rows).toContain('2101 2 follows 1 (beat from 1)');
    expect(rows.join('\n')).not.toContain('timer beat');
  });

  it('does not tell that a lease has a new name', () => {
    const leads = (lease: string) => view('leader', 1, { term: 3, lease });
    const told = tell([
      step(10, 1, fires('x'), leads('lease/1')),
      ...[2, 3, 4].map((n) => step(n * 100, 1, hears(2, { type: 'got', nonce: n }), leads(`lease/${n}`))),
    ]);
    expect(told).toEqual(['10 1 leads in term 3 (timer x)']);
  });
});

describe('the words for a change', () => {
  const became = (...views: ReturnType<typeof view>[]): string =>
    tell(views.map((each, i) => step(10 + i, 1, fires('x'), each)))
      .at(-1)!
      .replace(/^\d+ | \(timer x\)/g, '');

  it('are that a leader steps down, whatever it is next', () => {
    expect(became(view('leader', 1), view('candidate'))).toBe('1 steps down');
    expect(became(view('leader', 1), view('follower'))).toBe('1 steps down');
    expect(became(view('leader', 1, { term: 1 }), view('follower', 2, { term: 2 }))).toBe(
      '1 steps down and follows 2 in term 2',
    );
  });

  it('are that a member looks for a leader if it says so first of all', () => {
    expect(became(view('candidate', null, { term: 0 }))).toBe('1 looks for a leader');
    expect(became(view('none'), view('candidate', null, { term: 1 }))).toBe(
      '1 stands for election in term 1',
    );
  });

  it('are that a member joins an election that another began', () => {
    const pass = { type: 'pass', ids: [1], nonce: 1 };
    const rows = tell([
      step(5, 2, fires('x'), view('none')),
      step(10, 1, fires('x'), ...send(pass, 2)),
      step(20, 2, hears(1, pass), view('candidate'), ...send({ ...pass, ids: [1, 2] }, 3)),
    ]);
    expect(rows.at(-1)).toBe('20 2 joins the election · pass(1,2) → 3');
  });

  it('show the value of a version, and who the members are now', () => {
    const applied = view('follower', 2, { version: 4, value: { a: 1 }, members: [1, 2] });
    expect(became(view('follower', 2, { members: [1] }), applied)).toBe(
      '1 applies version 4: {"a":1}, members 1 and 2',
    );
  });
});

describe('the words for a message', () => {
  const sent = (message: Parameters<typeof send>[0]): string =>
    tell([step(10, 1, { type: 'command', id: 1, command: { type: 'campaign' } }, ...send(message, 2))])[0]!;

  it('keep what it is about apart from where it goes', () => {
    expect(sent({ type: 'tell', who: 4, nonce: 7 })).toBe('10 1: tell(4) → 2');
    expect(sent({ type: 'pass', ids: [3, 1], nonce: 7 })).toBe('10 1: pass(3,1) → 2');
    expect(sent({ type: 'vote', granted: false, age: { term: 1, version: 2 } })).toBe(
      '10 1: vote(not granted) → 2',
    );
    expect(sent({ type: 'copy', register: { members: [1, 2, 3, 4], value: 'x' }, nonce: 1 })).toBe(
      '10 1: copy(x) → 2',
    );
  });

  it('that was forged name its counters too', () => {
    const message = { type: 'tell', who: 4, nonce: 7 };
    expect(tell([happens(5, 'inject', { from: 3, to: 2, message })])).toEqual([
      '5 forged: 3 → 2 tell(4, nonce 7)',
    ]);
  });
});

describe('commands', () => {
  const publish = (atMs: number, id: number): TraceLine[] => [
    happens(atMs, 'publish', { member: 2, value: 'v' }),
    step(atMs, 2, { type: 'command', id, command: { type: 'publish', value: 'v' } }),
  ];

  it('are followed to their answer', () => {
    const answer = happens(1500, 'answer', { member: 2, command: 1, status: 'done' });
    const lines = [...publish(1000, 1), answer, ...publish(4000, 2)];
    expect(tell(lines)).toEqual([
      '1000 2 is asked to publish v',
      '1500 2 answers: publish done',
      '4000 2 is asked to publish v',
    ]);
    expect(storyOf(lines).unanswered).toMatchObject([{ what: 'publish', atMs: 4000, member: 2 }]);
  });

  it('that reach a stopped member are answered under the number they get when it goes on', () => {
    const [given, taken] = publish(1000, 7);
    const answer = happens(2000, 'answer', { member: 2, command: 7, status: 'done' });
    expect(storyOf([given!]).unanswered).toHaveLength(1);
    expect(storyOf([given!, { ...taken!, atMs: 2000 } as TraceLine, answer]).unanswered).toEqual([]);
  });
});
