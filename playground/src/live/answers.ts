/**
 * The answers of the servers, parsed with the shapes that the servers write them with. They are checked before
 * anything is drawn.
 */
import {
  type ChangeEntry,
  type ClusterMember,
  changeEntry,
  clusterMember,
  type ElectionEntry,
  electionEntry,
  type HistoryEntry,
  historyEntry,
  type RunList,
  runList,
  type State,
  type Status,
  state,
  status,
} from '../../../src/api/wire/index.ts';
import {
  asObject,
  BadInput,
  choice,
  integer,
  listOf,
  type MemberId,
  nullable,
  openRecord,
  type Shape,
  show,
  text,
} from '../../../src/core/index.ts';
import { isSlotElection } from '../../../src/shards/index.ts';

export type {
  ChangeEntry as ElectionChange,
  ClusterMember,
  ElectionEntry,
  HistoryEntry as Change,
  MemberId as Id,
  RunList,
  State,
  Status,
};

/** A process of a cluster on this machine (`caucus up`). */
export interface FleetMember {
  readonly id: number;
  readonly url: string;
  readonly pid: number | null;
  readonly state: 'starting' | 'up' | 'leading' | 'paused' | 'down';
}

/** A limit for lists, so that they do not fill the page. */
const MOST = 2000;
/** As many as a program may open at one member. */
const MOST_ELECTIONS = 11_000;

const fleetMember: Shape<FleetMember> = openRecord<FleetMember>({
  id: integer(0, Number.MAX_SAFE_INTEGER),
  url: text(1000),
  pid: nullable(integer(0, Number.MAX_SAFE_INTEGER)),
  state: choice('starting', 'up', 'leading', 'paused', 'down'),
});

export function readState(value: unknown): State {
  return withUniqueVoters(state.read(value, ''));
}

export function readStatus(value: unknown): Status {
  return withUniqueVoters(status.read(value, ''));
}

export function readCluster(value: unknown): readonly ClusterMember[] {
  return unique('name', newest(value, 'members', clusterMember));
}

export function readHistory(value: unknown): readonly HistoryEntry[] {
  return newest(value, 'history', historyEntry);
}

/** Members of earlier versions do not know this question, and elections without occasions have nothing to show. */
export const NO_RUNS: RunList = { electionName: '', runs: [], open: [] };

export function readRuns(value: unknown): RunList {
  return runList.read(value, '');
}

/** A slot of a partition that no replica has taken lacks no leader: it is left out, as by `caucus status`. */
export function readElections(value: unknown): readonly ElectionEntry[] {
  const all = unique('electionName', newest(value, 'elections', electionEntry, MOST_ELECTIONS));
  return all.filter(({ electionName, leader }) => leader !== null || !isSlotElection(electionName));
}

export function readChanges(value: unknown): readonly ChangeEntry[] {
  return newest(value, 'changes', changeEntry);
}

export function readFleet(value: unknown): readonly FleetMember[] {
  return unique('id', newest(value, 'members', fleetMember));
}

/** The newest entries of a list: the oldest changes of a long history are not shown. */
function newest<T>(value: unknown, name: string, item: Shape<T>, most: number = MOST): readonly T[] {
  const list = asObject(value, '')[name];
  return listOf(item, most).read(Array.isArray(list) ? list.slice(-most) : list, name);
}

/** Two of the same name could not be distinguished on the page. */
function unique<T extends object>(name: keyof T & string, list: readonly T[]): readonly T[] {
  const names = list.map((each) => String(each[name]));
  if (new Set(names).size < names.length) throw new BadInput(name, 'another one for each', show(names));
  return list;
}

function withUniqueVoters<T extends State>(document: T): T {
  unique('voterId', document.voters);
  return document;
}
