import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BadInput } from '../../src/core/index.ts';
import { Election } from '../../src/election/index.ts';
import { leaseTimes } from '../../src/engines/lease/settings.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { nats } from '../../src/engines/nats/index.ts';
import { type EngineOptions, openEngine } from '../../src/engines/open.ts';
import { postgres } from '../../src/engines/postgres/index.ts';
import { shownUrl } from '../../src/engines/secrets.ts';
import { refusalOf } from '../support/refusal.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'caucus-open-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function refused(url: unknown, options?: unknown): Promise<string> {
  const error = await openEngine(url as string, options as EngineOptions).then(
    async (engine) => engine.close().then(() => new Error('it was taken')),
    (reason: unknown) => reason as Error,
  );
  expect(error).toBeInstanceOf(BadInput);
  return error.message;
}

describe('openEngine', () => {
  it.each([
    [undefined, 'nothing'],
    ['', '""'],
    [5, '5'],
    [null, 'null'],
    ['REDIS://h', 'REDIS://h'],
    ['mysql:u:geheim@h', 'mysql:***@h'],
    ['mysql://u:ge@he/im@h?password=geheim', 'mysql://***@h?***'],
    ['u:geheim@h', 'u:***@h'],
    ['geheim', '***'],
    [{ password: 'geheim' }, 'an object'],
  ])('refuses the URL %j in one sentence', async (url, found) => {
    const message = await refused(url);
    expect(message).toMatch(/^engine: expected a URL that begins with one of etcd:, /);
    expect(message.endsWith(`, found ${found}`), message).toBe(true);
    expect(message).not.toContain('geheim');
  });

  it('takes a URL object, and an engine that ends with its block', async () => {
    await using engine = await openEngine(new URL('redis://127.0.0.1:1'), { name: 'a', keyPrefix: 'x:' });
    expect(engine.name).toBe('a');
  });

  it.each([
    ['redis://h', { leaseMS: 3000 }, /^leaseMS: expected one of the fields name, leaseMs, .*, keyPrefix, /],
    ['etcd://h', { keyPrefix: 'x' }, /^keyPrefix: expected one of the fields .*rejectUnauthorized, found an/],
    ['postgres://h/d', { wait: 1 }, /^wait: expected one of the fields .* schema, table, ssl, listen, found/],
    ['nats://h', { buckets: 'x' }, /^buckets: expected one of the fields .* bucket, replicas, choria, /],
    ['caucus://h', {}, /^url: expected caucus:\/\/\[token@\]host:port/],
    [
      'caucus://geheim:x@h/p',
      {},
      /^url: expected nothing after the hosts, as in .*, found "caucus:\/\/\*\*\*@h\/\*\*\*"$/,
    ],
    ['caucus://@h:1', {}, /^url: expected a token before the @/],
    ['caucus://ge%heim@h:1', {}, /^url: expected a token in which % .*, found "caucus:\/\/\*\*\*@h:1"$/],
    ['caucus://geheim@h:1', { token: 'x' }, /^token: expected it or one in the URL, found both$/],
    [
      'caucus://h:1',
      { token: 'ge heim' },
      /^token: expected a token, as the tokens file of a member has it, found a text$/,
    ],
    ['caucus://h:1', { ca: '-----BEGIN' }, /^ca: expected to be given only with caucuss/],
    ['caucus://h:1', { leaseMs: 100 }, /^leaseMs: expected at least 500/],
    ['local:', { foo: 1 }, /^foo: expected one of the fields/],
    ['kubernetes:', { foo: 1 }, /^foo: expected one of the fields .* kubeconfig, /],
    ['redis://h', { name: 5 }, /^name: expected 1 to 200 visible characters/],
    ['redis://h', { clock: {} }, /^clock: expected an object with now\(\) and after\(\)/],
    ['redis://h', { leaseMs: '3000' }, /^leaseMs: expected a number/],
    ['redis://h', { maxDrift: '0.1' }, /^maxDrift: expected a number/],
    ['local:', { retryMs: '5' }, /^retryMs: expected a number/],
    ['nats://h', { authenticator: 'x' }, /^authenticator: expected a function/],
    ['redis://h', null, /^options: expected an object, found null/],
    ['etcd://h', [], /^options: expected an object/],
  ])('refuses for %s the options %j', async (url, options, message) => {
    expect(await refused(url, options)).toMatch(message);
  });
});

describe('the engines', () => {
  it('refuse a misspelt option wherever they are made', () => {
    const misspelt = { leaseMS: 5 } as object;
    expect(refusalOf(() => new Memory().engine(misspelt)).path).toBe('leaseMS');
    expect(refusalOf(() => postgres('postgres://h/d', misspelt)).path).toBe('leaseMS');
  });

  it('call the name of an election so', async () => {
    await using engine = nats('nats://127.0.0.1:1');
    expect(refusalOf(() => new Election('a b', engine)).path).toBe('election');
  });
});

describe('names of elections, as the guide lists them', () => {
  const bytes = 'ü'.repeat(500);
  const odd = 'a b*{}@%/ü';
  it.each([
    ['etcd://127.0.0.1:1', ['a', bytes, odd], ['', `${bytes}x`, 'a\nb']],
    ['postgres://u@127.0.0.1:1/d', ['a', bytes, odd], ['', `${bytes}x`, 'a\nb']],
    ['redis://127.0.0.1:1', ['a', bytes, 'a b*@%/ü'], ['', `${bytes}x`, 'a\nb', 'a{b']],
    ['nats://127.0.0.1:1', ['a', 'A-_/=.9', 'x'.repeat(200)], ['', 'x'.repeat(201), '.a', 'a..b', 'a.', 'ü']],
    ['caucus://127.0.0.1:1', ['a', 'A.-_9', 'x'.repeat(100)], ['', 'x'.repeat(101), 'a/b', 'ü', 'a b']],
    ['kubernetes:', ['a', 'a.b-9', 'x'.repeat(253)], ['', 'x'.repeat(254), 'A', '-a', 'a-', 'a_b']],
    [`local:${folder}`, ['a', 'A.-_9', 'x'.repeat(64)], ['', 'x'.repeat(65), 'a/b', 'ü']],
  ])('%s', async (url, taken, refusals) => {
    const options = url === 'kubernetes:' ? { server: 'http://127.0.0.1:1' } : {};
    await using engine = await openEngine(url, options);
    for (const name of taken) await engine.seat(name).close();
    for (const name of refusals) expect(refusalOf(() => engine.seat(name)).path, name).toBe('election');
  });
});

describe('times that leave no room for a renewal', () => {
  it.each([
    [{ leaseMs: 1000, callMs: 2000 }, 'callMs: expected at most 616'],
    [{ leaseMs: 1000, renewMs: 900 }, 'renewMs: expected at most 750'],
    [{ leaseMs: 1000, renewMs: 300, callMs: 800 }, 'renewMs: expected at most 150'],
    [{ leaseMs: 1000, renewMs: 300, callMs: 2000 }, 'callMs: expected at most 475'],
    [{ leaseMs: 1000, maxDrift: 0.5 }, 'maxDrift: expected at most 0.46'],
  ])('%j: what was set is blamed, and what is advised is taken', (options, message) => {
    const { message: found, path } = refusalOf(() => leaseTimes(options));
    expect(found).toMatch(new RegExp(`^${message}, so that a renewal ends before the lease`));
    const advised = Number(/at most ([\d.]+)/.exec(found)![1]);
    expect(leaseTimes({ ...options, [path]: advised }).leaseMs).toBe(1000);
  });
});

describe('an address for people', () => {
  it.each([
    ['etcd://h:1,i:2', 'etcd://h:1,i:2'],
    ['redis://u:p@h', 'redis://***@h'],
    ['postgres:u:p@h/d', 'postgres:***@h/d'],
    ['postgres://h/d?password=p', 'postgres://h/d?***'],
    ['kubernetes:team/', 'kubernetes:team/'],
    ['kubernetes:team/?token=t', 'kubernetes:***'],
    ['redis://h/0', 'redis://h/0'],
    ['redis://[::1]:1,h_2:2/0', 'redis://[::1]:1,h_2:2/0'],
    ['redis://u:p', 'redis://***'],
    ['etcd://h/p', 'etcd://h/***'],
    ['etcd://h#p', 'etcd://h#***'],
    ['local:/var/lib/jobs', 'local:/var/lib/jobs'],
  ])('%s is shown as %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
  });
});
