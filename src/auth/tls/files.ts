/**
 * The certificate of a member or of a server for clients, its key, and the CAs that a member trusts: read from files and checked before they are used, so
 * that an error names the file and the remedy here, and not another member in the middle of a handshake.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { BadInput, type MemberId } from '../../core/index.ts';
import { readPrivateFile, readPublicFile } from '../credentials.ts';
import { memberNamed, memberUri, type Naming } from './names.ts';

/** Where a certificate and its key are. A text that holds PEM itself stands for a file with it. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** The same, and where the CAs are. */
export interface TlsFiles extends CertificateFiles {
  readonly ca: string;
}

/** A certificate and its key, read and checked together. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
  /** The CAs whose certificates are accepted; null: clients are not asked for one. */
  readonly ca: string | null;
  /** Its own certificate. */
  readonly leaf: X509Certificate;
}

/** All that was read and checked together. */
export interface Credentials extends Certified {
  readonly ca: string;
  readonly cas: readonly X509Certificate[];
  /** For connections that this member opens. */
  readonly context: SecureContext;
}

export const TLS_VERSION = 'TLSv1.3';

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

interface Uses {
  readonly needed: readonly string[];
  readonly expected: string;
}

/** Members are servers and clients of each other. */
const MEMBER_USES: Uses = {
  needed: [SERVER_AUTH, CLIENT_AUTH],
  expected: 'a certificate for servers and clients (extendedKeyUsage serverAuth, clientAuth)',
};
const SERVER_USES: Uses = {
  needed: [SERVER_AUTH],
  expected: 'a certificate for servers (extendedKeyUsage serverAuth)',
};
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
  const ca = read(files.ca, 'tls.ca');
  const cas = parseCertificates(ca, files.ca, 'tls.ca');
  const { cert, key, chain } = readCertified(files, `a new certificate for member ${id}`, nowMs);
  for (const each of cas) checkDates(each, 'tls.ca', 'certificates of CAs', shown(files.ca), nowMs);
  const leaf = chain[0]!;
  checkName(leaf, id, naming, shown(files.cert));
  checkUse(leaf, MEMBER_USES, shown(files.cert));
  checkIssuer(chain, cas, files);
  return { cert, key, ca, leaf, cas, context: contextOf({ cert, key, ca }, files) };
}

/** The certificate of a server that has clients and no peers. Any CA may have issued it: its clients know which. */
export function readServerCertificate(files: CertificateFiles, nowMs: number = Date.now()): Certified {
  const { cert, key, chain } = readCertified(files, 'a new certificate', nowMs);
  const leaf = chain[0]!;
  checkUse(leaf, SERVER_USES, shown(files.cert));
  contextOf({ cert, key }, files);
  return { cert, key, ca: null, leaf };
}

/** `expected`: in place of a certificate that is not valid now. */
function readCertified(
  files: CertificateFiles,
  expected: string,
  nowMs: number,
): { readonly cert: string; readonly key: string; readonly chain: readonly X509Certificate[] } {
  const cert = read(files.cert, 'tls.cert');
  const chain = parseCertificates(cert, files.cert, 'tls.cert');
  const key = isPem(files.key) ? files.key : readPrivateFile(files.key, 'tls.key');
  checkKey(chain[0]!, parseKey(key, files.key), files);
  checkDates(chain[0]!, 'tls.cert', expected, shown(files.cert), nowMs);
  return { cert, key, chain };
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

function checkKey(leaf: X509Certificate, key: KeyObject, { cert, key: file }: CertificateFiles): void {
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

function checkUse(leaf: X509Certificate, { needed, expected }: Uses, file: string): void {
  const uses = leaf.keyUsage as readonly string[] | undefined;
  if (uses === undefined || uses.length === 0) return;
  const lacking = needed.find((each) => !uses.includes(each));
  if (lacking === undefined) return;
  const words = lacking === CLIENT_AUTH ? 'clients (clientAuth)' : 'servers (serverAuth)';
  throw new BadInput('tls.cert', expected, `${file}, which is not for ${words}`);
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
    const isRoot = issuer !== undefined && isIssuedBy(issuer, issuer);
    if (isRoot && cas.includes(issuer)) return;
    if (issuer === undefined || isRoot) {
      const found = `${shown(files.cert)}, which was issued by ${oneLine(current.issuer)}`;
      throw new BadInput('tls.cert', `a certificate of a CA in ${shown(files.ca)}`, found);
    }
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

function contextOf(pem: CertificateFiles & { readonly ca?: string }, files: CertificateFiles): SecureContext {
  try {
    return createSecureContext({ ...pem, minVersion: TLS_VERSION });
  } catch (error) {
    const found = `${shown(files.cert)}: ${(error as Error).message}`;
    throw new BadInput('tls.cert', 'a certificate that OpenSSL accepts', found);
  }
}
