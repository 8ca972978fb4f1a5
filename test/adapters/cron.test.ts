/** node-cron, croner and NestJS: schedules on one of several replicas, with the real packages and real processes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NestFactory } from '@nestjs/core';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Cron } from 'croner';
import cron from 'node-cron';
import { afterEach, describe, expect, it } from 'vitest';
import { oncePerFire } from '../../src/adapters/croner/index.ts';
import {
  CaucusModule,
  CaucusService,
  Lead,
  LeaderCron,
  OnlyLeader,
} from '../../src/adapters/nestjs/index.ts';
import { ElectionCoordinator } from '../../src/adapters/node-cron/index.ts';
import { Election, type OnceContext, type Seat } from '../../src/election/index.ts';
import { openEngine } from '../../src/engines/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { Replicas } from './support/replicas.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

/** What decorators do, for classes of tests that are compiled without them. */
function decorate(target: object, key: string, ...decorators: ReturnType<typeof Lead>[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(target, key)!;
  for (const decorator of decorators) decorator(target, key, descriptor);
  Object.defineProperty(target, key, descriptor);
}

const NEST = { TSX_TSCONFIG_PATH: path.resolve('test/adapters/support/tsconfig.nestjs.json') };
const LONG = { timeout: 60_000 };

describe.each([
  ['node-cron.ts', {}],
  ['croner.ts', {}],
  ['nestjs.ts', NEST],
])('three replicas of the example %s', (example, env) => {
  it('run each second on one of them, also when one is killed', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'caucus-cron-'));
    cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
    const replicas = new Replicas(example, env);
    cleanUp.push(() => replicas.close());
    replicas.start(3, `local:${folder}`);
    await expect.poll(() => replicas.runs.length, LONG).toBeGreaterThanOrEqual(3);
    const killed = replicas.runs.at(-1)!.replica;
    await replicas.end(killed, 'SIGKILL');
    const before = replicas.runs.length;
    await expect.poll(() => replicas.runs.length, LONG).toBeGreaterThanOrEqual(before + 3);
    const runs = replicas.runs.map(({ line }) => line.split(' token '));
    // The one that was killed may have printed its last run and not recorded it.
    const twice = runs.filter(([occasion], i) => runs.findIndex(([each]) => each === occasion) !== i);
    expect(twice.length).toBeLessThanOrEqual(1);
    for (const [occasion] of twice) {
      const by = replicas.runs.filter(({ line }) => line.startsWith(occasion!));
      expect(by[0]!.replica).toBe(killed);
    }
    const tokens = runs.map(([, token]) => BigInt(token!));
    expect(replicas.runs.slice(before).every(({ replica }) => replica !== killed)).toBe(true);
    expect(new Set(tokens).size).toBeGreaterThan(1);
  });
});

it('a NestJS application stops its work and releases what it leads when it is told to end', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-nest-'));
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
  const replicas = new Replicas('nestjs.ts', NEST);
  cleanUp.push(() => replicas.close());
  replicas.start(2, `local:${folder}`);
  const connected = () => replicas.said.filter(({ line }) => line.startsWith('connected'));
  await expect.poll(() => connected().length, LONG).toBe(1);
  const first = connected()[0]!.replica;
  await replicas.end(first, 'SIGTERM');
  await expect.poll(() => connected().length, LONG).toBe(2);
  const lines = replicas.said.filter(({ replica }) => replica === first).map(({ line }) => line);
  expect(lines).toContain('disconnected: its program ended its candidacy');
  const other = (): string[] =>
    replicas.said.filter((each) => each.replica !== first).map(({ line }) => line);
  await expect.poll(() => other().includes('sweeps'), LONG).toBe(true);
});

describe('two calls for one fire time, in one process on one machine', () => {
  const EACH_SECOND = '* * * * * *';

  function folderUrl(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'caucus-twice-'));
    cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
    return `local:${folder}`;
  }

  /** Two elections in one process that know nothing of each other, or one that both share. */
  async function elections(areApart: boolean): Promise<readonly [Election, Election]> {
    const url = folderUrl();
    const open = async (): Promise<Election> => {
      const engine = await openEngine(url);
      cleanUp.push(() => engine.close());
      return new Election('twice', engine);
    };
    const first = await open();
    return [first, areApart ? await open() : first];
  }

  /** Waits for three fire times, of which each ran once. */
  async function expectOnceEach(began: readonly string[]): Promise<void> {
    await expect.poll(() => new Set(began).size, LONG).toBeGreaterThanOrEqual(3);
    expect([...new Set(began)]).toEqual(began);
  }

  it.each([
    ['one election', false],
    ['two elections', true],
  ])('run once by node-cron, with %s', async (_name, areApart) => {
    const began: string[] = [];
    for (const election of await elections(areApart)) {
      const coordinator = new ElectionCoordinator(election);
      const task = cron.schedule(
        EACH_SECOND,
        () => void began.push(String(coordinator.context('report')!.occasion)),
        { name: 'report', distributed: true, runCoordinator: coordinator },
      );
      cleanUp.push(() => task.destroy());
    }
    await expectOnceEach(began);
  });

  it.each([
    ['one election', false],
    ['two elections', true],
  ])('run once by croner, with %s', async (_name, areApart) => {
    const began: string[] = [];
    for (const election of await elections(areApart)) {
      const shutdown = new AbortController();
      const options = { series: 'report', signal: shutdown.signal };
      const job = new Cron(
        EACH_SECOND,
        oncePerFire(election, ({ occasion }) => began.push(String(occasion)), options),
      );
      cleanUp.push(() => {
        job.stop();
        shutdown.abort(); // A fire time that waits would reject when the engine is closed.
      });
    }
    await expectOnceEach(began);
  });

  it('run once by @LeaderCron, of two classes and of two applications', async () => {
    const began: string[] = [];
    const make = (): (new () => object) => {
      class Jobs {
        report({ occasion }: OnceContext): void {
          began.push(String(occasion));
        }
      }
      decorate(Jobs.prototype, 'report', LeaderCron(EACH_SECOND, { name: 'report' }));
      return Jobs;
    };
    const url = folderUrl();
    for (const providers of [[make(), make()], [make()]]) {
      const root = { module: class Root {}, imports: [await CaucusModule.forRoot({ url })], providers };
      const app = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
      cleanUp.push(() => app.close());
    }
    await expectOnceEach(began);
  });
});

describe('the coordinator of node-cron', () => {
  const memory = new Memory();
  const coordinated = (name: string, election = name): ElectionCoordinator => {
    const engine = memory.engine({ name });
    cleanUp.push(() => engine.close());
    return new ElectionCoordinator(new Election(election, engine));
  };
  const keys = [0, 1, 2, 3].map((second) => `report:2026-11-16T03:00:0${second}.000Z`);

  it('lets one run, and the others know when it has', async () => {
    const [a, b] = ['a', 'b'].map((name) => coordinated(name, 'turns'));
    const first = await Promise.race(
      [a, b].map(async (each) => ((await each!.shouldRun(keys[0]!, 1000)) ? each : null)),
    );
    expect(first!.context('report')!.token).toBeGreaterThan(0n);
    expect(first!.context('other')).toBe(null);
    const other = first === a ? b : a;
    const waiting = other!.shouldRun(keys[0]!, 1000);
    await first!.onComplete(keys[0]!);
    expect(await waiting).toBe(false);
    expect(first!.context('report')).toBe(null);
    expect(await other!.shouldRun(keys[0]!, 1000)).toBe(false);
    expect(await other!.shouldRun(keys[1]!, 1000)).toBe(true);
    await other!.onComplete(keys[1]!);
    expect(await other!.shouldRun(keys[0]!, 1000)).toBe(false);
  });

  it('lets the runs of one task follow each other, and those of two tasks run side by side', async () => {
    const a = coordinated('order');
    expect(await a.shouldRun(keys[0]!, 1000)).toBe(true);
    let isSecond = false;
    const second = a.shouldRun(keys[1]!, 1000).then((isOurs) => {
      isSecond = true;
      return isOurs;
    });
    expect(await a.shouldRun(`sweep:${keys[0]!.slice(7)}`, 1000)).toBe(true);
    expect(isSecond).toBe(false);
    await a.onComplete(keys[0]!);
    expect(await second).toBe(true);
  });

  it('lets the others first run what they know of, if it has just started or was stopped', async () => {
    const stop = new AbortController();
    const aEngine = memory.engine({ name: 'a' });
    cleanUp.push(() => aEngine.close());
    const a = new ElectionCoordinator(new Election('order-of-all', aEngine), { signal: stop.signal });
    const b = coordinated('b', 'order-of-all');
    expect(await a.shouldRun(keys[0]!, 1000)).toBe(true);
    const known = b.shouldRun(keys[0]!, 1000);
    await a.onComplete(keys[0]!);
    expect(await known).toBe(false);
    expect(await a.shouldRun(keys[1]!, 1000)).toBe(true);
    const c = coordinated('c', 'order-of-all'); // It does not know of the second fire time, which b can run.
    const third = c.shouldRun(keys[2]!, 1000);
    const second = b.shouldRun(keys[1]!, 1000);
    stop.abort();
    await a.onComplete(keys[1]!);
    expect(await second).toBe(true);
    const thirdOfB = b.shouldRun(keys[2]!, 1000);
    await b.onComplete(keys[1]!);
    expect(await thirdOfB).toBe(true);
    await b.onComplete(keys[2]!);
    expect(await third).toBe(false);
  });

  /** A replica whose seat stands only when it is told to. */
  function slow(name: string, election: string): { coordinator: ElectionCoordinator; stand: () => void } {
    const engine = memory.engine({ name });
    cleanUp.push(() => engine.close());
    const stands: (() => void)[] = [];
    const seat = (of: string): Seat =>
      new Proxy(engine.seat(of), {
        get(target, field) {
          const found = target[field as keyof Seat];
          if (field === 'stand') return () => void stands.push(() => target.stand());
          return typeof found === 'function' ? found.bind(target) : found;
        },
      });
    const stand = (): void => {
      for (const each of stands.splice(0)) each();
    };
    return { coordinator: new ElectionCoordinator(new Election(election, { seat })), stand };
  }

  /** Waits until this replica leads, with a later token than that one. */
  async function untilLed(election: string, by: string, after = 0n): Promise<Election> {
    const engine = memory.engine({ name: 'observer' });
    cleanUp.push(() => engine.close());
    const observer = new Election(election, engine);
    for await (const { leader, token } of observer.observe()) if (leader === by && token! > after) break;
    return observer;
  }

  it('lets the others run what they know of also if they are slow to elect a leader', async () => {
    const first = coordinated('first', 'slow-election');
    expect(await first.shouldRun(keys[0]!, 1000)).toBe(true);
    const { coordinator: slower, stand } = slow('slow', 'slow-election');
    const known = slower.shouldRun(keys[0]!, 1000);
    await first.onComplete(keys[0]!);
    expect(await known).toBe(false);
    const second = slower.shouldRun(keys[1]!, 1000);
    const late = coordinated('late', 'slow-election'); // It does not know of the second fire time.
    const third = late.shouldRun(keys[2]!, 1000);
    // It has waited, and is elected: the other one may have the leadership from then on.
    await untilLed('slow-election', 'late');
    stand();
    expect(await second).toBe(true);
    const thirdOfSlow = slower.shouldRun(keys[2]!, 1000);
    await slower.onComplete(keys[1]!);
    stand();
    expect(await Promise.race([third, thirdOfSlow])).toBe(true);
  });

  describe('whose leadership ends while its task runs', () => {
    /** Two replicas know of two fire times. The second one runs on `a`, which is told to resign. */
    async function interrupted(name: string) {
      const engine = memory.engine({ name: 'a' });
      cleanUp.push(() => engine.close());
      const election = new Election(name, engine);
      const a = new ElectionCoordinator(election);
      const { coordinator: b, stand } = slow('b', name);
      expect(await a.shouldRun(keys[0]!, 1000)).toBe(true);
      const known = b.shouldRun(keys[0]!, 1000);
      await a.onComplete(keys[0]!);
      expect(await known).toBe(false);
      expect(await a.shouldRun(keys[1]!, 1000)).toBe(true);
      const secondOfB = b.shouldRun(keys[1]!, 1000);
      const { signal, token } = a.context('report')!;
      void election.resign();
      expect(signal.aborted).toBe(true);
      return { a, b, secondOfB, stand, token };
    }

    it('says that the task is over without waiting for another replica', async () => {
      const { a } = await interrupted('over');
      const engine = memory.engine({ name: 'holder' });
      cleanUp.push(() => engine.close());
      // The next leader does not run it: a replica that has just started leads for a moment too.
      const held = new Election('over', engine).campaign();
      await a.onComplete(keys[1]!);
      expect(a.context('report')).toBe(null);
      await (await held).resign();
    });

    it('leaves it to another replica, and begins no later fire time before', async () => {
      const { a, b, secondOfB, stand, token } = await interrupted('later');
      const third = a.shouldRun(keys[2]!, 1000);
      const thirdOfB = b.shouldRun(keys[2]!, 1000);
      void a.onComplete(keys[1]!);
      const observer = await untilLed('later', 'a', token); // It is elected before the other one stands.
      stand();
      expect(await secondOfB).toBe(true);
      await b.onComplete(keys[1]!);
      stand();
      const next = await Promise.race([third.then((is) => is && a), thirdOfB.then((is) => is && b)]);
      await (next || a).onComplete(keys[2]!);
      await expect
        .poll(() => observer.runs.runs.map(({ outcome }) => outcome))
        .toEqual(['done', 'done', 'done']);
    });
  });

  it('does not run what follows a fire time that node-cron left out, although earlier ones still wait', async () => {
    const holder = memory.engine({ name: 'holder' });
    cleanUp.push(() => holder.close());
    const a = coordinated('a', 'left-out');
    const { coordinator: b, stand } = slow('b', 'left-out');
    expect(await a.shouldRun(keys[0]!, 1000)).toBe(true);
    const known = b.shouldRun(keys[0]!, 1000);
    await a.onComplete(keys[0]!);
    expect(await known).toBe(false);
    const held = await new Election('left-out', holder).campaign();
    const secondOfA = a.shouldRun(keys[1]!, 1000);
    const ofB = [1, 2, 3].map((i) => b.shouldRun(keys[i]!, 1000));
    const untilMs = performance.now() + 1000;
    while (performance.now() < untilMs); // The third fire time is left out by `a`.
    const fourthOfA = a.shouldRun(keys[3]!, 1000);
    await held.resign();
    expect(await secondOfA).toBe(true);
    await a.onComplete(keys[1]!);
    expect(await ofB[0]!).toBe(false);
    stand();
    expect(await Promise.race([ofB[1]!, fourthOfA.then(() => 'a passed over the third')])).toBe(true);
    await b.onComplete(keys[2]!);
    stand();
    expect(await Promise.race([ofB[2]!, fourthOfA])).toBe(true);
  });

  it('notices each stop for which node-cron leaves out a fire time', async () => {
    const a = coordinated('stopped', 'stops');
    const tokens: bigint[] = [];
    const runs = async (key: string): Promise<void> => {
      expect(await a.shouldRun(key, 1000)).toBe(true);
      tokens.push(a.context('report')!.token);
      await a.onComplete(key);
    };
    await runs(keys[0]!);
    await runs(keys[1]!);
    const untilMs = performance.now() + 1000;
    while (performance.now() < untilMs); // As by SIGSTOP.
    await runs(keys[2]!);
    // Before the third it was elected once more, and has resigned.
    expect(tokens[2]! - tokens[1]!).toBeGreaterThanOrEqual(2n);
  });

  it('runs its first fire time itself if no other replica wants to lead', async () => {
    const a = coordinated('last', 'alone');
    expect(await a.shouldRun(keys[0]!, 1000)).toBe(true);
    await a.onComplete(keys[0]!);
    const b = coordinated('next', 'alone');
    expect(await b.shouldRun(keys[1]!, 1000)).toBe(true);
    await b.onComplete(keys[1]!);
  });

  it('says no once it is told to stop', async () => {
    const stop = new AbortController();
    const a = new ElectionCoordinator(new Election('stop', memory.engine()), { signal: stop.signal });
    stop.abort();
    expect(await a.shouldRun(keys[0]!, 1000)).toBe(false);
  });
});

it('oncePerFire lets the others first run what they know of', async () => {
  const memory = new Memory();
  const ran: string[] = [];
  const replica = (name: string): ((second: number) => Promise<void>) => {
    const engine = memory.engine({ name });
    cleanUp.push(() => engine.close());
    const fire = oncePerFire(new Election('croner', engine), ({ occasion }) => {
      ran.push(`${name} ${String(occasion).slice(17, 19)}`);
    });
    return (second) =>
      fire({
        options: { timezone: 'UTC' },
        getPattern: () => '* * * * * *',
        currentRun: () => new Date(Date.UTC(2026, 10, 16, 3, 0, second)),
      });
  };
  const a = replica('a');
  await a(1);
  await a(2);
  const holder = memory.engine({ name: 'holder' });
  cleanUp.push(() => holder.close());
  const held = await new Election('croner', holder).campaign();
  const known = a(3);
  const late = replica('b')(4); // It does not know of the third.
  const alsoKnown = a(4);
  await held.resign();
  await Promise.all([known, late, alsoKnown]);
  expect(ran).toEqual(['a 01', 'a 02', 'a 03', 'a 04']);
});

it('oncePerFire refuses what it cannot use', async () => {
  const election = new Election('x', new Memory().engine());
  expect(() => oncePerFire(election, null as never)).toThrow('work: expected a function, found null');
  const job = { options: {}, getPattern: () => undefined, currentRun: () => null };
  await expect(oncePerFire(election, () => {})(job)).rejects.toThrow(
    'job: expected a job of croner with a cron line',
  );
});

describe('CaucusModule', () => {
  async function started(provider: new () => object, engine = new Memory().engine()) {
    const root = {
      module: class Root {},
      imports: [await CaucusModule.forRoot({ engine }), TerminusModule],
      providers: [provider],
    };
    const app = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
    cleanUp.push(() => app.close());
    return app;
  }

  it('reports its health to @nestjs/terminus', async () => {
    const app = await started(class {});
    const caucus = app.get(CaucusService);
    await caucus.election().campaign();
    const check = () => app.get(HealthCheckService).check([() => caucus.health()]);
    await expect.poll(async () => (await check().catch(() => null))?.status).toBe('ok');
    expect((await check()).details).toMatchObject({ caucus: { status: 'up', isLeader: true } });
    await caucus.election().leadership!.resign();
  });

  it('is up right after the start: it waits for the first answer of the store', async () => {
    const app = await started(class {});
    expect(await app.get(CaucusService).health()).toMatchObject({ caucus: { status: 'up' } });
  });

  it.each([
    [
      '61 * * * *',
      {},
      'Jobs.report: @LeaderCron: expected a cron line, as in "0 3 * * *", found "61 * * * *"',
    ],
    [
      '0 3 * * *',
      { timezone: 'Mars/Phobos' },
      'Jobs.report: @LeaderCron: expected a zone, as in UTC or Europe/Berlin, found "Mars/Phobos"',
    ],
  ])('does not start with the schedule %j %j', async (line, options, words) => {
    class Jobs {
      report(): void {}
    }
    decorate(Jobs.prototype, 'report', LeaderCron(line, options));
    await expect(started(Jobs)).rejects.toThrow(words);
  });

  it('runs a method of @OnlyLeader on the leader alone', async () => {
    class Jobs {
      sweep(what: string): string {
        return `swept ${what}`;
      }
    }
    decorate(Jobs.prototype, 'sweep', OnlyLeader());
    const memory = new Memory();
    const other = new Election('app', memory.engine());
    const leadership = await other.campaign();
    const jobs = (await started(Jobs, memory.engine())).get(Jobs);
    expect(jobs.sweep('a')).toBe(undefined);
    await leadership.resign();
    await expect.poll(() => jobs.sweep('b')).toBe('swept b');
    expect(() => new Jobs().sweep('c')).toThrow('Jobs.sweep: expected a provider of an application');
  });

  it('refuses what cannot work', async () => {
    await expect(CaucusModule.forRoot({})).rejects.toThrow(
      'CaucusModule.forRoot: expected either url or engine, found neither',
    );
    expect(() => LeaderCron('')).toThrow('@LeaderCron: expected a cron line');
    class Jobs {
      sweep(): void {}
      hold(): void {}
    }
    decorate(Jobs.prototype, 'sweep', OnlyLeader());
    decorate(Jobs.prototype, 'hold', Lead());
    await expect(started(Jobs)).rejects.toThrow('Jobs.hold: app is the election of @OnlyLeader');
  });
});
