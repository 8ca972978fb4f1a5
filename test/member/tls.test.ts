/** Mutual TLS: members that show their own certificates are peers, and nothing else is. */
import { randomUUID } from 'node:crypto';
import https from 'node:https';
import { connect } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/linked.ts';
import type { TestCa } from '../support/test-ca.ts';
import {
  ask,
  authorities,
  cleanUp,
  keepForAll,
  type Logged,
  leaderOf,
  portOf,
  start,
  startThree,
  tryLink,
  urls,
} from '../support/tls-bed.ts';

const DAY_MS = 86_400_000;

function hello(id: number, url: string): object {
  return { caucus: 2, id, cluster: 'caucus', incarnation: 1, life: randomUUID(), url, process: null };
}

/** Certificates that are no reason to believe that their holder is member 2, and what is said of each. */
const STRANGERS: readonly {
  readonly what: string;
  readonly says: RegExp;
  show(cas: { readonly ca: TestCa; readonly other: TestCa }): Promise<ConnectionOptions>;
}[] = [
  { what: 'no certificate', says: /it showed no certificate/, show: async () => ({}) },
  {
    what: 'the certificate of another CA',
    says: /issued by a CA that is not in the CA file/,
    show: ({ other }) => other.issue(2),
  },
  {
    what: 'a certificate that has expired',
    says: /has expired; give it a new one/,
    show: ({ ca }) => ca.issue(2, { untilMs: Date.now() - DAY_MS / 2 }),
  },
  {
    what: 'a certificate that begins tomorrow',
    says: /not valid yet; compare the clocks/,
    show: ({ ca }) => ca.issue(2, { fromMs: Date.now() + DAY_MS }),
  },
  {
    what: 'a certificate without a name of a member',
    says: /names no member/,
    show: ({ ca }) => ca.issue(2, { uris: [] }),
  },
  {
    what: 'the certificate of a client',
    says: /names no member/,
    show: ({ ca }) => ca.issue(2, { uris: ['https://example.com/alice'], uses: ['clientAuth'] }),
  },
  {
    what: 'the certificate of a server that may not be a client',
    says: /servers and clients/,
    show: ({ ca }) => ca.issue(2, { uses: ['serverAuth'] }),
  },
  {
    what: 'a certificate of another cluster',
    says: /it is for caucus:other:2/,
    show: ({ ca }) => ca.issue(2, { uris: ['caucus:other:2'] }),
  },
  {
    what: 'a certificate that names two members',
    says: /names the members 2, 3/,
    show: ({ ca }) => ca.issue(2, { uris: ['caucus:caucus:2', 'caucus:caucus:3'] }),
  },
];

describe('members with certificates', () => {
  it('elect a leader over https, and answer clients that have none', async () => {
    const all = await startThree();
    const port = portOf(all[0]!.member);
    const { ca } = authorities();
    const said = await ask(port, 'GET', '/status', { rejectUnauthorized: true, ca: ca.own.cert });
    const { voterUrl, leader, certificate } = JSON.parse(said.body);
    expect([said.status, voterUrl, leader]).toEqual([200, `https://127.0.0.1:${port}`, leaderOf(all)!.id]);
    expect(certificate).toMatchObject({ daysLeft: 364, warning: null });
    expect((await ask(port, 'GET', '/liveness')).status).toBe(200);
    expect((await ask(port, 'GET', '/metrics')).body).toContain(
      'caucus_certificate_days_left{certificate="member"} 364',
    );
  });

  it('speak TLS 1.3 only', async () => {
    const { ca } = authorities();
    const { member } = await start({ id: 1, tls: await ca.member(1) });
    await expect(ask(portOf(member), 'GET', '/status', { maxVersion: 'TLSv1.2' })).rejects.toThrow(/version/);
  });

  it('tell a client that uses http to use https, and carry out nothing', async () => {
    const all = await startThree();
    const leader = leaderOf(all)!;
    const { member, log } = all.find((each) => each.member.id === leader.id)!;
    const url = member.url.replace('https:', 'http:');
    const response = await fetch(`${url}/resign`, { method: 'POST' });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      error: { code: 'E_TLS', message: expect.stringMatching(/use https/) },
    });
    expect(leaderOf(all)).toEqual(leader);
    expect(log.some(({ message }) => /127\.0\.0\.1 is refused: it does not use TLS/.test(message))).toBe(
      true,
    );
  });

  it('close a connection that sends neither TLS nor HTTP', async () => {
    const { ca } = authorities();
    const { member } = await start({ id: 1, tls: await ca.member(1) });
    const socket = connect(portOf(member), '127.0.0.1', () => socket.write('\x00\x01\x02'));
    socket.on('error', () => {});
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect((await ask(portOf(member), 'GET', '/liveness')).status).toBe(200);
  });
});

describe('a client with', () => {
  let all: readonly Logged[] = [];

  beforeAll(async () => {
    all = await startThree();
    keepForAll();
  });

  it.each(STRANGERS)('$what opens no link, sends no message, and moves no leader', async ({ says, show }) => {
    const leader = leaderOf(all)!;
    const victim = all.find(({ member }) => member.id === 1)!;
    const port = portOf(victim.member);
    const { term } = victim.member.electionPort('main').view;
    const before = victim.log.length;
    const tls = await show(authorities());

    const link = await tryLink(port, tls, hello(2, all[1]!.member.url));
    expect(link.status).toBe(401);
    const expected = { error: { code: 'E_CERTIFICATE', message: expect.stringMatching(says) } };
    expect(JSON.parse(link.body)).toMatchObject(expected);

    const body = { voterId: 2, term: 1_000_000_000_000 };
    for (let i = 0; i < 5; i++) {
      const said = await ask(port, 'POST', '/term', tls, body);
      expect(said.status).toBe(401);
      expect(JSON.parse(said.body)).toMatchObject(expected);
    }
    expect((await ask(port, 'GET', '/liveness', tls)).status).toBe(200);
    expect(leaderOf(all)).toEqual(leader);
    expect(victim.member.electionPort('main').view.term).toBe(term);
    const told = victim.log.slice(before).filter(({ message }) => message.includes('is refused'));
    // Six refusals, and those of the test before, which are told together at the end of a second.
    expect(told.length).toBeLessThan(6);
    await until('it is told', () => victim.log.slice(before).some(({ message }) => says.test(message)));
  });
});

describe('the certificate of member 3', () => {
  it('is not believed for member 2, neither on a link nor by POST', async () => {
    const all = await startThree();
    const leader = leaderOf(all)!;
    const port = portOf(all[0]!.member);
    const tls = await authorities().ca.issue(3);
    const link = await tryLink(port, tls, hello(2, all[1]!.member.url));
    expect(link.status).toBe(101);
    expect(JSON.parse(link.body)).toMatchObject({
      refused: 'unauthenticated',
      reason: expect.stringMatching(/it says that it is member 2, and its certificate is that of member 3/),
    });
    const said = await ask(port, 'POST', '/term', tls, { voterId: 2, term: 1_000_000_000_000 });
    expect([said.status, JSON.parse(said.body).error.code]).toEqual([403, 'E_OTHER_VOTER']);
    expect(leaderOf(all)).toEqual(leader);
  });

  it('is not believed by a member that dials member 2', async () => {
    const { ca } = authorities();
    const peers = await urls(2);
    // What listens at the URL of member 2 has the certificate of member 3.
    await start({ id: 3, listen: { host: '127.0.0.1', port: portOf(peers[1]!) }, tls: await ca.member(3) });
    const { member, log } = await start({ id: 1, peers, tls: await ca.member(1) });
    await until('it is told', () =>
      log.some(({ message }) =>
        /cannot reach 2 at .*: what answers there has the certificate of member 3, not of member 2/.test(
          message,
        ),
      ),
    );
    expect(member.links[0]!.via).toBe('none');
  });
});

describe('a member that dials', () => {
  it.each([
    { what: 'a server of another CA', says: /issued by a CA that is not in the CA file/, isOther: true },
    {
      what: 'a member without TLS',
      says: /it does not use TLS; give all members certificates/,
      isOther: false,
    },
  ])('refuses $what, and says what to do', async ({ says, isOther }) => {
    const { ca, other } = authorities();
    const peers = await urls(2);
    const listen = { host: '127.0.0.1', port: portOf(peers[1]!) };
    await start({ id: 2, listen, ...(isOther ? { tls: await other.member(2) } : {}) });
    const { member, log } = await start({ id: 1, peers, tls: await ca.member(1) });
    await until('it is told', () =>
      log.some(({ message }) => message.startsWith('cannot reach 2') && says.test(message)),
    );
    expect(member.links[0]!.via).toBe('none');
  });

  it('is told by the other side what is wrong with its own certificate', async () => {
    const { ca, other } = authorities();
    const peers = await urls(2);
    // It trusts both CAs, and the other side only one.
    const bad = other.files(await other.issue(1), `${ca.own.cert}${other.own.cert}`);
    await start({ id: 2, peers, tls: await ca.member(2) });
    const { log } = await start({ id: 1, peers, tls: bad });
    await until('it is told', () =>
      log.some(({ message }) =>
        /cannot reach 2 at .*: it answered 401: 2 does not accept the certificate of the client/.test(
          message,
        ),
      ),
    );
  });

  it('never falls back to http', async () => {
    const tls = await authorities().ca.member(1);
    const [, peer] = await urls(2);
    const expected = 'url: expected a URL that begins with https://';
    const plain = { id: 2, url: peer!.url.replace('https', 'http') };
    await expect(start({ id: 1, peers: [plain], tls })).rejects.toThrow(`peers[0].${expected}`);
    await expect(start({ id: 1, peers: [peer!], url: 'http://127.0.0.1:9', tls })).rejects.toThrow(expected);
  });

  it('accepts no version before TLS 1.3', async () => {
    const { ca } = authorities();
    const peers = await urls(2);
    const options = { ...(await ca.issue(2)), ca: ca.own.cert, maxVersion: 'TLSv1.2' } as const;
    const server = https.createServer(options, (_request, response) => void response.end());
    cleanUp(async () => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(portOf(peers[1]!), '127.0.0.1', resolve));
    const { member, log } = await start({ id: 1, peers, tls: await ca.member(1) });
    await until('it is told', () =>
      log.some(({ message }) => /cannot reach 2 at .*: it does not offer TLS 1\.3/.test(message)),
    );
    expect(member.links[0]!.via).toBe('none');
  });
});

describe('certificates with DNS names only', () => {
  it('are those of the members that the configuration names', async () => {
    const { ca } = authorities();
    const names = { 'db1.example.com': 1, 'db2.example.com': 2, 'DB3.example.com': 3 };
    const all = await startThree({}, async (id) => ({
      ...(await ca.member(id, { uris: [], dnsNames: [`db${id}.example.com`] })),
      names,
    }));
    expect(leaderOf(all)).not.toBeNull();
    const stranger = await ca.issue(2, { uris: [], dnsNames: ['db4.example.com'] });
    const said = await ask(portOf(all[0]!.member), 'POST', '/term', stranger, { voterId: 2, term: 9 });
    expect(said.status).toBe(401);
  });
});

describe('a voter that speaks only REST', () => {
  /** It keeps no links, and remembers who sent what. */
  async function startRest(id: number, port: number): Promise<string[]> {
    const { ca } = authorities();
    const heard: string[] = [];
    const tls = { ...(await ca.issue(id)), ca: ca.own.cert, requestCert: true, rejectUnauthorized: true };
    const server = https.createServer(tls, (request, response) => {
      const shown = (request.socket as TLSSocket).getPeerX509Certificate()!.subjectAltName;
      heard.push(`${request.method} ${request.url} ${shown}`);
      response.writeHead(request.method === 'GET' ? 404 : 204).end();
    });
    cleanUp(async () => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return heard;
  }

  it('gets its messages with the certificate of the sender', async () => {
    const { ca } = authorities();
    const peers = await urls(2);
    const heard = await startRest(2, portOf(peers[1]!));
    const { member } = await start({ id: 1, peers, tls: await ca.member(1) });
    member.seat().stand();
    await until('it is asked for its vote', () => heard.some((each) => each.startsWith('POST /')));
    expect(heard.every((each) => each.includes('URI:caucus:caucus:1'))).toBe(true);
    expect(member.links[0]!.via).toBe('post');
  });

  it('gets none if its certificate is that of another voter', async () => {
    const { ca } = authorities();
    const peers = await urls(2);
    const heard = await startRest(3, portOf(peers[1]!));
    const { member, log } = await start({ id: 1, peers, tls: await ca.member(1) });
    member.seat().stand();
    await until('it is told', () =>
      log.some(({ message }) => message.includes('has the certificate of member 3')),
    );
    expect(heard).toEqual([]);
    expect(member.links[0]!.via).toBe('none');
  });
});

describe('a client that resumes a TLS session', () => {
  it('is no peer, although OpenSSL calls it verified', async () => {
    const { ca } = authorities();
    const { member } = await start({ id: 1, peers: await urls(2), tls: await ca.member(1) });
    const port = portOf(member);
    const own = await ca.issue(2);
    const body = { voterId: 2, term: 9 };
    const said: string[] = [];
    for (const certificate of [own, {}]) {
      const session = await sessionWith(port, certificate);
      said.push((await ask(port, 'POST', '/term', { ...certificate, session }, body)).body);
    }
    expect(said[0]).toContain('it resumed an earlier TLS session');
    expect(said[1]).toContain('it showed no certificate');
  });

  function sessionWith(port: number, certificate: ConnectionOptions): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...certificate }, () =>
        socket.write('GET /liveness HTTP/1.1\r\nhost: localhost\r\n\r\n'),
      );
      socket.on('error', reject);
      socket.once('session', (session: Buffer) => {
        resolve(session);
        socket.destroy();
      });
    });
  }
});
