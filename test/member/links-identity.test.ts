import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ownProcess } from '../../src/member/evidence.ts';
import { LocalSocket } from '../../src/member/links/local-socket.ts';
import { start, startCluster, startProxy } from '../support/link-bed.ts';
import { count, introduce, type Linked, until } from '../support/linked.ts';

const NOWHERE = 'http://127.0.0.1:9';

const kinds = ({ refused }: Linked): string[] => refused.map(({ kind }) => kind);

describe('who is at the other end of a link', () => {
  it('is told with everything that the process said of itself', async () => {
    const process = { bootId: 'boot', pidNamespace: 'pid:[1]', pid: 77, startTime: '12345' };
    const one = await start(1);
    const two = await start(2, {}, { process });
    introduce([one, two]);
    await until('up', () => one.peers.length === 1);
    const { localSocket, ...said } = one.peers[0]!;
    expect(said).toEqual(two.identity);
    expect(localSocket).toMatch(/^caucus-[0-9a-f]{32}$/);
  });

  it('is refused on both sides if it belongs to another cluster', async () => {
    const one = await start(1);
    const two = await start(2, {}, { cluster: 'other' });
    introduce([one, two]);
    await until('both are told', () => one.refused.length > 0 && two.refused.length > 0);
    expect(one.refused[0]).toMatchObject({ kind: 'other-cluster' });
    expect(two.refused[0]!.reason).toMatch(/belongs to the cluster "other".*"test"|"test".*"other"/);
    expect([...one.events, ...two.events]).toEqual([]);
    expect(one.status(2).via).toBe('none');
  });

  it('is refused if it is not one of the peers', async () => {
    const one = await start(1);
    const two = await start(2);
    one.links.setPeers([]);
    two.links.setPeers([{ id: 1, url: one.url }]);
    await until('both are told', () => one.refused.length > 0 && two.refused.length > 0);
    expect(one.refused[0]).toMatchObject({ kind: 'unknown-member' });
    expect(one.refused[0]!.reason).toContain(`member 2 at ${two.url}`);
    expect(kinds(two)).toEqual(['unknown-member']);
  });

  it('is refused if another was expected at that URL', async () => {
    const one = await start(1);
    const three = await start(3);
    three.links.setPeers([{ id: 1, url: one.url }]);
    one.links.setPeers([{ id: 2, url: three.url }]);
    await until('told', () => one.refused.some(({ reason }) => reason.includes('should be member 2')));
    expect(one.events).toEqual([]);
  });

  it('is refused if it is this very member', async () => {
    const one = await start(1);
    one.links.setPeers([{ id: 2, url: one.url }]);
    await until('told', () => one.refused.length > 0);
    expect(one.refused[0]).toMatchObject({ kind: 'same-id' });
    expect(one.refused[0]!.reason).toContain('leads back to member 1 itself');
  });

  it('is refused if it has our own id', async () => {
    const one = await start(1);
    const other = await start(1);
    one.links.setPeers([{ id: 2, url: other.url }]);
    await until('both are told', () => one.refused.length > 0 && other.refused.length > 0);
    expect([...kinds(one), ...kinds(other)]).toEqual(['same-id', 'same-id']);
    expect(one.refused[0]!.reason).toContain('two live processes say that they are member 1');
  });

  it('is the old process as long as that answers: the newcomer, the old one and the witness are all told', async () => {
    const [one, two] = await startCluster(2);
    const twin = await start(2);
    twin.links.setPeers([{ id: 1, url: one!.url }]);
    await until('all are told', () => [one!, two!, twin].every(({ refused }) => refused.length > 0));
    for (const each of [one!, two!, twin]) {
      expect(each.refused[0]).toMatchObject({ kind: 'same-id' });
      expect(each.refused[0]!.reason).toContain(two!.url);
      expect(each.refused[0]!.reason).toContain(twin.url);
    }
    one!.links.send(2, 'e', count(1));
    await until('the old one hears', () => two!.heard.length === 1);
    expect(one!.events).toHaveLength(1);
    expect(twin.events).toEqual([]);
  });

  it('is the new process if the old one is gone without a word, and the old one again when that is gone', async () => {
    const one = await start(1, { probeMs: 100 });
    const old = await start(2);
    const proxy = await startProxy(old.url);
    one.links.setPeers([{ id: 2, url: proxy.url }]);
    old.links.setPeers([{ id: 1, url: NOWHERE }]); // So that it cannot dial past the tunnel.
    await until('up', () => one.events.length === 1);
    proxy.freeze();

    const fresh = await start(2);
    fresh.links.setPeers([{ id: 1, url: one.url }]);
    fresh.links.send(1, 'e', count(5));
    await until('replaced', () => one.events.length === 3 && one.heard.length === 1);
    expect(one.events.slice(1)).toEqual([
      `down 2 (${old.identity.incarnation}): another process took its place`,
      `up 2 (${fresh.identity.incarnation})`,
    ]);
    expect(one.refused).toEqual([]);

    // Both live. The one that is connected stays, and the other is told why it is not wanted.
    proxy.restore();
    one.links.setPeers([{ id: 2, url: fresh.url }]);
    old.links.setPeers([]);
    old.links.setPeers([{ id: 1, url: one.url }]);
    await until('the old one is told', () => old.refused.length > 0);
    expect(old.refused[0]!.reason).toContain('two live processes say that they are member 2');
    expect(one.events).toHaveLength(3);

    await fresh.stop();
    old.links.setPeers([]);
    old.links.setPeers([{ id: 1, url: one.url }]);
    await until('the old one is back', () => one.events.length === 5);
    expect(one.events[4]).toBe(`up 2 (${old.identity.incarnation})`);
  });

  it('may be a member whose id is a word', async () => {
    const members = [await start('alpha'), await start('beta'), await start(7)];
    introduce(members);
    await until('up', () => members.every(({ events }) => events.length === 2));
    members[0]!.links.send(7, 'e', count(1));
    await until('heard', () => members[2]!.heard.length === 1);
    expect(members[2]!.heard[0]!.from).toBe('alpha');
  });
});

describe('the process at the other end of a link', () => {
  const process = ownProcess();

  it('shows that it runs on this kernel, each time a link comes up', async () => {
    const [one, two] = [await start(1, {}, { process }), await start(2, {}, { process })];
    introduce([one, two]);
    await until('both have met', () => one.locals.length === 1 && two.locals.length === 1);
    expect([one.locals, two.locals]).toEqual([[two.identity.life], [one.identity.life]]);
    two.links.setPeers([]);
    await until('down', () => one.events.length === 2);
    introduce([one, two]);
    await until('both have met again', () => one.locals.length === 2 && two.locals.length === 2);
  });

  it('is not asked to if it says itself that it runs elsewhere', async () => {
    const elsewhere = { ...process!, bootId: '00000000-0000-0000-0000-000000000000' };
    const one = await start(1, {}, { process });
    const others = [await start(2, {}, { process: elsewhere }), await start(3, {}, { process: null })];
    introduce([one, ...others]);
    const near = await start(4, {}, { process });
    introduce([one, ...others, near]);
    await until('the neighbour has met', () => one.locals.length > 0);
    expect(one.locals).toEqual([near.identity.life]);
    expect(others.map(({ locals }) => locals)).toEqual([[], []]);
  });

  it('confirms no token that it did not draw, or of a connection that is closed', async () => {
    const local = new LocalSocket();
    const socket = connect(`\0${local.name}`);
    const token = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    );
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(local.drew(token)).toBe(true);
    expect(local.drew('0'.repeat(32))).toBe(false);
    socket.destroy();
    await until('forgotten', () => !local.drew(token));
    local.close();
  });
});
