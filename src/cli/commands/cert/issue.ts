/** `caucus cert ca` and `caucus cert member`: a small CA, and the certificates of members. */
import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { memberUri, parseCertificates, readPrivateFile, readPublicFile } from '../../../auth/index.ts';
import { electionName, integer, writtenId } from '../../../core/index.ts';
import { makeFolder } from '../../../member/index.ts';
import { Refusal, systemWords } from '../../input/refusal.ts';
import { readNumberOr } from '../../input/values.ts';
import { issue } from './openssl.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const CA_DAYS = 3650;
const MEMBER_DAYS = 365;
const LONGEST_DAYS = 36_500;
const DNS_NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?$/;

export interface CaFlags {
  readonly dir: string;
  readonly days?: string;
}

export interface MemberCertFlags extends CaFlags {
  readonly cluster: string;
  readonly id: string;
  readonly host: readonly string[];
  readonly ca?: string;
}

interface Written {
  readonly file: string;
  readonly text: string;
  readonly mode: number;
}

export async function caCommand({ dir, days }: CaFlags): Promise<number> {
  const lastsDays = readNumberOr(days, '--days', integer(1, LONGEST_DAYS), CA_DAYS);
  const [certFile, keyFile] = [path.join(dir, 'ca.pem'), path.join(dir, 'ca-key.pem')];
  refuseOverwriting([certFile, keyFile]);
  const key = newKey();
  const { fromMs, untilMs } = lasting(lastsDays);
  // Two CAs of one cluster, one of which replaces the other, differ in their names.
  const commonName = `caucus CA ${randomBytes(4).toString('hex')}`;
  const names = { uris: [], dnsNames: [], addresses: [], uses: [] };
  const cert = await issue({ commonName, key, issuer: null, ...names, fromMs, untilMs });
  write(dir, [
    { file: keyFile, text: key, mode: 0o600 },
    { file: certFile, text: cert, mode: 0o644 },
  ]);
  process.stdout.write(
    `${certFile}  the CA, until ${dateOf(untilMs)}: every member needs this file (--tls-ca)\n${keyFile}  its key: keep it where certificates are made, and on no member\n`,
  );
  return 0;
}

export async function memberCertCommand(flags: MemberCertFlags): Promise<number> {
  const { dir, host, ca = dir } = flags;
  const cluster = electionName.read(flags.cluster, '--cluster');
  const id = writtenId.read(flags.id, '--id');
  const lastsDays = readNumberOr(flags.days, '--days', integer(1, LONGEST_DAYS), MEMBER_DAYS);
  const addresses = host.filter((each) => isIP(each) !== 0);
  const dnsNames = host.filter((each) => isIP(each) === 0);
  for (const name of dnsNames)
    if (!DNS_NAME.test(name))
      throw new Refusal(`--host: expected a host name or an address, found ${JSON.stringify(name)}`);
  const [certFile, keyFile] = [path.join(dir, `member-${id}.pem`), path.join(dir, `member-${id}-key.pem`)];
  refuseOverwriting([certFile, keyFile]);
  const issuer = readCa(ca);
  const { fromMs, untilMs } = lasting(lastsDays);
  refuseOutliving(untilMs, issuer.cert, ca);
  const key = newKey();
  const cert = await issue({
    commonName: `${cluster} ${id}`.slice(0, 64),
    key,
    issuer,
    uris: [memberUri(cluster, id)],
    dnsNames,
    addresses,
    uses: ['serverAuth', 'clientAuth'],
    fromMs,
    untilMs,
  });
  write(dir, [
    { file: keyFile, text: key, mode: 0o600 },
    { file: certFile, text: cert, mode: 0o644 },
  ]);
  process.stdout.write(
    `${certFile}  the certificate of member ${id} of ${cluster}, until ${dateOf(untilMs)} (--tls-cert)\n${keyFile}  its key (--tls-key)\n`,
  );
  return 0;
}

function readCa(dir: string): { readonly cert: string; readonly key: string } {
  const certFile = path.join(dir, 'ca.pem');
  if (!existsSync(certFile))
    throw new Refusal(
      `--ca: expected a folder with a CA, found no ${certFile}; make one with caucus cert ca --dir ${dir}`,
    );
  const [first] = parseCertificates(readPublicFile(certFile, '--ca'), certFile, '--ca');
  const key = readPrivateFile(path.join(dir, 'ca-key.pem'), '--ca');
  return { cert: first!.toString(), key };
}

/** Such a certificate would be refused from the day on which the CA expires. */
function refuseOutliving(untilMs: number, ca: string, dir: string): void {
  const caUntilMs = Date.parse(new X509Certificate(ca).validTo);
  if (untilMs <= caUntilMs) return;
  const most = Math.floor((caUntilMs - Date.now()) / DAY_MS);
  throw new Refusal(`--days: expected at most ${most}, since the CA in ${dir} expires then, found more`);
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** It begins an hour early, for members whose clocks are behind. */
function lasting(days: number): { readonly fromMs: number; readonly untilMs: number } {
  const nowMs = Date.now();
  return { fromMs: nowMs - HOUR_MS, untilMs: nowMs + days * DAY_MS };
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function refuseOverwriting(files: readonly string[]): void {
  const found = files.find((file) => existsSync(file));
  if (found === undefined) return;
  throw new Refusal(
    `--dir: expected a folder without ${path.basename(found)}, found ${found}, which is not overwritten`,
  );
}

/** All of them or none: a key without its certificate would only be in the way. */
function write(dir: string, files: readonly Written[]): void {
  const done: string[] = [];
  try {
    makeFolder(dir);
    for (const { file, text, mode } of files) {
      writeFileSync(file, text, { flag: 'wx', mode });
      done.push(file);
      chmodSync(file, mode);
    }
  } catch (error) {
    for (const file of done) rmSync(file, { force: true });
    throw new Refusal(`--dir: expected a folder that can be written, found ${dir}: ${systemWords(error)}`);
  }
}
