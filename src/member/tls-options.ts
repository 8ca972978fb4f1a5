/** The option `tls` of a member: where its certificate is, and what must fit to it. */
import path from 'node:path';
import { isPem, MemberTls, type TlsFiles } from '../auth/index.ts';
import {
  BadInput,
  type MemberId,
  memberId,
  optional,
  record,
  type Shape,
  show,
  text,
} from '../core/index.ts';
import type { Peer } from './links/links.ts';

/** The certificate of a member, and which certificates it accepts. */
export interface TlsOptions extends TlsFiles {
  /**
   * The member's certificate, and those between it and the CA, in PEM: a file, or the text itself. It names the member:
   * `URI:caucus:CLUSTER:ID` among its subject alternative names.
   */
  readonly cert: string;
  /** The private key of the certificate: a file of mode 0600, or the text itself. */
  readonly key: string;
  /** The CAs whose certificates are accepted. Several while one replaces another. */
  readonly ca: string;
  /** The ids of members by DNS names, for certificates that have no name of the form above. */
  readonly names?: Readonly<Record<string, MemberId>> | undefined;
}

/** Longer than any chain of certificates in use. */
const LONGEST = 1024 * 1024;
const file = text(LONGEST);

const names: Shape<TlsOptions['names']> = {
  expected: 'an object from DNS names to ids',
  isOptional: true,
  read(value, path) {
    if (value === undefined) return undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new BadInput(path, this.expected, show(value));
    const read = Object.entries(value).map(([name, id]) => {
      if (/^[\w.-]{1,253}$/.test(name)) return [name.toLowerCase(), memberId.read(id, `${path}.${name}`)];
      throw new BadInput(path, 'a DNS name such as db1.example.com, without wildcards', show(name));
    });
    return Object.fromEntries(read) as Readonly<Record<string, MemberId>>;
  },
};

export const tlsShape: Shape<TlsOptions | undefined> = optional(
  record<TlsOptions>({ cert: file, key: file, ca: file, names }),
);

/** Reads the files. Throws BadInput, which names the file and the remedy. */
export function readTls(
  options: TlsOptions | undefined,
  who: { readonly id: MemberId; readonly cluster: string },
  urls: { readonly url: string | undefined; readonly peers: readonly Peer[] },
): MemberTls | null {
  if (options === undefined) return null;
  if (urls.url !== undefined) refusePlain(urls.url, 'url');
  urls.peers.forEach(({ url }, i) => {
    refusePlain(url, `peers[${i}].url`);
  });
  const { cert, key, ca, names = {} } = options;
  // Made absolute now: the program may change its working directory later.
  const absolute = (each: string): string => (isPem(each) ? each : path.resolve(each));
  const files = { cert: absolute(cert), key: absolute(key), ca: absolute(ca) };
  return new MemberTls(files, who.id, { cluster: who.cluster, names: new Map(Object.entries(names)) });
}

function refusePlain(url: string, path: string): void {
  if (/^https:/i.test(url)) return;
  const expected = 'a URL that begins with https://, since members with certificates (tls) use nothing else';
  throw new BadInput(path, expected, show(url));
}
