/** Which addresses may be those of voters (seed 002): each address of a host name, with a port and a path. */
import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { readRelativeUrl, urlOf } from '../api/index.ts';

export interface Seed {
  /** A host name or an address, possibly with a port. */
  readonly host: string;
  /** What makes a whole URL with each address: `:7100`, `/voter`, `:7100/voter` or `/`. */
  readonly url: string;
  /** Default: http. */
  readonly scheme?: 'http' | 'https';
}

/** Looks up the addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

interface HostAndPort {
  /** Without brackets. */
  readonly name: string;
  readonly port: number | null;
}

const DEFAULT_PORT = 80;

/** Reads `NAME`, `NAME:PORT`, or an address in place of the name; null for any other text. */
export function readSeedHost(host: string): HostAndPort | null {
  if (isIPv6(host)) return { name: host, port: null };
  const found = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/?#@\\[\]]+))(?::(\d{1,5}))?$/.exec(host);
  if (found === null || !URL.canParse(`http://${host}`)) return null;
  const port = found[3] === undefined ? null : Number(found[3]);
  return port === 0 ? null : { name: (found[1] ?? found[2])!, port };
}

/** The URL of each address of the seed. Throws if its name cannot be resolved. */
export async function seedUrls(
  { host, url, scheme }: Seed,
  resolve: Resolve = resolveName,
): Promise<string[]> {
  const { name, port } = readSeedHost(host)!;
  const relative = readRelativeUrl(url)!;
  const addresses = isIP(name) === 0 ? await resolve(name) : [name];
  const usedPort = relative.port ?? port ?? DEFAULT_PORT;
  return [...new Set(addresses)].map((address) => urlOf(address, usedPort, scheme) + relative.path);
}

export async function resolveName(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}
