/** What the servers behind the page say, as far as it is shown. It is checked before anything is drawn from it. */

export type Id = number | string;

/** How the election stands, in the words of one member. */
export interface Status {
  readonly voterId: Id;
  readonly voterUrl: string;
  readonly cluster: string;
  readonly electionName: string;
  readonly protocol: string;
  readonly acting: boolean;
  readonly leader: Id | null;
  readonly leaderUrl: string | null;
  readonly token: string | null;
  /** How long it may act without being heard of; only in answers, and only of who may act. */
  readonly expiresInMs?: number | null;
  readonly voters: readonly { readonly voterId: Id; readonly voterUrl: string }[];
  readonly illness: string | null;
}

export interface ClusterMember {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly api_url: string;
  readonly via: string;
  readonly roundTripMs: number | null;
  readonly queued: number;
}

export interface Change {
  readonly atMs: number;
  readonly leader: Id | null;
  readonly token: string | null;
  readonly cause: string;
  readonly detail: string;
}

export interface ElectionEntry {
  readonly electionName: string;
  readonly protocol: string;
}

export interface FleetMember {
  readonly id: number;
  readonly url: string;
  readonly pid: number | null;
  readonly state: 'starting' | 'up' | 'leading' | 'paused' | 'down';
}

type Fields = Readonly<Record<string, 'string' | 'number' | 'boolean' | 'list' | 'id' | 'any'>>;

const STATUS: Fields = {
  voterId: 'id',
  voterUrl: 'string',
  cluster: 'string',
  electionName: 'string',
  protocol: 'string',
  acting: 'boolean',
  leader: 'any',
  voters: 'list',
};
const MEMBER: Fields = { name: 'string', role: 'string', state: 'string', api_url: 'string', via: 'string' };
const CHANGE: Fields = { atMs: 'number', cause: 'string', detail: 'string' };
const ELECTION: Fields = { electionName: 'string', protocol: 'string' };
const FLEET_MEMBER: Fields = { id: 'number', url: 'string', state: 'string' };

export function readStatus(value: unknown): Status {
  return check(value, STATUS) as Status;
}

export function readCluster(value: unknown): readonly ClusterMember[] {
  return checkAll(value, 'members', MEMBER) as readonly ClusterMember[];
}

export function readHistory(value: unknown): readonly Change[] {
  return checkAll(value, 'history', CHANGE) as readonly Change[];
}

export function readElections(value: unknown): readonly ElectionEntry[] {
  return checkAll(value, 'elections', ELECTION) as readonly ElectionEntry[];
}

export function readFleet(value: unknown): readonly FleetMember[] {
  return checkAll(value, 'members', FLEET_MEMBER) as readonly FleetMember[];
}

function checkAll(value: unknown, name: string, fields: Fields): readonly unknown[] {
  const list = (check(value, { [name]: 'list' }) as Record<string, readonly unknown[]>)[name]!;
  return list.map((each) => check(each, fields));
}

function check(value: unknown, fields: Fields): object {
  if (typeof value !== 'object' || value === null) throw new Error('expected an object');
  for (const [name, kind] of Object.entries(fields)) {
    const found = (value as Record<string, unknown>)[name];
    const fits =
      kind === 'any' ||
      (kind === 'list' ? Array.isArray(found) : false) ||
      (kind === 'id' ? typeof found === 'number' || typeof found === 'string' : typeof found === kind);
    if (!fits) throw new Error(`${name} is not as expected`);
  }
  return value;
}
