import type { Hunted } from './hunted.ts';

/** What `npm test` lets a bug run into: `{ seed: 5 }`, `{ rule: '…' }`, `{ scenario: '…' }` or `{ hunt: '…' }`. */
type Killer = object;

interface Killed {
  readonly name: string;
  readonly killer: Killer;
}

const KILLER_WORDS: Readonly<Record<string, (what: string) => string>> = {
  seed: (seed) => `seed ${seed}`,
  rule: (rule) => `rule: ${rule}`,
  scenario: (name) => `directed run \`${name}\``,
  hunt: (name) => `explorer, ${name}`,
};

export function killerWords(killer: Killer): string {
  const [kind, what] = Object.entries(killer)[0]!;
  return KILLER_WORDS[kind]!(String(what));
}

/** What the explorer looked at in the protocol as it is, and found nothing. */
export interface Stood {
  readonly name: string;
  readonly about: string;
  readonly properties: readonly string[];
  readonly states: number;
}

export function mutantsDocument(
  hunted: readonly Hunted[],
  killed: readonly Killed[],
  stood: readonly Stood[],
  mostSeeds: number,
): string {
  return `${[
    '# Planted bugs',
    '',
    'Each line is a small patch over the source of `quorum` (`test/quorum/mutants/`) that breaks it. They show that the checks can fail: a',
    `bug counts as caught if one of the first ${mostSeeds} seeds of the swarm breaks a promise with it; or else if a directed run does`,
    '(`test/quorum/scenarios/`); or else if one member breaks a rule (`test/quorum/rules.ts`); or else if the explorer finds it, within',
    'the bounds below. This page is written by `npm run verify`, which hunts every bug in this order; `npm test` lets each run into what the last column names.',
    '',
    ...table(hunted, killed),
    '',
    'A lease on the wall clock is not among them: a protocol has no clock to read, so the bug cannot be written.',
    '',
    '## The protocol as it is',
    '',
    `stands before all of them: ${mostSeeds} seeds of the swarm, the directed runs and the rules, and everything that the explorer can`,
    'reach with three members.',
    '',
    '| exploration | bounds | properties | states |',
    '|---|---|---|---|',
    ...stood.map(
      ({ name, about, properties, states }) =>
        `| ${name} | ${about} | ${properties.join(', ')} | ${states} |`,
    ),
  ].join('\n')}\n`;
}

/** Of the bugs that are planted in deputies, those that storms about deputies catch. `npm test` checks each. */
export function deputySection(
  seeds: Readonly<Record<string, number>>,
  unseen: Readonly<Record<string, string>>,
): string {
  const [caught, rest] = [Object.entries(seeds), Object.entries(unseen)];
  return `${[
    '## Bugs planted in deputies',
    '',
    'Those of the first table that are about deputies, hunted by random runs alone: storms about deputies (`src/simulation/swarm/deputy-storms`), which are',
    'judged as those of the swarm are. In addition, when such a storm is over and the cluster is well, its leader dies with proof, and the deputy must act',
    'after one save (`takeover`). `npm test` lets each bug run into its seed; `npx tsx verify/storms.ts --deputies --bugs 4000` hunts them anew.',
    '',
    '| planted bug | storm about deputies |',
    '|---|---|',
    ...caught.map(([name, seed]) => `| ${name} | seed ${seed} |`),
    '',
    `${caught.length} of ${caught.length + rest.length} caught. The others are caught as the first table says. Why no storm shows them, as far as reading tells:`,
    '',
    '| planted bug | why |',
    '|---|---|',
    ...rest.map(([name, why]) => `| ${name} | ${why} |`),
  ].join('\n')}\n`;
}

/** The bugs that are planted in what decides about connections. */
export function peersSection(hunted: readonly Hunted[], killed: readonly Killed[], mostSeed: number): string {
  return `${[
    '## Who is behind a connection',
    '',
    'The same for `src/peers`, which decides who is behind each connection of a member and what proves that a process is dead',
    '(`test/peers/mutants.ts`). One seed of the swarm in eight lets the processes of `quorum` talk over simulated connections, which this',
    `machine decides about. A bug counts as caught if one of these seeds up to ${mostSeed} fails with it, or else if the machine breaks a rule`,
    '(`test/peers/rules.ts`). `proof` means that a member had proof of the death of a process that lived.',
    '',
    ...table(hunted, killed),
  ].join('\n')}\n`;
}

/** The bugs that are planted in the store below all protocols. */
export function storeSection(stored: readonly Hunted[], killed: readonly Killed[]): string {
  return `${[
    '## Bugs planted in the store',
    '',
    'Each is a patch over `src/store` (`test/store/mutants.ts`). The swarm runs `quorum` on simulated disks below that store; what only other files than those of',
    'one member could show is a rule (`test/store/rules.ts`).',
    '',
    ...table(stored, killed),
  ].join('\n')}\n`;
}

/** The bugs that are planted in the log of many elections. `npm test` checks each; there is nothing to hunt for. */
export function logSection(mutants: readonly { readonly name: string; readonly rule: string }[]): string {
  return `${[
    '## Bugs planted in the log',
    '',
    'Each is a patch over `src/store` (`test/store/log-mutants.ts`), in the log of all elections but the main one or in its group commit. Simulated members have',
    'a record file for each election, so that the swarm does not run the log: each bug falls to a rule (`test/store/log-rules.ts`), which `npm test` checks.',
    '',
    '| planted bug | caught by |',
    '|---|---|',
    ...mutants.map(({ name, rule }) => `| ${name} | rule: ${rule} |`),
    '',
    `${mutants.length} of ${mutants.length} caught.`,
  ].join('\n')}\n`;
}

/** The bugs that are planted in what runs every protocol. */
export function hostSection(hosted: readonly Hunted[], killed: readonly Killed[]): string {
  return `${[
    '## Bugs planted in the host',
    '',
    'Each is a patch over `src/host`, which runs a protocol in members and in the simulator, or over the seat of a program on it,',
    '`src/election/protocol-seat.ts` (`test/host/mutants/`). H1 to H4 are what a host promises whatever its protocol is',
    '([guarantees](guarantees.md)). What no run of the swarm shows (sleeps, which simulated clocks do not have, the causes in histories, a host that is',
    'closed, programs) is a rule (`test/host/rules/`).',
    '',
    ...table(hosted, killed),
  ].join('\n')}\n`;
}

/** The bugs that are planted in what elections rest on. */
export function supportSection(hunted: readonly Hunted[], killed: readonly Killed[]): string {
  return `${[
    '## Bugs planted in support',
    '',
    'Each is a patch over `src/support`, on which elections [rest](elections.md#elections-at-rest), or over how an election of `quorum` rests',
    '(`test/supporting/mutants.ts`). A seed of the swarm is here a storm over several elections of the same members (`src/simulation/many`); what needs a',
    'sender that lies, a sleep of the machine or more elections than a storm has is a rule (`test/supporting/rules.ts`). `rest` means that an election does not',
    'rest in a calm cluster, `state` that the protocol was given a state that cannot be.',
    '',
    ...table(hunted, killed),
  ].join('\n')}\n`;
}

function table(hunted: readonly Hunted[], killed: readonly Killed[]): readonly string[] {
  const words = new Map(killed.map(({ name, killer }) => [name, killerWords(killer)]));
  return [
    '| planted bug | caught by | broken | it took | seconds | in `npm test` |',
    '|---|---|---|---|---|---|',
    ...hunted.map((each) => rowOf(each, words.get(each.name)!)),
    '',
    `${hunted.filter((each) => each.caught !== null).length} of ${hunted.length} caught.`,
  ];
}

function rowOf({ name, caught, seconds }: Hunted, inTests: string): string {
  const [by, broken, effort] =
    caught === null ? ['**nothing**', '', ''] : [caught.by, caught.shown.property, caught.effort];
  // A rule is broken as it is named: it stands in one column.
  const told = by === 'rule' ? '' : broken;
  const found = by === 'rule' ? `rule: ${broken}` : by;
  return `| ${name} | ${found} | ${told} | ${effort} | ${seconds.toFixed(1)} | ${inTests} |`;
}
