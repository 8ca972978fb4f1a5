/** Who leads by the clock, and why: rules as in host.ts. */
import type * as Host from '../../../src/host/index.ts';
import { Bench, LEADS, report, timer } from '../bench.ts';
import { lapsed } from './host.ts';

type HostModule = typeof Host;

export const holdRules = {
  'a leadership without a lease may come back'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([report('leader', 5)]);
    bench.play([report('follower', 5)]);
    bench.taken();
    bench.play([report('leader', 5)]);
    return bench.host.acting && bench.taken() === 'peer-back';
  },
  'a sleep ends every lease'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play(LEADS);
    const { held } = bench.host;
    bench.clock.sleep(1000);
    return !bench.host.acting && held?.expiresAtMs === 0;
  },
  'a sleep that is noticed by looking ends a lease at that look'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play(LEADS);
    const { held } = bench.host;
    bench.clock.unnoticedMs = 1000;
    return held?.expiresAtMs === 0;
  },
  'a sleep explains the loss of a lease'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play(LEADS);
    bench.clock.sleep(1000);
    bench.clock.advance(100);
    return bench.host.explanation.cause === 'suspended';
  },
  'a disk that refuses records explains the loss of a lease'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play(LEADS);
    bench.disk = 'refuses';
    bench.play([{ type: 'save', record: 1 }]);
    bench.clock.advance(100);
    const { cause, detail } = bench.host.explanation;
    return cause === 'lease-expired' && detail.includes('cannot write to its disk');
  },
  'a sleep that ended nothing explains nothing'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([report('leader', 5)]);
    bench.clock.sleep(1000);
    bench.play([]);
    bench.replies.set('resign', [report('follower', 5, { leader: null })]);
    bench.host.command(1, { type: 'resign' });
    return bench.host.explanation.cause === 'resigned';
  },
  'another token is another leadership, and the one before is over'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play(LEADS);
    const { held } = bench.host;
    bench.play([timer('lease', 100), report('leader', 6, { lease: 'lease' })]);
    return bench.host.held?.token === 6n && bench.host.held !== held && held?.expiresAtMs === 0;
  },
  'a leader that may not act is not shown as one'(host: HostModule): boolean {
    const { history } = lapsed(host).host;
    return history.at(-1)?.leader === null && history.at(-1)?.cause === 'lease-expired';
  },
  'a loss is told once'(host: HostModule): boolean {
    const bench = lapsed(host);
    const { length } = bench.host.history;
    bench.play([report('candidate', 5, { leader: null })]);
    return bench.host.history.length === length;
  },
  'a thousand changes are kept'(host: HostModule): boolean {
    const bench = new Bench(host);
    for (let term = 1; term <= 1100; term++) bench.play([report('follower', term)]);
    return bench.host.history.length === 1000;
  },
  'a lease that was lost late was lost to what blocked the process'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play(LEADS);
    bench.clock.stall(4000);
    bench.host.wake();
    return bench.host.explanation.cause === 'event-loop-blocked';
  },
  'a process that was blocked once is not blocked for ever'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([timer('t', 10)]);
    bench.clock.stall(4000);
    bench.host.wake();
    bench.play(LEADS);
    bench.onStep = () => bench.clock.stall(150);
    bench.play([]);
    return bench.host.explanation.cause === 'lease-expired';
  },
  'why a leader resigns is passed on, within bounds'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.host.command(1, { type: 'resign' }, { cause: 'event-loop-blocked', detail: 'x'.repeat(1000) });
    const input = bench.inputs.at(-1);
    if (input?.type !== 'command') return false;
    return input.why?.cause === 'event-loop-blocked' && input.why.detail.length === 240;
  },
  'a reason that no leader can have is not shown'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([report('follower', 5)]);
    bench.play([report('follower', 5, { leader: null })], {
      type: 'freed',
      why: { cause: 'won', detail: 'x' },
    } as never);
    return bench.host.explanation.cause === 'resigned';
  },
  'the reason of a leader is shown in one line'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([report('follower', 5)]);
    const why = { cause: 'store-unreachable', detail: 'one\ntwo' };
    bench.play([report('follower', 5, { leader: null })], { type: 'freed', why } as never);
    const { cause, detail } = bench.host.explanation;
    return cause === 'store-unreachable' && !detail.includes('\n');
  },
  'a member that is removed is told so'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([report('leader', 5, { members: ['a', 'b'] })]);
    bench.play([report('none', 5, { leader: 'b', members: ['b'] })]);
    return bench.host.explanation.cause === 'removed';
  },
};
