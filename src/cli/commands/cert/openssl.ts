/**
 * Issues certificates with the command `openssl`, as a child process. Node.js can make keys and read certificates, but not
 * make certificates; docs/decisions/0009-mutual-tls.md tells why this is no library.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Refusal } from '../../input/refusal.ts';

/** A certificate to be issued. */
export interface Wanted {
  readonly commonName: string;
  /** Of the certificate itself, in PEM. */
  readonly key: string;
  /** Null: it is a CA, and issues itself. */
  readonly issuer: { readonly cert: string; readonly key: string } | null;
  readonly uris: readonly string[];
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  readonly uses: readonly ('serverAuth' | 'clientAuth')[];
  readonly fromMs: number;
  readonly untilMs: number;
}

const run = promisify(execFile);

/** The certificate in PEM. */
export async function issue(wanted: Wanted): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-cert-'));
  const file = (name: string, text?: string): string => {
    const whole = path.join(folder, name);
    if (text !== undefined) writeFileSync(whole, text, { mode: 0o600 });
    return whole;
  };
  try {
    const key = file('key.pem', wanted.key);
    const config = file('config', configOf(wanted, folder));
    file('index', '');
    file('serial', `00${randomBytes(16).toString('hex')}`);
    const [request, out] = [file('request.pem'), file('out.pem')];
    await openssl('req', '-new', '-config', config, '-key', key, '-out', request);
    const by =
      wanted.issuer === null
        ? ['-selfsign', '-keyfile', key]
        : ['-keyfile', file('ca-key.pem', wanted.issuer.key), '-cert', file('ca.pem', wanted.issuer.cert)];
    const times = ['-startdate', timeOf(wanted.fromMs), '-enddate', timeOf(wanted.untilMs)];
    await openssl('ca', '-batch', '-notext', '-config', config, ...by, ...times, '-in', request, '-out', out);
    return readFileSync(out, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openssl(...args: readonly string[]): Promise<void> {
  try {
    await run('openssl', args);
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === 'ENOENT')
      throw new Refusal(
        'openssl: expected this command, which makes the certificates; install it (the package openssl)',
      );
    const why = (stderr ?? String(error)).trim().split('\n').at(-1);
    throw new Refusal(`openssl ${args[0]} failed: ${why}`);
  }
}

function configOf({ commonName, issuer, uris, dnsNames, addresses, uses }: Wanted, folder: string): string {
  const names = [
    ...uris.map((value, i) => `URI.${i + 1} = ${value}`),
    ...dnsNames.map((value, i) => `DNS.${i + 1} = ${value}`),
    ...addresses.map((value, i) => `IP.${i + 1} = ${value}`),
  ];
  const extensions =
    issuer === null
      ? ['basicConstraints = critical, CA:TRUE, pathlen:0', 'keyUsage = critical, keyCertSign, cRLSign']
      : [
          'basicConstraints = critical, CA:FALSE',
          'keyUsage = critical, digitalSignature',
          'authorityKeyIdentifier = keyid',
          ...(uses.length === 0 ? [] : [`extendedKeyUsage = ${uses.join(', ')}`]),
          ...(names.length === 0 ? [] : ['subjectAltName = @names']),
        ];
  return [
    '[ca]',
    'default_ca = own',
    '[own]',
    `new_certs_dir = ${folder}`,
    `database = ${path.join(folder, 'index')}`,
    `serial = ${path.join(folder, 'serial')}`,
    'default_md = sha256',
    'policy = policy',
    'x509_extensions = extensions',
    '[policy]',
    'commonName = supplied',
    '[req]',
    'distinguished_name = subject',
    'prompt = no',
    '[subject]',
    `CN = ${commonName}`,
    '[extensions]',
    'subjectKeyIdentifier = hash',
    ...extensions,
    '[names]',
    ...names,
    '',
  ].join('\n');
}

/** 20261020123000Z */
function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')}`;
}
