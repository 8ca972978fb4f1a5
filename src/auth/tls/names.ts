/**
 * Which member a certificate is for. Its subject alternative names say so: `URI:caucus:CLUSTER:ID`, or a DNS name that the
 * configuration maps to an id, for certificates of issuers that put nothing but DNS names in. A certificate that names no
 * member, several members, or one of another cluster is that of a client, and never a peer's.
 */
import type { X509Certificate } from 'node:crypto';
import { type MemberId, parseId } from '../../core/index.ts';

/** What makes a member of a name in a certificate. */
export interface Naming {
  readonly cluster: string;
  /** The ids of members by their DNS names, in lower case. */
  readonly names: ReadonlyMap<string, MemberId>;
}

/** The member that is named, or why none is, for people. */
export type Named = { readonly id: MemberId } | { readonly reason: string };

export interface AltName {
  /** `URI`, `DNS`, `IP Address` and others. */
  readonly type: string;
  readonly value: string;
}

const URI_PREFIX = 'caucus:';

export function memberUri(cluster: string, id: MemberId): string {
  return `${URI_PREFIX}${cluster}:${id}`;
}

export function memberNamed(certificate: X509Certificate, { cluster, names }: Naming): Named {
  const found = altNames(certificate.subjectAltName);
  const uris = found.filter(({ type, value }) => type === 'URI' && value.startsWith(URI_PREFIX));
  const own = uris.map(({ value }) => value).filter((value) => value.startsWith(memberUri(cluster, '')));
  const byUri = own.map((value) => parseId(value.slice(memberUri(cluster, '').length)));
  const byDns = found
    .filter(({ type }) => type === 'DNS')
    .flatMap(({ value }) => names.get(value.toLowerCase()) ?? []);
  const ids = [...new Set([...byUri, ...byDns])];
  if (ids.length === 1) return { id: ids[0]! };
  const expected = `expected one name ${memberUri(cluster, 'ID')}`;
  if (ids.length > 1) return { reason: `it names the members ${ids.join(', ')}: ${expected}` };
  if (uris.length > 0) return { reason: `it is for ${uris[0]!.value.slice(0, 200)}: ${expected}` };
  return { reason: `it names no member: ${expected}, or a DNS name that the configuration maps to an id` };
}

/**
 * The names of a certificate, from the text that Node.js makes of them: `DNS:a, URI:b`. A value with characters that could be
 * taken for a separator is written as a JSON text (CVE-2021-44532).
 */
export function altNames(text: string | undefined): AltName[] {
  const found: AltName[] = [];
  let rest = text ?? '';
  while (rest !== '') {
    const match = /^([^:]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/.exec(rest);
    // Not written by Node.js as this version knows it: then no name is believed.
    if (match === null) return [];
    const [whole, type, value] = match as unknown as [string, string, string];
    found.push({ type, value: value.startsWith('"') ? (JSON.parse(value) as string) : value });
    rest = rest.slice(whole.length);
  }
  return found;
}
