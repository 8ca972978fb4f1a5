import type { Json, MemberId } from '../src/core/index.ts';
import { catalogue } from '../src/protocols/index.ts';
import { readScenario, simulate } from '../src/simulation/index.ts';
import type { Compared, CompareJob, Example } from './jobs.ts';
import { appliesTo, baseOf, PROPERTIES, preferredOf, type Subject, subjectNamed } from './subjects.ts';
import { deposed, verdictOn } from './verdict.ts';

type Events = readonly { readonly [field: string]: Json }[];

/** The same trouble for every election, in its own timeouts. */
interface Trouble {
  readonly name: string;
  readonly title: string;
  /** Its leader runs and hears a majority all the while, or it is gone: no other member should lose the leadership. */
  readonly sparesLeaders: boolean;
  /** How long it lasts, in timeouts. */
  readonly lasts: number;
  events(subject: Subject, leader: MemberId): Events;
}

const SEEDS = 20;
const IDS: readonly MemberId[] = [1, 2, 3, 4, 5];
/** In timeouts: when trouble begins, and when the run ends. */
const BEGIN = 20;
const UNTIL = 100;
const RETURNS = 6;

export const troubles: readonly Trouble[] = [
  {
    name: 'partition',
    title: 'the leader is cut off from all others for 40 timeouts',
    sparesLeaders: false,
    lasts: 40,
    events: ({ timeoutMs }, leader) => [
      { atMs: BEGIN * timeoutMs, do: 'partition', groups: [[leader], IDS.filter((id) => id !== leader)] },
      { atMs: (BEGIN + 40) * timeoutMs, do: 'heal' },
    ],
  },
  {
    name: 'link',
    title: 'one link of the leader is cut for 80 timeouts, to the end',
    sparesLeaders: true,
    lasts: UNTIL - BEGIN,
    events: ({ timeoutMs }, leader) => [
      { atMs: BEGIN * timeoutMs, do: 'cut', from: leader, to: IDS.find((id) => id !== leader)! },
    ],
  },
  {
    name: 'pause',
    title: 'the leader stops for 10 timeouts and goes on',
    sparesLeaders: false,
    lasts: 10,
    events: ({ timeoutMs }, leader) => [
      { atMs: BEGIN * timeoutMs, do: 'pause', member: leader },
      { atMs: (BEGIN + 10) * timeoutMs, do: 'resume', member: leader },
    ],
  },
  {
    name: 'returns',
    title: `the preferred id, or else the first leader, dies and returns ${RETURNS} times`,
    sparesLeaders: true,
    lasts: 7 * RETURNS,
    events: (subject, leader) =>
      Array.from({ length: RETURNS }, (_, i) => {
        const member = preferredOf(subject, IDS) ?? leader;
        const atMs = (BEGIN + 7 * i) * subject.timeoutMs;
        return [
          { atMs, do: 'crash', member },
          { atMs: atMs + 4 * subject.timeoutMs, do: 'restart', member },
        ];
      }).flat(),
  },
];

export function runComparison({ subject }: CompareJob): readonly Compared[] {
  return troubles.map((trouble) => compare(trouble, subjectNamed(subject)));
}

function compare(trouble: Trouble, subject: Subject): Compared {
  let [doubleMs, healthy] = [0, 0];
  let example: Example | null = null;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const given = scenarioFor(trouble, subject, seed);
    const scenario = readScenario(given, catalogue);
    const result = simulate(scenario, seed);
    doubleMs += result.doubleMs;
    healthy += deposed(scenario, result);
    example ??= exampleOf(trouble, subject, given);
  }
  return {
    trouble: trouble.name,
    subject: subject.name,
    doubleShare: doubleMs / (SEEDS * trouble.lasts * subject.timeoutMs),
    deposed: healthy / SEEDS,
    example,
  };
}

/** A run in which nothing goes wrong shows which member leads: until the trouble begins, both runs are the same. */
function scenarioFor(trouble: Trouble, subject: Subject, seed: number): Example['scenario'] {
  const { timeoutMs } = subject;
  const base = { ...baseOf(subject), seed, members: IDS.length };
  const calm = readScenario({ ...base, untilMs: BEGIN * timeoutMs }, catalogue);
  const { leader } = simulate(calm, seed).final;
  return { ...base, untilMs: UNTIL * timeoutMs, events: trouble.events(subject, leader!) };
}

function exampleOf(
  { sparesLeaders }: Trouble,
  subject: Subject,
  scenario: Example['scenario'],
): Example | null {
  const { broken } = verdictOn(scenario);
  const looked = [...PROPERTIES.filter((each) => appliesTo(subject, each)), ...(sparesLeaders ? ['L4'] : [])];
  const properties = looked.filter((property) => broken.has(property));
  return properties.length === 0 ? null : { scenario, properties, trace: null, isShortest: false };
}
