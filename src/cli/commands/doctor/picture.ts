import type { ElectionDiagnosis } from '../../../api/wire/index.ts';
import type { MemberId } from '../../../core/index.ts';
import { catalogue } from '../../../protocols/index.ts';
import { needsMajority } from '../../../story/index.ts';
import { type Answering, answering, diagnosed, type Gathered } from './gathered.ts';

type Diagnosed = ReturnType<typeof diagnosed>[number];

/** One election, with what each member says of it. */
export interface ElectionPicture {
  readonly name: string;
  readonly protocol: string;
  readonly said: readonly { readonly id: MemberId; readonly of: ElectionDiagnosis }[];
  /** The members that vote, as the leader knows them, or else most members. */
  readonly voters: readonly MemberId[];
  /** Does a leader need the votes of a majority? */
  readonly needsMajority: boolean;
}

/** What was gathered, as the rules look at it. */
export interface Picture {
  readonly gathered: Gathered;
  /** The members of the cluster that most of those belong to that answered. */
  readonly home: readonly Answering[];
  /** Those of them that told their state in detail. */
  readonly told: readonly Diagnosed[];
  readonly cluster: string | null;
  readonly elections: readonly ElectionPicture[];
}

export function pictureOf(gathered: Gathered): Picture {
  const all = answering(gathered);
  const cluster = mostCommon(all.map(({ status }) => status.cluster));
  const home = all.filter(({ status }) => status.cluster === cluster);
  const told = onePerProcess(diagnosed(gathered).filter(({ status }) => status.cluster === cluster));
  const names = [
    ...new Set(told.flatMap(({ diagnosis }) => diagnosis.elections.map((each) => each.electionName))),
  ];
  return { gathered, cluster, home, told, elections: names.map((name) => electionOf(name, told)) };
}

/** A process that is known under two URLs was asked twice. */
function onePerProcess(places: readonly Diagnosed[]): readonly Diagnosed[] {
  const keys = places.map(
    ({ diagnosis: { voterId, pid, startedAtMs } }) => `${voterId} ${pid} ${startedAtMs}`,
  );
  return places.filter((_, i) => keys.indexOf(keys[i]!) === i);
}

function electionOf(name: string, told: readonly Diagnosed[]): ElectionPicture {
  const said = told.flatMap(({ status, diagnosis }) => {
    const of = diagnosis.elections.find((each) => each.electionName === name);
    return of === undefined ? [] : [{ id: status.voterId, of }];
  });
  const votedOf = ({ of }: (typeof said)[number]): string => JSON.stringify(of.voted ?? of.configured);
  const leading = said.find(({ of }) => of.acting);
  const voters = JSON.parse(leading === undefined ? mostCommon(said.map(votedOf))! : votedOf(leading));
  const { protocol } = said[0]!.of;
  const definition = Object.hasOwn(catalogue, protocol) ? catalogue[protocol]! : null;
  const options = told[0]!.diagnosis.options ?? {};
  return {
    name,
    protocol,
    said,
    voters,
    needsMajority: definition !== null && needsMajority(definition, options),
  };
}

/** The first of those that come most often; null if there is none. */
export function mostCommon(words: readonly string[]): string | null {
  const count = (word: string): number => words.filter((each) => each === word).length;
  return words.reduce<string | null>(
    (best, word) => (best === null || count(word) > count(best) ? word : best),
    null,
  );
}
