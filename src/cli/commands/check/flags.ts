import { BadInput, type Definition, integer, type Json } from '../../../core/index.ts';
import {
  type Bounds,
  type CountedNetwork,
  DEFAULT_BOUNDS,
  type Fault,
  mostOf,
} from '../../../exploration/index.ts';
import { catalogue } from '../../../protocols/index.ts';
import { type MemberSetup, readScenario, type Scenario } from '../../../simulation/index.ts';
import { readProtocolName } from '../../input/protocol-name.ts';
import { Refusal } from '../../input/refusal.ts';
import { asJson, readMembers, readNumber, readNumberOr, readPair, tooMany } from '../../input/values.ts';

/** The flags of `caucus check`, as commander parses them. */
export interface CheckFlags {
  readonly members?: string;
  readonly terms?: string;
  readonly crashes?: string;
  readonly drops?: string;
  readonly duplicates?: string;
  readonly inFlight?: string;
  readonly depth?: string;
  readonly amnesia?: string | boolean;
  readonly evidence?: string | boolean;
  readonly quorum?: boolean;
  readonly option?: readonly string[];
  readonly bound?: readonly string[];
  readonly maxStates?: string;
  readonly exact?: boolean;
  readonly fingerprints?: boolean;
  readonly progress?: string | boolean;
  readonly json?: boolean;
  readonly scenario?: string;
}

/** What to check. */
export interface CheckJob {
  readonly definition: Definition;
  readonly timing: Readonly<Record<string, Json>>;
  readonly options: Readonly<Record<string, Json>>;
  readonly members: readonly MemberSetup[];
  /** The same in the form of a scenario. */
  readonly base: Readonly<Record<string, Json>>;
  readonly bounds: Partial<Bounds>;
  readonly maxStates: number;
  readonly exact: boolean;
  readonly fingerprints: boolean;
  /** Seconds between two lines of progress; null: a line that moves, on a terminal only. */
  readonly progressS: number | null;
}

const DEFAULT_MEMBERS = 3;
const MOST_MEMBERS = 7;
const DEFAULT_MAX_STATES = 10_000_000;
const MOST_STATES = 1_000_000_000;
const HIGHEST_TERM = 1000;
const DEFAULT_PROGRESS_S = 10;
/** Two terms of quorum with a crash take more than an hour. */
const USUAL_TERMS: Readonly<Record<string, number>> = { quorum: 1 };
/** Defaults if at least one of the three is given. */
const COUNTED: CountedNetwork = { drops: 1, duplicates: 1, inFlight: 6 };

export function readCheck(protocol: string, flags: CheckFlags): CheckJob {
  const { name } = readProtocolName(protocol, 'PROTOCOL');
  const options = readOptions(flags);
  const members = readMembers(flags.members ?? String(DEFAULT_MEMBERS));
  const base = { protocol: name, members, ...(Object.keys(options).length === 0 ? {} : { options }) };
  const bounds = readBounds(flags, USUAL_TERMS[name] ?? DEFAULT_BOUNDS.terms);
  const maxStates = readNumberOr(
    flags.maxStates,
    '--max-states',
    integer(1, MOST_STATES),
    DEFAULT_MAX_STATES,
  );
  try {
    const scenario = readScenario(base, catalogue);
    if (scenario.members.length > MOST_MEMBERS) {
      throw new Refusal(`--members: expected at most ${MOST_MEMBERS}, found ${scenario.members.length}`);
    }
    refuseUnknownCounters(scenario, Object.keys(bounds.counters ?? {}));
    const { exact = false, fingerprints = false, progress = false } = flags;
    const progressS =
      typeof progress === 'string'
        ? readNumber(progress, '--progress', integer(1, 86_400))
        : progress
          ? DEFAULT_PROGRESS_S
          : null;
    return { ...scenario, base, bounds, maxStates, exact, fingerprints, progressS };
  } catch (error) {
    if (error instanceof BadInput)
      throw new Refusal(`${flagOf(error.path)}: expected ${error.expected}, found ${error.found}`);
    throw error;
  }
}

/** A protocol names its counters in every state alike, so the first state has them all. */
function refuseUnknownCounters(scenario: Scenario, bounded: readonly string[]): void {
  const { definition, timing, options, members } = scenario;
  const protocol = definition.create({ timing, options });
  const ids = members.map(({ id }) => id);
  const { id, settings } = members[0]!;
  const counters = protocol.measure?.(protocol.init({ id, members: ids, settings })) ?? {};
  // The bound of the term is --terms.
  const known = Object.keys(counters).filter((name) => name !== 'term');
  for (const name of bounded) {
    if (known.includes(name)) continue;
    throw new Refusal(
      known.length === 0
        ? `--bound: expected none, since ${definition.name} has no other counters than its term (--terms), found ${JSON.stringify(name)}`
        : `--bound: expected one of the counters ${known.join(', ')}, found ${JSON.stringify(name)}`,
    );
  }
}

/** The flag that a field of the scenario comes from. */
function flagOf(path: string): string {
  return path.replace(/^options\.?/, '--option ').replace(/^members/, '--members');
}

function readBounds(flags: CheckFlags, usualTerms: number): Partial<Bounds> {
  const { amnesia, evidence } = flags;
  const network = readNetwork(flags);
  return {
    terms: readNumberOr(flags.terms, '--terms', integer(0, HIGHEST_TERM), usualTerms),
    crashes: faultsOr(flags.crashes, 'crashes', DEFAULT_BOUNDS.crashes),
    amnesia: onceOr(amnesia, 'amnesia'),
    network,
    evidence: onceOr(evidence, 'evidence'),
    depth: readNumberOr(flags.depth, '--depth', integer(0, 1_000_000), null),
    counters: readPairs(flags.bound ?? [], '--bound', (text, path) =>
      readNumber(text, path, integer(0, Number.MAX_SAFE_INTEGER)),
    ),
  };
}

/** A network with limits, if losses, duplicates or messages in flight are limited. */
function readNetwork({ drops, duplicates, inFlight }: CheckFlags): Bounds['network'] {
  if (drops === undefined && duplicates === undefined && inFlight === undefined) return 'any';
  return {
    drops: faultsOr(drops, 'drops', COUNTED.drops),
    duplicates: faultsOr(duplicates, 'duplicates', COUNTED.duplicates),
    inFlight: readNumberOr(inFlight, '--in-flight', integer(1, 1000), COUNTED.inFlight),
  };
}

function readOptions({ option = [], quorum = false }: CheckFlags): Record<string, Json> {
  return { ...readPairs(option, '--option', asJson), ...(quorum ? { quorum: true } : {}) };
}

function readPairs<T>(
  pairs: readonly string[],
  flag: string,
  read: (text: string, path: string) => T,
): Record<string, T> {
  const found: Record<string, T> = {};
  for (const pair of pairs) {
    const [name, value] = readPair(pair, flag);
    const from = `${flag} ${name}`;
    if (Object.hasOwn(found, name)) throw new Refusal(tooMany(from, from));
    found[name] = read(value, from);
  }
  return found;
}

/** A flag with an optional number: without it, once. */
function onceOr(given: string | boolean | undefined, fault: Fault): number {
  return typeof given === 'string' ? faultsOr(given, fault, 1) : given ? 1 : 0;
}

function faultsOr(text: string | undefined, fault: Fault, otherwise: number): number {
  return readNumberOr(text, `--${fault}`, integer(0, mostOf(fault)), otherwise);
}
