/**
 * Storms that the swarm has not: `npx tsx verify/storms.ts [STORMS] [FIRST SEED]`, over several elections of the same members, which
 * rest on support; with `--deputies`, about deputies alone; with `--deputies --bugs`, the same for each bug that is planted in them.
 * With STORMS omitted, 1,000. Ctrl-C ends it after the storm that runs, with what was found until then.
 */
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Definition } from '../src/core/index.ts';
import { quorum } from '../src/protocols/quorum/index.ts';
import { drawManyStorm, runDeputyStorm, runManyStorm } from '../src/simulation/index.ts';
import { deputies } from '../test/quorum/mutants/deputies.ts';
import { load } from '../test/quorum/mutate.ts';
import { say } from './say.ts';

const { values, positionals } = parseArgs({
  options: { deputies: { type: 'boolean', default: false }, bugs: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [storms = 1000, first = 1] = positionals.map(Number);
/** So often it says how far it is. */
const SOMETIMES = 1000;

let isAsked = false;
process.on('SIGINT', () => {
  isAsked = true;
});

/** Runs these seeds until `isEnough`, and returns how many it ran. Between two it hears signals. */
async function runSeeds(run: (seed: number) => void, isEnough: () => boolean = () => false): Promise<number> {
  let ran = 0;
  while (ran < storms && !isAsked && !isEnough()) {
    run(first + ran);
    ran += 1;
    if (ran % SOMETIMES === 0) say(`${ran} of ${storms}`);
    await setImmediate();
  }
  return ran;
}

async function overElections(): Promise<boolean> {
  let [failures, leaderships, messages, requests] = [0, 0, 0, 0];
  const ran = await runSeeds((seed) => {
    const outcome = runManyStorm(quorum, drawManyStorm(seed));
    leaderships += outcome.leaderships;
    messages += outcome.messages;
    requests += outcome.supportMessages;
    if (outcome.failure === null) return;
    failures += 1;
    say(`runManyStorm(quorum, drawManyStorm(${seed})): ${outcome.failure}`);
  });
  say(
    `${ran} storms from seed ${first} on: ${failures} failed; ${leaderships} leaderships, ` +
      `${messages} messages of elections, ${requests} requests for support and answers`,
  );
  return failures === 0;
}

async function aboutDeputies(): Promise<boolean> {
  let [failures, steps, answers] = [0, 0, 0];
  const ran = await runSeeds((seed) => {
    const { world, failure } = runDeputyStorm(quorum, seed);
    steps += world.steps;
    answers += world.messagesByType.get('deputy/answer') ?? 0;
    if (failure === null) return;
    failures += 1;
    say(`runDeputyStorm(quorum, ${seed}): ${failure.property}, ${failure.detail}`);
  });
  say(
    `${ran} storms about deputies from seed ${first} on: ${failures} failed; ${steps} events, ` +
      `${answers} answers to deputies`,
  );
  return failures === 0;
}

/** Of each planted bug, the first seed that catches it. What storms do not catch is caught otherwise. */
async function withBugs(): Promise<boolean> {
  let caught = 0;
  for (const bug of deputies) {
    const definition: Definition = await load(bug);
    let shown: string | null = null;
    const ran = await runSeeds(
      (seed) => {
        const { failure } = runDeputyStorm(definition, seed);
        if (failure !== null) shown = `seed ${seed}, ${failure.property}: ${failure.detail}`;
      },
      () => shown !== null,
    );
    if (isAsked) break;
    if (shown !== null) caught += 1;
    say(`${bug.name}: ${shown ?? `not in ${ran} storms`}`);
  }
  say(`${caught} of ${deputies.length} caught`);
  return true;
}

const isGood = await (values.bugs ? withBugs() : values.deputies ? aboutDeputies() : overElections());
process.exitCode = isGood ? 0 : 1;
