/** Passwords and tokens in addresses and options: wherever an address is wrong or cut, none of them is shown. */
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { seen } from '../../src/engines/conformance/stage.ts';
import { type EngineOptions, openEngine } from '../../src/engines/open.ts';
import { shownUrl } from '../../src/engines/secrets.ts';

/** So much of a secret must not be read anywhere: shorter pieces stand in ordinary words too. */
const PIECE = 5;

/** Forms in which people give secrets, rightly or wrongly. Nothing listens at port 1. */
const FORMS: readonly ((secret: string) => string)[] = [
  (secret) => `redis://user:${secret}@127.0.0.1:1/0`,
  (secret) => `redis://:${secret}@127.0.0.1:1`,
  (secret) => `rediss://127.0.0.1:1?password=${secret}`,
  (secret) => `redis://127.0.0.1:1/0?password=${secret}`,
  (secret) => `redis://127.0.0.1:1#${secret}`,
  (secret) => `redis://127.0.0.1:1,127.0.0.1:2/${secret}`,
  (secret) => `etcd://user:${secret}@127.0.0.1:1,127.0.0.1:2`,
  (secret) => `etcds://user:${secret}@127.0.0.1:1`,
  (secret) => `etcd://127.0.0.1:1?password=${secret}`,
  (secret) => `etcd://127.0.0.1:1/${secret}`,
  (secret) => `nats://user:${secret}@127.0.0.1:1`,
  (secret) => `tls://user:${secret}@127.0.0.1:1`,
  (secret) => `nats://127.0.0.1:1?token=${secret}`,
  (secret) => `nats://127.0.0.1:1/?auth_token=${secret}`,
  (secret) => `postgres://user:${secret}@127.0.0.1:1/db`,
  (secret) => `postgresql://user:${secret}@127.0.0.1:1/db?sslmode=disable`,
  (secret) => `postgres://user@127.0.0.1:1/db?password=${secret}`,
  (secret) => `postgres://127.0.0.1?user=user&password=${secret}`,
  (secret) => `postgres:user:${secret}@127.0.0.1/db`,
  (secret) => `kubernetes:ns/?token=${secret}`,
  (secret) => `kubernetes:?token=${secret}`,
  (secret) => `kubernetes://user:${secret}@127.0.0.1:1`,
  (secret) => `kubernetes://127.0.0.1:1/ns?token=${secret}`,
  (secret) => `local://user:${secret}@127.0.0.1/x`,
  (secret) => `mysql://user:${secret}@127.0.0.1/db`,
  (secret) => `REDIS://user:${secret}@127.0.0.1`,
  (secret) => `user:${secret}@127.0.0.1`,
];

/**
 * As `encodeURIComponent` writes it, or as it is. It does not begin with a digit: `host:12` is a host and its port, whatever
 * somebody meant. Nor does it hold an @ as it is: what follows the last one is a host.
 */
const secrets: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...'aZ~!$%&*_-^|/?#:'),
    fc.string({
      unit: fc.constantFrom(...'abcXYZ0129~!$%&*()_+-=^|/?#:;,.<>"\'` äß'),
      minLength: 7,
      maxLength: 30,
    }),
    fc.boolean(),
  )
  .map(([first, rest, isEncoded]) =>
    isEncoded ? encodeURIComponent(`${first}${rest}@`) : `${first}${rest}`,
  );

/** Pieces of a secret that stand in a text, which is read as it is and as it would be written in a URL. */
function piecesIn(text: string, secret: string): string[] {
  const forms = [secret];
  try {
    forms.push(decodeURIComponent(secret));
  } catch {
    // Then there is no other form.
  }
  return forms.flatMap((form) =>
    Array.from({ length: Math.max(0, form.length - PIECE + 1) }, (_, at) =>
      form.slice(at, at + PIECE),
    ).filter((piece) => text.includes(piece)),
  );
}

/** All that a program could come to print: the error with everything that hangs on it, and what `--print-config` shows. */
async function toldOf(url: unknown, options: unknown = {}): Promise<string> {
  const address = typeof url === 'string' ? shownUrl(url) : '';
  try {
    const engine = await openEngine(url as string, options as EngineOptions);
    await engine.close();
    return address;
  } catch (error) {
    return `${address}\n${inspect(error, { depth: 10 })}`.replace(/\n\s+at .*/g, '');
  }
}

/** What is left when a text ends early, or lacks one letter. */
function damaged(url: string): string[] {
  const places = Array.from(url, (_, at) => at);
  return [
    ...places.map((at) => url.slice(0, at)),
    ...places.map((at) => url.slice(0, at) + url.slice(at + 1)),
  ];
}

describe('a secret in an address', () => {
  beforeEach(() => {
    vi.stubEnv('KUBECONFIG', '/nonexistent/kubeconfig');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is not shown, wherever the address is cut and whichever letter it lacks', async () => {
    const secret = 'Geheimnis~1';
    for (const form of FORMS) {
      for (const url of [form(secret), ...damaged(form(secret))])
        expect(piecesIn(await toldOf(url), secret), url).toEqual([]);
    }
  });

  it('is not shown, whatever characters it holds', async () => {
    const cases = fc.tuple(
      fc.constantFrom(...FORMS),
      secrets,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([form, secret, share, isWhole]) => {
        const whole = form(secret);
        const url = isWhole ? whole : whole.slice(0, Math.round(share * whole.length));
        expect(piecesIn(await toldOf(url), secret), url).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is not shown where it is a token in the place of a user, unless it is cut to what may be a host', async () => {
    const secret = 'Geheimnis~1';
    for (const url of damaged(`nats://${secret}@127.0.0.1:1`)) {
      const mayBeHost = /^nats:\/\/\w*$/.test(url);
      expect(mayBeHost ? [] : piecesIn(await toldOf(url), secret), url).toEqual([]);
    }
  });

  it('is not shown by what cannot connect', async () => {
    const secret = 'Geheimnis~1';
    const urls = FORMS.map((form) => form(secret)).concat(`nats://${secret}@127.0.0.1:1`);
    let tried = 0;
    for (const url of urls) {
      const engine = await openEngine(url, { leaseMs: 3000 }).catch(() => null);
      if (engine === null) continue;
      tried += 1;
      const election = new Election('e', engine);
      const { detail } = await seen(election, 'the reason', ({ cause }) => cause === 'store-unreachable');
      expect(piecesIn(detail, secret), url).toEqual([]);
      const told = await election.askToResign({ token: 1n }).catch((error: unknown) => error);
      expect(piecesIn(inspect(told, { depth: 10 }), secret), url).toEqual([]);
      await engine.close();
    }
    expect(tried).toBeGreaterThanOrEqual(8);
  });
});

describe('a secret in an option, or in the place of another', () => {
  const secret = 'Geheimnis~1';
  it.each([
    ['postgres://127.0.0.1:1/d', { ssl: secret }],
    ['postgres://127.0.0.1:1/d', { password: secret }],
    ['nats://127.0.0.1:1', { authenticator: secret }],
    ['nats://127.0.0.1:1', { token: secret }],
    ['tls://127.0.0.1:1', { key: secret, cert: secret }],
    ['etcds://127.0.0.1:1', { key: secret, cert: secret }],
    ['rediss://127.0.0.1:1', { key: secret }],
    ['redis://127.0.0.1:1', secret],
    ['kubernetes:', { token: secret }],
    ['kubernetes:', { server: `https://user:${secret}@127.0.0.1` }],
    ['kubernetes:', { server: `https://127.0.0.1?token=${secret}` }],
    ['kubernetes:', { server: `https://127.0.0.1#${secret}` }],
    ['kubernetes:', { server: `https://user:${secret}` }],
    ['kubernetes:', { server: 'http://127.0.0.1', token: secret }],
    ['kubernetes:', { server: 'https://127.0.0.1', token: `${secret}\n` }],
    ['kubernetes:', { kubeconfig: `users:\n- token: ${secret}` }],
    [{ host: '127.0.0.1', password: secret }, {}],
    [[`redis://user:${secret}@127.0.0.1`], {}],
    [secret, {}],
  ])('%j with %j is refused without it', async (url, options) => {
    const told = await toldOf(url, options);
    expect(told).toContain('expected');
    expect(piecesIn(told, secret)).toEqual([]);
  });
});
