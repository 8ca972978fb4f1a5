/**
 * The certificate of a member, its key, and the CAs that it trusts: read from files and checked before they are used, so
 * that an error names the file and the remedy here, and not another member in the middle of a handshake.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { BadInput, type MemberId } from '../../core/index.ts';
import { readPrivateFile, readPublicFile } from '../credentials.ts';
import { memberNamed, memberUri, type Naming } from './names.ts';

/** Where they are. A text that holds PEM itself stands for a file with it. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** All that was read and checked together. */
export interface Credentials {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  /** The member's own certificate. */
  readonly leaf: X509Certificate;
  readonly cas: readonly X509Certificate[];
  /** For connections that this member opens. */
  readonly context: SecureContext;
}

export const TLS_VERSION = 'TLSv1.3';

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
/** More certificates are no chain. */
const LONGEST_CHAIN = 10;

/** The texts themselves, which are no paths. */
export function isPem(text: string): boolean {
  return text.includes('-----BEGIN ');
}

/** Throws BadInput, which names the option (`tls.cert`), the file and the remedy. */
export function readCredentials(
  files: TlsFiles,
  id: MemberId,
  naming: Naming,
  nowMs: number = Date.now(),
): Credentials {
  const cert = read(files.cert, 'tls.cert');
  const ca = read(files.ca, 'tls.ca');
  const chain = parseCertificates(cert, files.cert, 'tls.cert');
  const cas = parseCertificates(ca, files.ca, 'tls.ca');
  const key = isPem(files.key) ? files.key : readPrivateFile(files.key, 'tls.key');
  const leaf = chain[0]!;
  const named = shown(files.cert);
  checkKey(leaf, parseKey(key, files.key), files);
  checkDates(leaf, 'tls.cert', `a new certificate for member ${id}`, named, nowMs);
  for (const each of cas) checkDates(each, 'tls.ca', 'certificates of CAs', shown(files.ca), nowMs);
  checkName(leaf, id, naming, named);
  checkUse(leaf, named);
  checkIssuer(chain, cas, files);
  return { cert, key, ca, leaf, cas, context: contextOf({ cert, key, ca }, files) };
}

export function validTo(certificate: X509Certificate): number {
  return Date.parse(certificate.validTo);
}

/** All certificates of a PEM text; at least one. */
export function parseCertificates(pem: string, file: string, path: string): X509Certificate[] {
  try {
    const found = (pem.match(PEM) ?? []).map((each) => new X509Certificate(each));
    if (found.length > 0) return found;
  } catch {
    // Told below.
  }
  throw new BadInput(path, 'certificates in PEM', `${shown(file)}, which holds none that can be read`);
}

/** How a file is named in messages. */
function shown(file: string): string {
  return isPem(file) ? 'a text' : file;
}

function read(file: string, path: string): string {
  return isPem(file) ? file : readPublicFile(file, path);
}

function parseKey(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    const found = `${shown(file)}, which holds none that can be read`;
    throw new BadInput('tls.key', 'a private key in PEM, without a passphrase', found);
  }
}

function checkKey(leaf: X509Certificate, key: KeyObject, { cert, key: file }: TlsFiles): void {
  if (leaf.checkPrivateKey(key)) return;
  const found = `${shown(file)}, which is the key of another certificate`;
  throw new BadInput('tls.key', `the key of the certificate in ${shown(cert)}`, found);
}

function checkDates(
  certificate: X509Certificate,
  path: string,
  expected: string,
  file: string,
  nowMs: number,
): void {
  const { validFrom, validTo: until } = certificate;
  if (nowMs > Date.parse(until)) throw new BadInput(path, expected, `${file}, which expired on ${until}`);
  if (nowMs >= Date.parse(validFrom)) return;
  const found = `${file}, which is valid only from ${validFrom} on`;
  throw new BadInput(path, `${expected} that is valid now (or the right time on this machine)`, found);
}

function checkName(leaf: X509Certificate, id: MemberId, naming: Naming, file: string): void {
  const named = memberNamed(leaf, naming);
  if ('id' in named && String(named.id) === String(id)) return;
  const found = 'id' in named ? `that of member ${named.id}` : named.reason;
  const uri = memberUri(naming.cluster, id);
  throw new BadInput('tls.cert', `a certificate with the name URI:${uri}`, `${file}: ${found}`);
}

/** Members are servers and clients of each other. */
function checkUse(leaf: X509Certificate, file: string): void {
  const uses = leaf.keyUsage as readonly string[] | undefined;
  if (uses === undefined || uses.length === 0) return;
  if (uses.includes(SERVER_AUTH) && uses.includes(CLIENT_AUTH)) return;
  const lacking = uses.includes(SERVER_AUTH) ? 'clients (clientAuth)' : 'servers (serverAuth)';
  const expected = 'a certificate for servers and clients (extendedKeyUsage serverAuth, clientAuth)';
  throw new BadInput('tls.cert', expected, `${file}, which is not for ${lacking}`);
}

/** Other members have the same CAs: a certificate that this one would not accept, they will not accept either. */
function checkIssuer(
  chain: readonly X509Certificate[],
  cas: readonly X509Certificate[],
  files: TlsFiles,
): void {
  let current = chain[0]!;
  for (let step = 0; step < LONGEST_CHAIN; step++) {
    const issuer = [...cas, ...chain].find((each) => each.ca && isIssuedBy(current, each));
    if (issuer === undefined) {
      const found = `${shown(files.cert)}, which was issued by ${oneLine(current.issuer)}`;
      throw new BadInput('tls.cert', `a certificate of a CA in ${shown(files.ca)}`, found);
    }
    if (cas.includes(issuer) && isIssuedBy(issuer, issuer)) return;
    current = issuer;
  }
  throw new BadInput('tls.cert', `a certificate of a CA in ${shown(files.ca)}`, 'a chain without an end');
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Distinguished names come with a line for each part. */
export function oneLine(name: string): string {
  return name.split('\n').join(', ');
}

function contextOf(pem: TlsFiles, files: TlsFiles): SecureContext {
  try {
    return createSecureContext({ ...pem, minVersion: TLS_VERSION });
  } catch (error) {
    const found = `${shown(files.cert)}: ${(error as Error).message}`;
    throw new BadInput('tls.cert', 'a certificate that OpenSSL accepts', found);
  }
}
