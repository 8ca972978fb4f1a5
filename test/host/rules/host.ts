/** What a host must do in a few steps, where no run of the swarm shows when it does not. Each returns whether it does. */
import type * as Host from '../../../src/host/index.ts';
import { Bench, HANDOVER, LEADS, NEWS, report, save, send, timer } from '../bench.ts';

type HostModule = typeof Host;

/** The lease of a leader is renewed. */
const RENEWED = [
  { type: 'cancel-timer', timer: 'lease' } as const,
  timer('lease/2', 100),
  report('leader', 5, { lease: 'lease/2' }),
];

/** What waits for a disk, and what a disk that refuses records does to it. */
export const diskRules = {
  'a message that waited is sent once'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'holds';
    bench.play([save(1), send('m')]);
    bench.ended();
    return bench.news() === 'save 1, send m';
  },
  'what stands before a record does not wait for it'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'holds';
    bench.play([send('x'), save(1), save(2), send('y')]);
    return bench.news() === 'send x, save 2';
  },
  'a record that was refused is tried again, and then all is told'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'refuses';
    bench.play([save(1), report('follower', 1)]);
    const isIll = bench.host.illness !== null && bench.news() === 'save 1';
    bench.disk = 'takes';
    bench.clock.advance(1000);
    return isIll && bench.host.illness === null && bench.news() === 'save 1, report follower 1';
  },
  'an older record opens nothing that a newer one has shut'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'holds';
    bench.play([save(1)]);
    bench.disk = 'refuses';
    bench.play([save(2), report('follower', 2)]);
    bench.ended();
    const isShut = bench.host.illness !== null && bench.news() === 'save 1, save 2';
    bench.disk = 'takes';
    bench.clock.advance(1000);
    return isShut && bench.news() === 'save 2, report follower 2';
  },
  'an older record that was refused is not saved after a newer one'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'holds';
    bench.play([save(1), send('x')]);
    bench.play([save(2), send('y')]);
    bench.play([save(3), send('z')]);
    bench.ended('EIO: i/o error, fdatasync');
    const isShut = bench.news() === 'save 1, save 2, save 3';
    bench.ended();
    const hasLeft = bench.news() === 'send x, send y' && bench.host.illness === null;
    bench.ended();
    bench.clock.advance(2000);
    return isShut && hasLeft && bench.news() === 'send z';
  },
  'a record that is refused after a newer one was durable shuts nothing'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'holds';
    bench.play([save(1), send('x')]);
    bench.play([save(2), send('y')]);
    bench.ended(null, 1);
    const waits = bench.news() === 'save 1, save 2';
    bench.ended('EIO: i/o error, fdatasync');
    bench.clock.advance(2000);
    return waits && bench.news() === 'send x, send y' && bench.host.illness === null;
  },
  'of records that were refused the newest is tried again, whichever was refused last'(
    host: HostModule,
  ): boolean {
    const bench = new Bench(host);
    bench.disk = 'holds';
    bench.play([save(1)]);
    bench.disk = 'refuses';
    bench.play([save(2), report('follower', 2)]);
    bench.ended('EIO: i/o error, fdatasync');
    bench.news();
    bench.disk = 'takes';
    bench.clock.advance(1000);
    return bench.news() === 'save 2, report follower 2' && bench.host.illness === null;
  },
  'that a disk works again is told, also if the record that was tried again was replaced'(
    host: HostModule,
  ): boolean {
    const bench = new Bench(host);
    bench.disk = 'refuses';
    bench.play([save(1)]);
    bench.disk = 'holds';
    bench.clock.advance(1000);
    bench.play([save(2)]);
    bench.ended('EIO: i/o error, fdatasync');
    const isIll = bench.host.illness !== null;
    bench.log.length = 0;
    bench.ended();
    return isIll && bench.host.illness === null && bench.log.join() === 'changed';
  },
  'what was held back is told once'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'refuses';
    bench.play([save(1), report('follower', 1)]);
    bench.disk = 'takes';
    bench.play([save(2)]);
    bench.news();
    bench.play([save(3)]);
    return bench.news() === 'save 3';
  },
  'a leader stops at once, whatever its disk does'(host: HostModule): boolean {
    return (['holds', 'refuses'] as const).every((disk) => {
      const bench = new Bench(host);
      bench.play(LEADS);
      bench.disk = disk;
      bench.play([save(1), report('follower', 6)]);
      // It has stopped, but a crash may still undo that it has heard of term 6.
      return !bench.host.acting && bench.host.held === null && bench.host.view.term === 5;
    });
  },
  'a renewed lease waits for the disk, and the one that was shown holds until its end'(
    host: HostModule,
  ): boolean {
    return (['holds', 'refuses'] as const).every((disk) => {
      const bench = new Bench(host);
      bench.play(LEADS);
      bench.clock.advance(50);
      bench.disk = disk;
      bench.play([save(1), ...RENEWED]);
      const { held } = bench.host;
      const isHeld = held !== null && bench.host.acting && bench.host.view.lease === 'lease';
      bench.clock.advance(50);
      return isHeld && !bench.host.acting && bench.host.held === null;
    });
  },
  'a lease that was renewed twice behind a slow disk is shown as it was reported'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play(LEADS);
    bench.disk = 'holds';
    bench.play([save(1), ...RENEWED]);
    bench.play([
      save(2),
      { type: 'cancel-timer', timer: 'lease/2' },
      timer('lease/3', 100),
      report('leader', 5, { lease: 'lease/3' }),
    ]);
    bench.ended();
    return bench.host.acting && bench.host.view.lease === 'lease/2';
  },
  'a leader that gives up its lease stops at once, whatever its disk does'(host: HostModule): boolean {
    return (['holds', 'refuses'] as const).every((disk) => {
      const bench = new Bench(host);
      bench.play(LEADS);
      bench.disk = disk;
      bench.play([save(1), ...RENEWED]);
      bench.play([{ type: 'cancel-timer', timer: 'lease/2' }, report('leader', 5, { lease: 'none' })]);
      const isHeld = bench.host.acting || bench.host.held !== null;
      bench.disk = 'takes';
      if (disk === 'holds') bench.ended();
      else bench.clock.advance(1000);
      return !isHeld && !bench.host.acting;
    });
  },
  'a leadership that was given up is not taken up when its record is durable'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'holds';
    bench.play([save(1), ...LEADS]);
    bench.play([save(2), report('follower', 6)]);
    bench.ended();
    return !bench.host.acting && bench.host.view.role !== 'leader';
  },
  'a command whose record was refused is not done'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'refuses';
    bench.replies.set('publish', [
      save(1),
      { type: 'answer', command: 3, outcome: { status: 'done' } },
      send('m'),
    ]);
    bench.host.command(3, { type: 'publish', value: 1 });
    return bench.news() === 'save 1, answer 3 failed';
  },
  'a leadership that waited for a disk is taken up when its record is durable'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'holds';
    bench.play([save(1), ...LEADS]);
    const isHeld = bench.host.acting;
    bench.log.length = 0;
    bench.ended();
    return !isHeld && bench.host.acting && bench.log.at(-1) === 'changed';
  },
  'that a disk refuses a record is told when it does'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'holds';
    bench.play([save(1)]);
    bench.log.length = 0;
    bench.ended('read-only');
    return bench.host.illness === 'read-only' && bench.log.includes('changed');
  },
  'a save that ends within a step is looked at after the step'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'refuses';
    bench.log.length = 0;
    bench.play([save(1), { type: 'answer', command: 1, outcome: { status: 'done' } }]);
    return bench.log.join(', ') === 'save 1, answer 1 failed, changed';
  },
  'what a slow disk held up keeps its cause, whatever comes meanwhile'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'holds';
    bench.play([save(1), report('follower', 5)], NEWS);
    bench.play([]);
    bench.ended();
    return bench.host.explanation.cause === 'learned';
  },
};

/** The end of a host. */
export const closingRules = {
  'a closed host lets nothing out'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.disk = 'holds';
    bench.play([save(1), send('m'), report('follower', 1)]);
    bench.news();
    bench.host.stop();
    bench.ended();
    return bench.news() === '';
  },
  'a host that is closed in the middle of a step lets nothing more out'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.onReport = () => bench.host.stop();
    bench.play([report('follower', 1), send('m'), save(1)]);
    return bench.news() === 'report follower 1';
  },
  'a closed host saves nothing'(host: HostModule): boolean {
    return (['refuses', 'holds'] as const).every((disk) => {
      const bench = new Bench(host);
      bench.disk = disk;
      bench.play([save(1)]);
      bench.host.stop();
      if (disk === 'holds') bench.ended('read-only');
      bench.news();
      bench.clock.advance(5000);
      return bench.news() === '' && bench.clock.alarms.size === 0;
    });
  },
  'a closed host takes nothing and leads nothing'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play(LEADS);
    bench.host.stop();
    bench.taken();
    bench.host.give({ type: 'peer-back', peer: 'b' });
    bench.clock.advance(1000);
    const { held, acting, view } = bench.host;
    return bench.taken() === '' && held === null && !acting && view.role === 'none';
  },
  'a closed host has no alarms'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([timer('t', 10)]);
    bench.host.stop();
    return bench.clock.alarms.size === 0;
  },
  'a host that is closed when it hears of its lapse asks for nothing'(host: HostModule): boolean {
    const bench = lapsed(host);
    bench.onChange = () => bench.host.stop();
    bench.play(LEADS);
    return bench.taken() === 'peer-back';
  },
};

/** Inputs, commands, timers. */
export const inputRules = {
  'answers go under the number of their command'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.replies.set('publish', [{ type: 'answer', command: 3, outcome: { status: 'done' } }]);
    bench.host.command(3, { type: 'publish', value: 1 });
    return bench.news() === 'answer 3 done';
  },
  'what is due comes before what arrives'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([timer('t', 10)]);
    bench.clock.stall(20);
    bench.taken();
    bench.play([]);
    return bench.taken() === 't, peer-back';
  },
  'an input that comes during a step waits for its end'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.onReport = () => {
      bench.onReport = () => {};
      bench.play([send('second')]);
    };
    bench.play([report('follower', 1), send('first')]);
    return bench.news() === 'report follower 1, send first, send second';
  },
  'timers come due in the order of their deadlines'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([timer('late', 20), timer('early', 10)]);
    bench.clock.stall(30);
    bench.taken();
    bench.host.wake();
    return bench.taken() === 'early, late';
  },
  'a timer that is cancelled never comes due, one that is set again does so once'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([timer('never', 10), timer('again', 10)]);
    bench.play([{ type: 'cancel-timer', timer: 'never' }, timer('again', 50)]);
    bench.taken();
    bench.clock.advance(30);
    const early = bench.taken();
    bench.clock.advance(100);
    return early === '' && bench.taken() === 'again';
  },
  'an earlier deadline is met while a later one is awaited'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([timer('late', 100)]);
    bench.play([timer('early', 10)]);
    bench.taken();
    bench.clock.advance(10);
    return bench.taken() === 'early';
  },
  'the length of a delay is drawn from its range'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([{ type: 'set-timer', timer: 't', delayMs: [10, 30] }]);
    bench.taken();
    bench.clock.advance(19);
    const early = bench.taken();
    bench.clock.advance(1);
    return early === '' && bench.taken() === 't';
  },
};

/** A host whose lease has run out in time for it to notice. */
export function lapsed(host: HostModule): Bench {
  const bench = new Bench(host);
  bench.play(LEADS);
  bench.clock.advance(100);
  bench.taken();
  bench.news();
  return bench;
}

/** A leadership that lapsed is given up, and another one asked for. */
export const lapseRules = {
  'a lapsed token is not held again: the host resigns and asks for another'(host: HostModule): boolean {
    const bench = lapsed(host);
    bench.play(LEADS);
    return bench.taken() === 'peer-back, resign, campaign' && bench.host.held === null && !bench.host.acting;
  },
  'a lapsed leadership that is handed over is not asked for again'(host: HostModule): boolean {
    const bench = lapsed(host);
    bench.replies.set('resign', [{ type: 'send', to: 'b', message: HANDOVER }]);
    bench.play(LEADS);
    return bench.taken() === 'peer-back, resign';
  },
  'answers to what a host asks itself are told to no program'(host: HostModule): boolean {
    const bench = lapsed(host);
    bench.replies.set('resign', [{ type: 'answer', command: 0, outcome: { status: 'done' } }]);
    bench.play(LEADS);
    return bench.news() === 'report leader 5';
  },
  'a renewal that a disk held up for longer than the lease renews nothing'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play(LEADS);
    bench.clock.advance(50);
    bench.disk = 'holds';
    const renewed = report('leader', 5, { lease: 'lease/2' });
    bench.play([save(1), { type: 'cancel-timer', timer: 'lease' }, timer('lease/2', 100), renewed]);
    const wasActing = bench.host.acting;
    bench.clock.stall(80);
    bench.ended();
    return wasActing && !bench.host.acting && bench.host.held === null;
  },
  'a lease that ran out before it was renewed has lapsed'(host: HostModule): boolean {
    const bench = new Bench(host);
    bench.play([timer('heartbeat', 50), ...LEADS]);
    const { held } = bench.host;
    bench.replies.set('heartbeat', [
      { type: 'cancel-timer', timer: 'lease' },
      timer('lease/2', 100),
      report('leader', 5, { lease: 'lease/2' }),
    ]);
    bench.clock.stall(200);
    bench.host.wake();
    return held !== null && bench.host.held === null && bench.host.explanation.cause === 'event-loop-blocked';
  },
};
