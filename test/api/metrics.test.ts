import { afterEach, describe, expect, it } from 'vitest';
import { ask, openMembers, settled, type TestMember, until } from './test-member.ts';

let members: TestMember[] = [];
afterEach(async () => {
  for (const member of members) await member.close();
  members = [];
});

const SAMPLE = /^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*\})? (\+Inf|NaN|-?[0-9.e+-]+)$/;

/** Reads the text format strictly: help, type, then the samples of that metric, each only once. */
function readMetrics(text: string): Map<string, number> {
  const values = new Map<string, number>();
  let current = '';
  const lines = text.split('\n');
  expect(lines.pop()).toBe('');
  for (let i = 0; i < lines.length; i++) {
    const help = /^# HELP ([a-z_]+) \S.*$/.exec(lines[i]!);
    if (help !== null) {
      current = help[1]!;
      expect(lines[++i]).toMatch(new RegExp(`^# TYPE ${current} (gauge|counter)$`));
      if (current.endsWith('_total')) expect(lines[i]).toContain('counter');
      continue;
    }
    const sample = SAMPLE.exec(lines[i]!);
    expect(sample, lines[i]).not.toBeNull();
    expect(sample![1]).toBe(current);
    const key = `${sample![1]}${sample![2] ?? ''}`;
    expect(values.has(key), key).toBe(false);
    values.set(key, sample![3] === '+Inf' ? Number.POSITIVE_INFINITY : Number(sample![3]));
  }
  return values;
}

const metricsOf = async (member: TestMember): Promise<Map<string, number>> => {
  const { text, headers } = await ask(member, 'GET', '/metrics');
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  return readMetrics(text);
};

const OF_MAIN = '{cluster="tests",election="main"}';

describe('GET /metrics', () => {
  it('tells who may act, with which token, and for how long', async () => {
    members = await openMembers(['solo'], {
      timing: { heartbeatMs: 50, timeoutMs: [500, 600], leaseMs: 450 },
    });
    const solo = await settled(members);
    const values = await metricsOf(solo);
    expect(values.get(`caucus_is_leader${OF_MAIN}`)).toBe(1);
    expect(values.get(`caucus_has_leader${OF_MAIN}`)).toBe(1);
    expect(values.get(`caucus_token${OF_MAIN}`)).toBe(solo.main.view.term);
    const left = values.get(`caucus_lease_seconds_left${OF_MAIN}`)!;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(0.45);
    expect(values.get('caucus_elections')).toBe(1);
    expect(values.get('caucus_healthy')).toBe(1);
    expect(values.get(`caucus_info{cluster="tests",member="solo",url="${solo.url}"}`)).toBe(1);
    solo.illness = 'the disk is full';
    expect((await metricsOf(solo)).get('caucus_healthy')).toBe(0);
  });

  it('has a lease without end where a protocol has none', async () => {
    members = await openMembers([1], { protocol: 'draw', timing: { heartbeatMs: 20, timeoutMs: [20, 40] } });
    const values = await metricsOf(await settled(members));
    expect(values.get(`caucus_lease_seconds_left${OF_MAIN}`)).toBe(Number.POSITIVE_INFINITY);
  });

  it('counts changes by cause, for every election, and never falls', async () => {
    members = await openMembers(['solo']);
    const solo = await settled(members);
    const second = solo.electionPort('second');
    for (let i = 0; i < 2; i++) {
      const term = second.view.term ?? 0;
      await until(second, () => second.acting && second.view.term! > term);
      await second.command({ type: 'resign' });
    }
    const of = (cause: string): string =>
      `caucus_leader_changes_total{cluster="tests",election="second",cause="${cause}"}`;
    const values = await metricsOf(solo);
    const counts = new Map<string, number>();
    for (const { cause } of second.history) counts.set(cause, (counts.get(cause) ?? 0) + 1);
    expect(counts.get('resigned')).toBe(2);
    expect(values.get(of('resigned'))).toBe(2);
    expect(values.get(of('won'))).toBe(counts.get('won'));
    expect((await metricsOf(solo)).get(of('resigned'))).toBe(2);
    expect(values.get('caucus_elections')).toBe(2);
  });

  it('counts what was refused, by kind', async () => {
    members = await openMembers(['solo']);
    const solo = members[0]!;
    await ask(solo, 'POST', '/nothing', {});
    await ask(solo, 'POST', '/heartbeat', '{');
    const values = await metricsOf(solo);
    expect(values.get('caucus_refusals_total{kind="unknown-type"}')).toBe(1);
    expect(values.get('caucus_refusals_total{kind="not-json"}')).toBe(1);
    expect(values.get('caucus_refusals_total{kind="too-large"}')).toBe(0);
  });

  it('tells of every peer what went to and fro', async () => {
    members = await openMembers(['solo']);
    const solo = members[0]!;
    const counts = { sent: 5, received: 4, dropped: 3, bytesSent: 200, bytesReceived: 100, queued: 2 };
    solo.links = [
      { id: 'b', url: 'http://b', via: 'link', roundTripMs: 0.25, ...counts },
      { id: 3, url: 'http://c', via: 'none', roundTripMs: null, ...counts },
    ];
    const values = await metricsOf(solo);
    expect(values.get('caucus_messages_sent_total{peer="b"}')).toBe(5);
    expect(values.get('caucus_messages_received_total{peer="b"}')).toBe(4);
    expect(values.get('caucus_messages_dropped_total{peer="3"}')).toBe(3);
    expect(values.get('caucus_bytes_sent_total{peer="b"}')).toBe(200);
    expect(values.get('caucus_bytes_received_total{peer="b"}')).toBe(100);
    expect(values.get('caucus_messages_queued{peer="b"}')).toBe(2);
    expect(values.get('caucus_peer_reachable{peer="b"}')).toBe(1);
    expect(values.get('caucus_peer_reachable{peer="3"}')).toBe(0);
    expect(values.get('caucus_round_trip_seconds{peer="b"}')).toBe(0.00025);
    expect(values.has('caucus_round_trip_seconds{peer="3"}')).toBe(false);
  });
});
