/** `caucus cert show`: what is in a file of certificates, in words or as JSON. */
import type { X509Certificate } from 'node:crypto';
import { altNames, parseCertificates, readPublicFile } from '../../../auth/index.ts';
import { harmless } from '../../input/refusal.ts';

const DAY_MS = 86_400_000;
const USES: Readonly<Record<string, string>> = {
  '1.3.6.1.5.5.7.3.1': 'servers',
  '1.3.6.1.5.5.7.3.2': 'clients',
};

/** One certificate, for people and programs. */
interface Shown {
  readonly subject: string;
  readonly issuer: string;
  readonly isCa: boolean;
  /** The members that it names, as CLUSTER:ID. */
  readonly members: readonly string[];
  readonly hosts: readonly string[];
  readonly uses: readonly string[];
  readonly validFrom: string;
  readonly validTo: string;
  readonly daysLeft: number;
  readonly fingerprint: string;
}

/** 0 if all are valid now, 1 if one is not. */
export function showCommand(file: string, { json = false }: { readonly json?: boolean }): number {
  const nowMs = Date.now();
  const certificates = parseCertificates(readPublicFile(file, 'FILE'), file, 'FILE');
  const shown = certificates.map((each) => describe(each, nowMs));
  const text = json ? JSON.stringify(shown, null, 2) : shown.map(words).join('\n\n');
  process.stdout.write(`${harmless(text)}\n`);
  return certificates.every((each) => isValid(each, nowMs)) ? 0 : 1;
}

function isValid({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);
}

function describe(certificate: X509Certificate, nowMs: number): Shown {
  const { subject, issuer, ca, subjectAltName, keyUsage, fingerprint256 } = certificate;
  const names = altNames(subjectAltName);
  const [fromMs, untilMs] = [certificate.validFrom, certificate.validTo].map((each) => Date.parse(each));
  const uris = names.filter(({ type, value }) => type === 'URI' && value.startsWith('caucus:'));
  return {
    subject: joined(subject),
    issuer: joined(issuer),
    isCa: ca,
    members: uris.map(({ value }) => value.slice('caucus:'.length)),
    hosts: names.filter(({ type }) => type === 'DNS' || type === 'IP Address').map(({ value }) => value),
    uses: ((keyUsage as readonly string[] | undefined) ?? []).map((each) => USES[each] ?? each),
    validFrom: new Date(fromMs!).toISOString(),
    validTo: new Date(untilMs!).toISOString(),
    daysLeft: Math.floor((untilMs! - nowMs) / DAY_MS),
    fingerprint: fingerprint256,
  };
}

function joined(name: string | undefined): string {
  return (name ?? '').split('\n').join(', ');
}

function words(shown: Shown): string {
  const { subject, issuer, isCa, members, hosts, uses, validFrom, validTo, daysLeft, fingerprint } = shown;
  const left = daysLeft < 0 ? 'EXPIRED' : `${daysLeft} days left`;
  const rows: (readonly [string, string])[] = [
    ['subject', subject],
    ['issuer', issuer === subject ? 'itself' : issuer],
    [
      'is',
      isCa ? 'a CA' : members.length === 0 ? 'no CA, and names no member' : `member ${members.join(', ')}`,
    ],
    ['hosts', hosts.join(', ') || 'none'],
    ['for', uses.join(', ') || 'anything'],
    ['valid', `${validFrom} to ${validTo} (${left})`],
    ['SHA-256', fingerprint],
  ];
  return rows.map(([name, value]) => `${name.padEnd(8)} ${value}`).join('\n');
}
