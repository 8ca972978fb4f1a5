/** `caucus cert`: a small CA, and the certificates of members. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caucus } from './caucus.ts';

let folder: string;
let ca: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-cert-test-'));
  ca = path.join(folder, 'ca');
  expect((await caucus(['cert', 'ca', '--dir', ca])).code).toBe(0);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function modeOf(file: string): string {
  return (statSync(file).mode & 0o777).toString(8);
}

describe('caucus cert', () => {
  it('makes a CA, and a certificate that openssl verifies for servers and clients', async () => {
    const made = await caucus([
      ...['cert', 'member', '--cluster', 'shop', '--id', 'a', '--dir', ca],
      ...['--host', 'a.example.com', '--host', '10.0.0.1', '--host', 'fd00::1'],
    ]);
    expect([made.code, made.stderr]).toEqual([0, '']);
    const cert = path.join(ca, 'member-a.pem');
    for (const purpose of ['sslserver', 'sslclient'])
      execFileSync('openssl', ['verify', '-purpose', purpose, '-CAfile', path.join(ca, 'ca.pem'), cert]);
    expect(modeOf(path.join(ca, 'ca-key.pem'))).toBe('600');
    expect(modeOf(path.join(ca, 'member-a-key.pem'))).toBe('600');
    expect(modeOf(cert)).toBe('644');
    const shown = JSON.parse((await caucus(['cert', 'show', cert, '--json'])).stdout);
    expect(shown).toMatchObject([
      {
        isCa: false,
        members: ['shop:a'],
        hosts: ['a.example.com', '10.0.0.1', 'FD00:0:0:0:0:0:0:1'],
        uses: ['servers', 'clients'],
        daysLeft: 364,
      },
    ]);
    const text = execFileSync('openssl', ['x509', '-in', cert, '-noout', '-text'], { encoding: 'utf8' });
    expect(text).toContain('NIST CURVE: P-256');
  });

  it('shows both certificates of a file with two, and says that one is a CA', async () => {
    const { code, stdout } = await caucus(['cert', 'show', path.join(ca, 'ca.pem')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^issuer {3}itself\nis {7}a CA\n/m);
    expect(stdout).toContain('3649 days left');
  });

  it('overwrites nothing', async () => {
    const before = readFileSync(path.join(ca, 'ca-key.pem'), 'utf8');
    const { code, stderr } = await caucus(['cert', 'ca', '--dir', ca]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `caucus: --dir: expected a folder without ca.pem, found ${path.join(ca, 'ca.pem')}, which is not overwritten\n`,
    );
    expect(readFileSync(path.join(ca, 'ca-key.pem'), 'utf8')).toBe(before);
  });

  it.each([
    { args: [], says: /^caucus: caucus cert: expected ca, member or show, found none$/m },
    { args: ['sign'], says: /^caucus: caucus cert: expected ca, member or show, found "sign"$/m },
    {
      args: ['member', '--id', 'x', '--host', 'x', '--dir', '/nowhere'],
      says: /--ca: expected a folder with a CA, found no \/nowhere\/ca\.pem/,
    },
    { args: ['member', '--id', 'a b', '--host', 'x', '--dir', 'CA'], says: /--id: expected an id/ },
    {
      args: ['member', '--id', 'x', '--host', 'a b', '--dir', 'CA'],
      says: /--host: expected a host name or an address, found "a b"/,
    },
    {
      args: ['member', '--id', 'x', '--host', 'x,URI:caucus:caucus:b', '--dir', 'CA'],
      says: /--host: expected a host name/,
    },
    {
      args: ['member', '--id', 'x', '--host', 'x', '--dir', 'CA', '--days', '0'],
      says: /--days: expected .*found 0/,
    },
    {
      args: ['member', '--id', 'x', '--host', 'x', '--dir', 'CA', '--days', '4000'],
      says: /--days: expected at most 3649/,
    },
    { args: ['member', '--id', 'x', '--dir', 'CA'], says: /required option '--host/ },
    {
      args: ['show', '/nowhere/a.pem'],
      says: /FILE: expected a file that can be read, found \/nowhere\/a\.pem: there is no such file/,
    },
    {
      args: ['show', 'KEY'],
      says: /FILE: expected certificates in PEM, found .*ca-key\.pem, which holds none/,
    },
  ])('refuses $args in one line', async ({ args, says }) => {
    const given = args.map((each) =>
      each === 'CA' ? ca : each === 'KEY' ? path.join(ca, 'ca-key.pem') : each,
    );
    const { code, stderr } = await caucus(['cert', ...given]);
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
