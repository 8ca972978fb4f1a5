/** The files of certificates: everything that is wrong with them is refused at the start, in one line with the remedy. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemberTls } from '../../src/auth/index.ts';
import { altNames } from '../../src/auth/tls/names.ts';
import type { TlsOptions } from '../../src/member/index.ts';
import { type Issued, newKey, TestCa } from '../support/test-ca.ts';

const DAY_MS = 86_400_000;
let ca: TestCa;
let other: TestCa;
let good: Issued;

beforeAll(async () => {
  [ca, other] = await Promise.all([TestCa.open('CA one'), TestCa.open('CA two')]);
  good = await ca.issue('a');
});

afterAll(() => {
  ca.close();
  other.close();
});

function open(files: TlsOptions): MemberTls {
  return new MemberTls(files, 'a', { cluster: 'caucus', names: new Map() });
}

/** A certificate that is no CA and does not say what its key is for: by that alone it could sign others. */
function selfSigned(name: string): Issued {
  const config =
    '[req]\ndistinguished_name=dn\nx509_extensions=v3\n[dn]\n[v3]\nbasicConstraints=critical,CA:FALSE\n';
  const key = ca.file(newKey());
  const args = ['req', '-x509', '-key', key, '-subj', `/CN=${name}`, '-config', ca.file(config)];
  return { cert: execFileSync('openssl', args, { encoding: 'utf8' }), key: readFileSync(key, 'utf8') };
}

/** What is wrong, and the line that it is refused with; FILE stands for the file that it names. */
const BAD: readonly {
  readonly what: string;
  make(): Promise<TlsOptions & { readonly file: string }> | (TlsOptions & { readonly file: string });
  readonly says: string;
}[] = [
  {
    what: 'a missing certificate',
    make: () => ({ ...ca.files(good), cert: '/nowhere/cert.pem', file: '/nowhere/cert.pem' }),
    says: 'tls.cert: expected a file that can be read, found FILE: there is no such file',
  },
  {
    what: 'a missing key',
    make: () => ({ ...ca.files(good), key: '/nowhere/key.pem', file: '/nowhere/key.pem' }),
    says: 'tls.key: expected a file that can be read, found FILE: there is no such file',
  },
  {
    what: 'a folder in place of the CA',
    make: () => ({ ...ca.files(good), ca: ca.folder, file: ca.folder }),
    says: 'tls.ca: expected a file of at most 1048576 bytes, found FILE, which is none',
  },
  {
    what: 'a key that its group may read',
    make: () => {
      const files = ca.files(good);
      chmodSync(files.key, 0o640);
      return { ...files, file: files.key };
    },
    says: 'tls.key: expected FILE with access for its owner only (chmod 600 FILE), found mode 0640',
  },
  {
    what: 'a key that others may read',
    make: () => {
      const files = ca.files(good);
      chmodSync(files.key, 0o604);
      return { ...files, file: files.key };
    },
    says: 'tls.key: expected FILE with access for its owner only (chmod 600 FILE), found mode 0604',
  },
  {
    what: 'a key of another certificate',
    make: async () => {
      const files = ca.files({ ...good, key: (await ca.issue('a')).key });
      return { ...files, file: files.key };
    },
    says: 'tls.key: expected the key of the certificate in CERT, found FILE, which is the key of another certificate',
  },
  {
    what: 'key and certificate swapped',
    make: () => {
      const files = ca.files(good);
      return { ...files, cert: files.key, key: files.cert, file: files.key };
    },
    says: 'tls.cert: expected certificates in PEM, found FILE, which holds none that can be read',
  },
  {
    what: 'a key that is none',
    make: () => {
      const files = ca.files({ ...good, key: 'a secret' });
      return { ...files, file: files.key };
    },
    says: 'tls.key: expected a private key in PEM, without a passphrase, found FILE, which holds none that can be read',
  },
  {
    what: 'an empty CA',
    make: () => {
      const files = ca.files(good, '\n');
      return { ...files, file: files.ca };
    },
    says: 'tls.ca: expected certificates in PEM, found FILE, which holds none that can be read',
  },
  {
    what: 'a certificate that has expired',
    make: async () => {
      const files = await ca.member('a', { untilMs: Date.now() - DAY_MS / 2 });
      return { ...files, file: files.cert };
    },
    says: 'tls.cert: expected a new certificate for member a, found FILE, which expired on …',
  },
  {
    what: 'a certificate of the future',
    make: async () => {
      const files = await ca.member('a', { fromMs: Date.now() + DAY_MS });
      return { ...files, file: files.cert };
    },
    says: 'tls.cert: expected a new certificate for member a that is valid now (or the right time on this machine), found FILE, which is valid only from … on',
  },
  {
    what: 'the certificate of another member',
    make: async () => {
      const files = await ca.member('b');
      return { ...files, file: files.cert };
    },
    says: 'tls.cert: expected a certificate with the name URI:caucus:caucus:a, found FILE: that of member b',
  },
  {
    what: 'a certificate without a name',
    make: async () => {
      const files = await ca.member('a', { uris: [] });
      return { ...files, file: files.cert };
    },
    says: 'tls.cert: expected a certificate with the name URI:caucus:caucus:a, found FILE: it names no member: expected one name caucus:caucus:ID, or a DNS name that the configuration maps to an id',
  },
  {
    what: 'a certificate for servers only',
    make: async () => {
      const files = await ca.member('a', { uses: ['serverAuth'] });
      return { ...files, file: files.cert };
    },
    says: 'tls.cert: expected a certificate for servers and clients (extendedKeyUsage serverAuth, clientAuth), found FILE, which is not for clients (clientAuth)',
  },
  {
    what: 'a certificate of another CA',
    make: () => {
      const files = ca.files(good, other.own.cert);
      return { ...files, file: files.cert };
    },
    says: 'tls.cert: expected a certificate of a CA in CA, found FILE, which was issued by CN=CA one',
  },
  {
    what: 'a certificate of another CA of the same name',
    make: async () => {
      const namesake = await TestCa.open('CA one');
      const files = ca.files(good, namesake.own.cert);
      namesake.close();
      return { ...files, file: files.cert };
    },
    says: 'tls.cert: expected a certificate of a CA in CA, found FILE, which was issued by CN=CA one',
  },
  {
    what: 'a certificate whose signature is not that of the CA',
    make: () => {
      const der = Buffer.from(good.cert.replace(/-----[^-]*-----|\s/g, ''), 'base64');
      der[der.length - 1]! ^= 1;
      const cert = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
      const files = ca.files({ ...good, cert });
      return { ...files, file: files.cert };
    },
    says: 'tls.cert: expected a certificate of a CA in CA, found FILE, which was issued by CN=CA one',
  },
  {
    what: 'a certificate of another CA that comes with it',
    make: async () => {
      const { cert, key } = await other.issue('a');
      const files = ca.files({ cert: `${cert}${other.own.cert}`, key });
      return { ...files, file: files.cert };
    },
    says: 'tls.cert: expected a certificate of a CA in CA, found FILE, which was issued by CN=CA two',
  },
  {
    what: 'a certificate that another member has issued',
    make: async () => {
      const issuer = await ca.issue('b');
      const { cert, key } = await ca.issue('a', {}, issuer);
      const files = ca.files({ cert: `${cert}${issuer.cert}`, key });
      return { ...files, file: files.cert };
    },
    says: 'tls.cert: expected a certificate of a CA in CA, found FILE, which was issued by CN=member b',
  },
  {
    what: 'a certificate that a certificate in the CA file has issued, which is no CA',
    make: async () => {
      const noCa = selfSigned('no CA');
      const files = ca.files(await ca.issue('a', {}, noCa), noCa.cert);
      return { ...files, file: files.cert };
    },
    says: 'tls.cert: expected a certificate of a CA in CA, found FILE, which was issued by CN=no CA',
  },
  {
    what: 'a CA that has expired',
    make: async () => {
      const old = await TestCa.open('old CA', { untilMs: Date.now() - DAY_MS / 2 });
      const files = ca.files(good, `${ca.own.cert}${old.own.cert}`);
      old.close();
      return { ...files, file: files.ca };
    },
    says: 'tls.ca: expected certificates of CAs, found FILE, which expired on …',
  },
];

describe('files of certificates', () => {
  it.each(BAD)('are refused: $what', async ({ make, says }) => {
    const { file, ...files } = await make();
    const expected = says
      .replaceAll('FILE', file)
      .replace('in CERT', `in ${files.cert}`)
      .replace('in CA,', `in ${files.ca},`);
    let said = '';
    try {
      open(files);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said.replace(/(expired on|only from) .*? GMT/, '$1 …')).toBe(expected);
    expect(said).not.toContain('\n');
  });

  it('may be texts, and the CA file may hold several CAs', () => {
    const tls = open({ ...good, ca: `${other.own.cert}\n${ca.own.cert}` });
    expect(tls.fingerprint).toMatch(/^[0-9A-F:]{95}$/);
  });

  it('are read again, and the old ones stay in use if the new ones cannot be used', async () => {
    const files = ca.files(good);
    const tls = open(files);
    const before = tls.fingerprint;
    let changes = 0;
    tls.onChange(() => changes++);
    writeFileSync(files.cert, (await ca.issue('b')).cert);
    expect(() => tls.reload()).toThrow(/tls\.key: expected the key of the certificate/);
    rmSync(files.cert);
    expect(() => tls.reload()).toThrow(/there is no such file/);
    expect([tls.fingerprint, changes]).toEqual([before, 0]);
    const next = await ca.issue('a');
    writeFileSync(files.cert, next.cert);
    writeFileSync(files.key, next.key);
    tls.reload();
    expect(tls.fingerprint).not.toBe(before);
    expect(changes).toBe(1);
    tls.reload();
    expect(changes).toBe(1);
  });
});

describe('the names of a certificate', () => {
  it('cannot be smuggled into one of them', () => {
    // What Node.js makes of DNS:x, URI:caucus:caucus:a in one name.
    const text = 'DNS:"x, URI:caucus:caucus:a", IP Address:127.0.0.1';
    expect(altNames(text)).toEqual([
      { type: 'DNS', value: 'x, URI:caucus:caucus:a' },
      { type: 'IP Address', value: '127.0.0.1' },
    ]);
  });

  it('are none if the text is not understood', () => {
    for (const text of ['DNS:a, "', 'URI', 'DNS:a,URI:caucus:caucus:a', undefined])
      expect(altNames(text)).toEqual([]);
  });
});
