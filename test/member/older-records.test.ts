/** The disk refuses a record when a newer one is on its way: the newer one stays on the disk. */
import { fdatasync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Json, type MemberId, type Message, readSettings } from '../../src/core/index.ts';
import { ProtocolHost } from '../../src/host/index.ts';
import { openStore, type Store } from '../../src/member/data-folder.ts';
import { lookAtLog } from '../../src/member/log-file.ts';
import { type FileSystem, realFiles } from '../../src/member/record-file.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { VirtualClock } from './virtual.ts';

type Done = (failure: Error | null) => void;

let folder: string;
let store: Store;
/** Ends of syncs that the test holds back; null: none is held back. */
let held: Done[] | null = null;

const fs: FileSystem = {
  ...realFiles,
  syncSoon: (handle, done) => (held === null ? fdatasync(handle, done) : void held.push(done)),
};

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-older-'));
  store = await openStore(folder, 'c', 'b', 'main', fs);
});

afterEach(() => {
  held = null;
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The version of the register that the disk of b holds. */
function onDisk(): number {
  const found = lookAtLog(path.join(folder, 'records.log'), { cluster: 'c', id: 'b' });
  if (found.is !== 'log') throw new Error(`expected a log, found ${found.is}`);
  return (JSON.parse(found.records.get('x')!.text) as { register: { version: number } }).register.version;
}

it('a follower tells its leader of no version that its disk does not hold', async () => {
  const ids: readonly MemberId[] = ['a', 'b', 'c'];
  const clock = new VirtualClock();
  const election = store.election('x', 'quorum');
  const protocol = quorum.create({
    timing: readSettings(quorum.timing, {}, 'timing'),
    options: readSettings(quorum.options, {}, 'options'),
  });
  const hosts = new Map<MemberId, ProtocolHost>();
  const sent: (() => void)[] = [];
  /** By answers to heartbeats and publications. */
  let told = 0;
  const send = (from: MemberId, to: MemberId, message: Message): void => {
    const { age, type } = message as Message & { readonly age?: { readonly version: number } };
    if (from === 'b' && type.endsWith('/answer')) told = Math.max(told, age?.version ?? 0);
    sent.push(() => hosts.get(to)!.give({ type: 'message', from, message }));
  };
  let saving = 0;
  const save = (id: MemberId, record: Json, done: (failure: string | null) => void): void => {
    if (id !== 'b') return done(null);
    saving += 1;
    election.saveSoon!(record, (failure) => {
      saving -= 1;
      done(failure?.message ?? null);
    });
  };
  const settle = async (): Promise<void> => {
    do {
      for (const deliver of sent.splice(0)) deliver();
      await turn();
    } while (sent.length > 0 || (saving > 0 && held === null));
  };
  for (const id of ids) {
    const self = { id, members: ids, settings: { priority: 1 } };
    const host = new ProtocolHost(self, protocol, quorum.commands, {
      clock,
      fraction: () => 0.5,
      draw64: () => '0',
      send: (to, message) => send(id, to, message),
      save: (record, done) => save(id, record, done),
      stepped: () => {},
      reported: () => {},
      answered: () => {},
      changed: () => {},
    });
    hosts.set(id, host);
    host.start(protocol.genesis!(self), 1, `life of ${id}`);
  }
  const publish = async (value: string): Promise<void> => {
    hosts.get('a')!.command(1, { type: 'publish', value });
    await settle();
    expect(hosts.get('c')!.view.value).toBe(value);
  };
  clock.advance(1501); // They help no candidate for as long as an earlier process may have promised to.
  hosts.get('a')!.command(1, { type: 'campaign' });
  await settle();
  await publish('one');
  const first = onDisk();

  held = [];
  await publish('two');
  await publish('three');
  const [syncing] = held;
  held = null;
  syncing!(new Error('EIO: i/o error, fdatasync'));
  for (let passedMs = 0; passedMs < 3000; passedMs += 100) {
    clock.advance(100);
    await settle();
  }
  expect(hosts.get('a')!.acting).toBe(true);
  expect(hosts.get('b')!.illness).toBeNull();
  // Otherwise a majority with b would commit what b forgets when it crashes.
  expect(told).toBe(first + 2);
  expect(onDisk()).toBe(told);
});
