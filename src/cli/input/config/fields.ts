import { isIP } from 'node:net';
import { readRelativeUrl, showUrl, voterUrl } from '../../../api/index.ts';
import {
  asObject,
  BadInput,
  electionName,
  flag,
  integer,
  type MemberId,
  type Shape,
  show,
  text,
  writtenId,
} from '../../../core/index.ts';
import { parseYaml } from '../parse-yaml.ts';
import { Refusal } from '../refusal.ts';

/** An address to listen on. Without a port it is that of the member's own URL. */
export interface Listen {
  readonly host: string;
  readonly port: number | null;
}

export interface PeerEntry {
  readonly id: MemberId;
  readonly url: string;
}

/** The settings of a member, from any source. `timing.*` and `options.*` are the protocol's own. */
export interface MemberSettings {
  readonly id?: MemberId;
  readonly cluster?: string;
  readonly listen?: Listen;
  readonly url?: string;
  readonly peers?: readonly PeerEntry[];
  readonly join?: string;
  readonly seedHost?: string;
  readonly protocol?: string;
  readonly election?: string;
  readonly data?: string;
  readonly priority?: number;
  readonly balance?: boolean;
  readonly deputies?: boolean;
  readonly insecure?: boolean;
  readonly trustConnections?: boolean;
  readonly trustWitnesses?: boolean | readonly MemberId[];
  readonly record?: string;
  readonly tokensFile?: string;
  readonly closed?: boolean;
  readonly secretFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  readonly tlsNames?: Readonly<Record<string, MemberId>>;
}

const LISTEN = /^(?:(\[[0-9A-Fa-f:.]+\]|[^\s:[\]]+):)?(\d{1,5})$/;

export const listen: Shape<Listen> = {
  expected: 'HOST:PORT, such as 127.0.0.1:7101 (port 0: any that is free)',
  read(value, path) {
    const bare = String(value).replace(/^\[|\]$/g, '');
    if (isIP(bare) !== 0) return { host: bare, port: null };
    const match = LISTEN.exec(String(value));
    const port = Number(match?.[2]);
    if (match === null || port > 65_535) throw new BadInput(path, this.expected, show(value));
    return { host: (match[1] ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port };
  },
};

export const httpUrl: Shape<string> = {
  expected: 'a URL that begins with http:// or https://',
  read(value, path) {
    if (typeof value !== 'string' || !/^https?:\/\//i.test(value) || !URL.canParse(value))
      throw new BadInput(path, this.expected, showUrl(value));
    return voterUrl.read(value, path);
  },
};

/** Its own URL may be relative: then it is completed with each address of the seed host (seed 002). */
const ownUrl: Shape<string> = {
  expected:
    'a URL that begins with http:// or https://, or :PORT, /PATH or :PORT/PATH together with a seed host',
  read(value, path) {
    if (typeof value === 'string' && readRelativeUrl(value) !== null) return value;
    try {
      return httpUrl.read(value, path);
    } catch {
      throw new BadInput(path, this.expected, showUrl(value));
    }
  },
};

const path: Shape<string> = text(4096);

/**
 * A list of { id, url }, an object from ids to URLs, the text a=URL,b=URL, or any of the first two as a text. Seed 002
 * writes each voter as two objects in a pair of braces, in either order, which is not JSON; that form is read too.
 */
const peers: Shape<readonly PeerEntry[]> = {
  expected: 'a list of { "id", "url" }, an object from ids to URLs, or ID=URL,ID=URL',
  read(given, at) {
    const value = typeof given === 'string' && /^\s*[[{]/.test(given) ? parseList(given, at) : given;
    const found = Array.isArray(value)
      ? value.map((each, i) => readPeer(each, `${at}[${i}]`))
      : typeof value === 'object' && value !== null
        ? Object.entries(value).map(([id, url]) => ({
            id: writtenId.read(id, `${at}.${id}`),
            url: httpUrl.read(url, `${at}.${id}`),
          }))
        : typeof value === 'string'
          ? readPairs(value, at)
          : null;
    if (found === null) throw new BadInput(at, this.expected, show(value));
    const twice = found.find(({ id }, i) => found.findIndex((other) => other.id === id) < i);
    if (twice !== undefined) throw new BadInput(at, 'each id once', `${show(twice.id)} again`);
    return found;
  },
};

function parseList(value: string, at: string): unknown {
  try {
    return parseYaml(value, (key) => key === 'id' || key === 'voterId').value;
  } catch (error) {
    if (error instanceof Refusal) throw new BadInput(at, 'a list in JSON, or ID=URL,ID=URL', show(value));
    throw error;
  }
}

const ID_NAMES = ['id', 'voterId', 'voter-id', 'voter_id'];
const URL_NAMES = ['url', 'voterUrl', 'voter-url', 'voter_url'];

/** The names of seed 002 for the two fields are accepted too, and two objects with one field each. */
function readPeer(value: unknown, at: string): PeerEntry {
  if (typeof value === 'string') return readPairs(value, at)[0]!;
  if (typeof value !== 'object' || value === null) throw new BadInput(at, 'an object', show(value));
  const parts = (Array.isArray(value) ? value : [value]).flatMap((part) =>
    Object.entries(asObject(part, at)),
  );
  const unknown = parts.find(([name]) => ![...ID_NAMES, ...URL_NAMES].includes(name));
  if (unknown !== undefined)
    throw new BadInput(`${at}.${unknown[0]}`, 'the fields id and url', 'an unknown field');
  const one = (names: readonly string[], field: string): unknown => {
    const found = parts.filter(([name]) => names.includes(name));
    if (found.length > 1) throw new BadInput(`${at}.${field}`, 'it once', `${found.length} of it`);
    return found[0]?.[1];
  };
  return {
    id: writtenId.read(one(ID_NAMES, 'id'), `${at}.id`),
    url: httpUrl.read(one(URL_NAMES, 'url'), `${at}.url`),
  };
}

function readPairs(value: string, at: string): PeerEntry[] {
  return value.split(',').map((pair) => {
    const cut = pair.indexOf('=');
    if (cut < 1) throw new BadInput(at, 'ID=URL, separated by commas', show(pair));
    const id = writtenId.read(pair.slice(0, cut).trim(), at);
    return { id, url: httpUrl.read(pair.slice(cut + 1).trim(), `${at} ${id}`) };
  });
}

/** An object from DNS names to ids, or the text NAME=ID,NAME=ID. */
const tlsNames: Shape<Readonly<Record<string, MemberId>>> = {
  expected: 'an object from DNS names to ids, or NAME=ID,NAME=ID',
  read(value, at) {
    const pairs =
      typeof value === 'string'
        ? value.split(',').map((pair) => pair.split('=').map((part) => part.trim()))
        : typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.entries(value)
          : null;
    if (pairs === null || pairs.some((pair) => pair.length !== 2 || pair[0] === ''))
      throw new BadInput(at, this.expected, show(value));
    return Object.fromEntries(pairs.map(([name, id]) => [name, writtenId.read(id, `${at}.${name}`)]));
  },
};

/** True or false, a list of ids, or a text: `any`, or ID,ID. */
const witnesses: Shape<boolean | readonly MemberId[]> = {
  expected: 'true, false, any, a list of ids, or ID,ID',
  read(value, at) {
    if (typeof value === 'boolean') return value;
    if (value === 'any') return true;
    const ids = typeof value === 'string' ? value.split(',').map((id) => id.trim()) : value;
    if (!Array.isArray(ids) || ids.length === 0) throw new BadInput(at, this.expected, show(value));
    if (ids.includes('any')) throw new BadInput(at, 'any alone, or ids', show(value));
    return ids.map((id) => writtenId.read(id, at));
  },
};

interface Field {
  readonly shape: { read(value: unknown, path: string): unknown };
  readonly about: string;
}

/** Every field by name: its shape, and its description. */
export const FIELDS: Readonly<Record<keyof MemberSettings, Field>> = {
  id: { shape: writtenId, about: 'its name, unique among the members' },
  cluster: { shape: electionName, about: 'the name of the cluster; members of another one are refused' },
  listen: { shape: listen, about: 'where it listens' },
  url: { shape: ownUrl, about: 'where the others reach it' },
  peers: { shape: peers, about: 'all members, or all others, with their URLs' },
  join: { shape: httpUrl, about: 'any member of a running cluster that this one joins' },
  seedHost: { shape: text(253), about: 'a host name whose addresses are those of members' },
  protocol: { shape: text(64), about: 'which election' },
  election: { shape: electionName, about: 'the name of the election' },
  data: { shape: path, about: 'the folder for what must survive a restart' },
  priority: { shape: integer(0, 1000), about: 'its priority as a candidate' },
  balance: { shape: flag, about: 'spreads the leaders of all elections but the main one over the members' },
  deputies: { shape: flag, about: 'has the leader of the main election elect its successor in advance' },
  insecure: { shape: flag, about: 'may listen beyond the loopback, although nothing authenticates members' },
  trustConnections: { shape: flag, about: 'a closed connection proves that the process is dead' },
  trustWitnesses: {
    shape: witnesses,
    about: 'the witnesses whose reports prove that a process of their host is dead',
  },
  record: { shape: path, about: 'the folder for recordings of all that happens' },
  tokensFile: { shape: path, about: 'the file with the tokens of operators, of mode 0600' },
  closed: { shape: flag, about: 'questions need a token too' },
  secretFile: { shape: path, about: 'the file with the secret of the cluster, of mode 0600' },
  tlsCert: { shape: path, about: 'the file with its certificate' },
  tlsKey: { shape: path, about: 'the file with the key of its certificate, of mode 0600' },
  tlsCa: { shape: path, about: 'the file with the CAs whose certificates it accepts' },
  tlsNames: { shape: tlsNames, about: 'the ids of members by the DNS names of their certificates' },
};
