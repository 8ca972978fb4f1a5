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

type Kind = 'string' | 'number' | 'boolean' | 'list' | 'id' | 'time' | 'id or null';
type Fields = Readonly<Record<string, Kind>>;

/** No cluster has more of anything; whoever says so would only fill the page. */
const MOST = 2000;
/** What a calendar can name. */
const LAST_MS = 8.64e15;

const STATUS: Fields = {
  voterId: 'id',
  voterUrl: 'string',
  cluster: 'string',
  electionName: 'string',
  protocol: 'string',
  acting: 'boolean',
  leader: 'id or null',
  voters: 'list',
};
const VOTER: Fields = { voterId: 'id', voterUrl: 'string' };
const MEMBER: Fields = { name: 'string', role: 'string', state: 'string', api_url: 'string', via: 'string' };
const CHANGE: Fields = { atMs: 'time', leader: 'id or null', cause: 'string', detail: 'string' };
const ELECTION: Fields = { electionName: 'string', protocol: 'string' };
const FLEET_MEMBER: Fields = { id: 'number', url: 'string', state: 'string' };

export function readStatus(value: unknown): Status {
  const status = check(value, STATUS) as Status;
  checkAll(value, 'voters', VOTER, 'voterId');
  return status;
}

export function readCluster(value: unknown): readonly ClusterMember[] {
  return checkAll(value, 'members', MEMBER, 'name') as readonly ClusterMember[];
}

export function readHistory(value: unknown): readonly Change[] {
  return checkAll(value, 'history', CHANGE, null) as readonly Change[];
}

export function readElections(value: unknown): readonly ElectionEntry[] {
  return checkAll(value, 'elections', ELECTION, 'electionName') as readonly ElectionEntry[];
}

export function readFleet(value: unknown): readonly FleetMember[] {
  return checkAll(value, 'members', FLEET_MEMBER, 'id') as readonly FleetMember[];
}

/** A list of the newest, each as it should be, and no two with the same name. */
function checkAll(value: unknown, name: string, fields: Fields, unique: string | null): readonly object[] {
  const list = (check(value, { [name]: 'list' }) as Record<string, readonly unknown[]>)[name]!.slice(-MOST);
  const checked = list.map((each) => check(each, fields));
  if (unique === null) return checked;
  const names = checked.map((each) => String((each as Record<string, unknown>)[unique]));
  if (new Set(names).size < names.length) throw new Error(`${unique} is there twice`);
  return checked;
}

function check(value: unknown, fields: Fields): object {
  if (typeof value !== 'object' || value === null) throw new Error('expected an object');
  for (const [name, kind] of Object.entries(fields)) {
    if (!fits((value as Record<string, unknown>)[name], kind)) throw new Error(`${name} is not as expected`);
  }
  return value;
}

function fits(found: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'list':
      return Array.isArray(found);
    case 'id or null':
      return found === null || fits(found, 'id');
    case 'id':
      return typeof found === 'number' || typeof found === 'string';
    case 'time':
      return typeof found === 'number' && Math.abs(found) <= LAST_MS;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof found === kind;
  }
}
