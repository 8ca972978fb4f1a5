import { readSettings } from '../src/core/index.ts';
import { type Bounds, type Exploration, type Exploring, explore } from '../src/exploration/index.ts';
import { StateStore } from '../src/exploration/search/state-store.ts';
import { catalogue } from '../src/protocols/index.ts';
import { printTable } from './table.ts';

/** What no explorer can beat: so many different states of three members put into the store, and found there again. */
function storeFloor(states: number): number {
  const store = new StateStore(7);
  const state = new Int32Array(7);
  for (let again = 0; again < 2; again++) {
    for (let i = 0; i < states; i++) {
      state[i % 7] = Math.imul(i, 0x9e3779b1) >>> 8;
      store.add(state, i - 1, 0);
    }
    state.fill(0);
  }
  return store.size;
}

function timed<T>(run: () => T): { result: T; seconds: number } {
  const start = performance.now();
  const result = run();
  return { result, seconds: (performance.now() - start) / 1000 };
}

function check(name: string, members: number, bounds: Partial<Bounds>, more: Partial<Exploring> = {}) {
  const definition = catalogue[name]!;
  const protocol = definition.create({
    timing: readSettings(definition.timing, {}, ''),
    options: readSettings(definition.options, {}, ''),
  });
  const settings = readSettings(definition.memberSettings ?? {}, {}, '');
  const setups = Array.from({ length: members }, (_, i) => ({ id: i + 1, settings }));
  return timed(() => explore({ protocol, members: setups, bounds, samples: 0, ...more }));
}

function row(what: string, { result, seconds }: { result: Exploration; seconds: number }, floor: number) {
  const { states, transitions, complete } = result;
  return {
    what,
    states,
    transitions,
    complete: complete ? 'yes' : 'no',
    seconds,
    'states/s': states / seconds,
    'transitions/s': transitions / seconds,
    'of the floor': transitions / seconds / floor,
  };
}

export function benchExploration(): void {
  const { result: stored, seconds } = timed(() => storeFloor(3_000_000));
  const floor = (2 * stored) / seconds;
  const every = { covering: false, symmetry: false, forgetting: false };
  const three = { terms: 3, crashes: 2 };
  printTable(
    `The explorer, against a store that is only filled and asked (${Math.round(floor).toLocaleString('en-US')} a second)`,
    [
      row('epoch: every state by itself', check('epoch', 3, three, every), floor),
      row('… members exchanged', check('epoch', 3, three, { ...every, symmetry: true }), floor),
      row('… and old terms forgotten', check('epoch', 3, three, { covering: false }), floor),
      row('… and only what nothing covers', check('epoch', 3, three), floor),
      row('bully: every state by itself', check('bully', 3, { crashes: 0 }, every), floor),
      row('… only what nothing covers', check('bully', 3, { crashes: 0 }), floor),
    ],
  );
  const growth = [
    ...[1, 2, 3, 4, 5].map((terms) => [3, terms, 1] as const),
    ...[0, 2, 3].map((crashes) => [3, 3, crashes] as const),
    ...[4, 5].map((members) => [members, 2, 1] as const),
  ];
  printTable(
    'epoch as members, terms and crashes grow',
    growth.map(([members, terms, crashes]) => {
      const { result, seconds: took } = check('epoch', members, { terms, crashes });
      return {
        members,
        terms,
        crashes,
        states: result.states,
        transitions: result.transitions,
        seconds: took,
      };
    }),
  );
  const bounds = [
    [1, 0],
    [1, 1],
    [2, 0],
  ] as const;
  printTable(
    'quorum as terms and crashes grow, three members',
    bounds.map(([terms, crashes]) =>
      row(`${terms} terms, ${crashes} crashes`, check('quorum', 3, { terms, crashes }), floor),
    ),
  );
  const few = { terms: 1, crashes: 0, network: { drops: 1, duplicates: 0, inFlight: 3 } };
  printTable('quorum, one term, at most three messages in flight: every state by itself', [
    row('states compared in full', check('quorum', 3, few, { covering: false }), floor),
    row('known by fingerprints', check('quorum', 3, few, { fingerprints: true }), floor),
  ]);
}
