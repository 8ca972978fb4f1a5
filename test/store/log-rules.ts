/** What the log of many elections promises. Each rule is true if the given store keeps it. */
import type { GroupCommit, LogEntry, LogOwner, LogRecovery } from '../../src/store/index.ts';
import { UnsyncedFiles } from './files.ts';
import { LogFiles } from './log-files.ts';
import type { Loaded } from './mutate.ts';

type Store = Loaded['store'];

const owner: LogOwner = { cluster: 'c', id: 'a' };

export function entry(election: string, term: number, filler = ''): LogEntry {
  return { election, saved: { protocol: 'quorum', text: JSON.stringify({ term, filler }) } };
}

/** What a start finds, as terms by election; or why it refuses the file. */
export function found(store: Store, bytes: Uint8Array | null, by: LogOwner = owner): unknown {
  return shown(store.recoverLog(bytes, by, store.pureCoding));
}

function shown(recovery: LogRecovery): unknown {
  if (recovery.is === 'refused') return recovery.why;
  if (recovery.is === 'empty') return 'empty';
  return Object.fromEntries(
    [...recovery.records].map(([election, { text }]) => [
      election,
      (JSON.parse(text) as { term: number }).term,
    ]),
  );
}

/** A log in memory, with a group commit whose turns end when the test says so. */
export class Bench {
  readonly files: LogFiles;
  readonly calls: string[] = [];
  readonly answers: string[] = [];
  readonly commit: GroupCommit;
  readonly opened: unknown;
  #turn: (() => void)[] = [];

  constructor(store: Store, bytes: Uint8Array | null = null) {
    this.files = new LogFiles(bytes);
    this.files.onCall = (call) => this.calls.push(call);
    const log = new store.RecordLog(owner);
    this.opened = shown(log.open(this.files));
    this.commit = new store.GroupCommit(log, this.files, (work) => this.#turn.push(work));
  }

  get bytes(): Uint8Array | null {
    return this.files.read();
  }

  save(election: string, term: number, filler = ''): void {
    this.commit.save(entry(election, term, filler), (failure) =>
      this.answers.push(`${election} ${term} ${failure === null ? 'durable' : (failure as Error).message}`),
    );
  }

  endTurn(): void {
    const turn = this.#turn;
    this.#turn = [];
    for (const work of turn) work();
  }

  /** Until nothing is on its way. */
  settle(): void {
    for (let i = 0; i < 100; i++) {
      this.endTurn();
      if (this.files.syncing > 0) this.files.endSync();
    }
  }

  /** Saves these in one batch. */
  batch(...saves: readonly (readonly [election: string, term: number, filler?: string])[]): this {
    for (const [election, term, filler] of saves) this.save(election, term, filler);
    this.settle();
    return this;
  }
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The sectors of one state, but those that `isNew` names of the next. */
export function mixed(
  store: Store,
  before: Uint8Array,
  after: Uint8Array,
  isNew: (sector: number) => boolean,
): Uint8Array {
  const bytes = before.slice();
  for (let i = 0; i < after.length / store.SECTOR; i++) {
    const [from, to] = [i * store.SECTOR, (i + 1) * store.SECTOR];
    if (isNew(i)) bytes.set(after.subarray(from, to), from);
  }
  return bytes;
}

const RULES = {
  'the newest record of each election is found'(store: Store): boolean {
    const bench = new Bench(store).batch(['x', 1], ['y', 5]).batch(['x', 2]).batch(['z', 1], ['x', 3]);
    return same(found(store, bench.bytes), { x: 3, y: 5, z: 1 });
  },
  'of two records of an election in one batch the later one counts'(store: Store): boolean {
    const bench = new Bench(store).batch(['x', 1], ['x', 2]);
    return same(found(store, bench.bytes), { x: 2 }) && same(bench.answers, ['x 1 durable', 'x 2 durable']);
  },
  'a record is answered after its sync, never before'(store: Store): boolean {
    const bench = new Bench(store).batch(['x', 1]);
    bench.save('x', 2);
    bench.endTurn();
    const early = bench.answers.length;
    bench.files.endSync();
    return early === 1 && bench.answers.length === 2;
  },
  'records that are saved in one turn share one sync'(store: Store): boolean {
    const bench = new Bench(store).batch(['x', 1]);
    bench.calls.length = 0;
    bench.batch(['x', 2], ['y', 2], ['z', 2]);
    return same(bench.calls, ['write record', 'sync record']) && bench.answers.length === 4;
  },
  'records that come during a sync wait for the next batch'(store: Store): boolean {
    const bench = new Bench(store).batch(['x', 1]);
    bench.save('x', 2);
    bench.endTurn();
    bench.save('y', 7);
    bench.endTurn();
    bench.files.endSync();
    const early = bench.answers.includes('y 7 durable');
    bench.settle();
    return !early && same(found(store, bench.bytes), { x: 2, y: 7 }) && bench.answers.length === 3;
  },
  'a batch that failed is answered with the error, and the next one loses nothing'(store: Store): boolean {
    const bench = new Bench(store).batch(['x', 1], ['y', 1]);
    bench.save('x', 2);
    bench.endTurn();
    bench.files.endSync(new Error('EIO'));
    const told = bench.answers.at(-1) === 'x 2 EIO';
    bench.calls.length = 0;
    bench.batch(['x', 3]);
    const anew = same(bench.calls, ['write draft', 'sync draft', 'rename', 'sync-folder']);
    return told && anew && same(found(store, bench.bytes), { x: 3, y: 1 });
  },
  'a file that is full is made anew with all records'(store: Store): boolean {
    const bench = new Bench(store).batch(['first', 1]);
    for (let term = 1; term < 100; term++) bench.batch(['x', term, 'f'.repeat(3000)]);
    const anew = bench.calls.filter((call) => call === 'rename').length;
    const isDurable = bench.answers.every((answer) => answer.endsWith(' durable'));
    return anew === 2 && isDurable && same(found(store, bench.bytes), { first: 1, x: 99 });
  },
  'a new file is durable before it has its name, and then its name is'(store: Store): boolean {
    const { calls } = new Bench(store).batch(['x', 1]);
    return same(calls, ['read', 'write draft', 'sync draft', 'rename', 'sync-folder']);
  },
  'a batch that was cut short is dropped, whichever sectors were written'(store: Store): boolean {
    const bench = new Bench(store).batch(['x', 1]);
    const before = bench.bytes!;
    const after = bench.batch(['x', 2, 'f'.repeat(1200)], ['y', 2]).bytes!;
    const changed = Array.from({ length: after.length / store.SECTOR }, (_, i) => i).filter((i) =>
      after
        .subarray(i * store.SECTOR, (i + 1) * store.SECTOR)
        .some((byte, k) => byte !== before[i * store.SECTOR + k]),
    );
    for (let choice = 0; choice < 1 << changed.length; choice++) {
      const bytes = mixed(store, before, after, (i) => ((choice >> changed.indexOf(i)) & 1) === 1);
      const isWhole = choice === (1 << changed.length) - 1;
      const torn = mixed(store, before, bytes, (i) => changed.includes(i));
      if (!same(found(store, torn), isWhole ? { x: 2, y: 2 } : { x: 1 })) return false;
    }
    return changed.length > 2;
  },
  'what a cut batch has left is never appended to'(store: Store): boolean {
    const bench = new Bench(store).batch(['x', 1], ['y', 1]);
    const before = bench.bytes!;
    const after = bench.batch(['x', 2, 'f'.repeat(9000)]).bytes!;
    // Of its three pages the last one alone.
    const torn = mixed(store, before, after, (i) => i >= 24 && i < 32);
    const again = new Bench(store, torn).batch(['y', 2]);
    return again.calls.includes('rename') && same(found(store, again.bytes), { x: 1, y: 2 });
  },
  'a changed bit is damage, in whichever batch'(store: Store): boolean {
    const bytes = new Bench(store).batch(['x', 1]).batch(['x', 2]).batch(['x', 3]).bytes!;
    for (let at = 0; at < bytes.length; at += at < 13_000 ? 61 : 4099) {
      const flipped = bytes.slice();
      flipped[at]! ^= 1 << (at % 8);
      if (found(store, flipped) !== 'corrupt') return false;
    }
    return true;
  },
  'a file that was cut off is damage, wherever'(store: Store): boolean {
    const bytes = new Bench(store).batch(['x', 1]).batch(['x', 2]).bytes!;
    for (let length = 0; length < bytes.length; length += length < 9000 ? 1 : 512)
      if (found(store, bytes.subarray(0, length)) !== 'corrupt') return false;
    return true;
  },
  'a batch that was lost before another is damage'(store: Store): boolean {
    const states: Uint8Array[] = [];
    const bench = new Bench(store);
    for (let term = 1; term < 5; term++) states.push(bench.batch(['x', term]).bytes!);
    const perPage = store.PAGE / store.SECTOR;
    // The third batch is still empty, the fourth is there.
    const lost = mixed(store, states[3]!, states[1]!, (i) => Math.floor(i / perPage) === 2);
    return found(store, lost) === 'corrupt';
  },
  'a batch of an earlier file is not taken for the next one'(store: Store): boolean {
    const earlier = new Bench(store).batch(['x', 1]).batch(['x', 2]).batch(['x', 9]).bytes!;
    const bench = new Bench(store).batch(['x', 1]);
    const perPage = store.PAGE / store.SECTOR;
    const strange = mixed(store, bench.bytes!, earlier, (i) => Math.floor(i / perPage) === 2);
    return found(store, strange) === 'corrupt';
  },
  'the log of another member or cluster is refused'(store: Store): boolean {
    const { bytes } = new Bench(store).batch(['x', 1]);
    return [{ cluster: 'd' }, { id: 'b' }].every(
      (other) => found(store, bytes, { ...owner, ...other }) === 'foreign',
    );
  },
  'another version of the log is called so'(store: Store): boolean {
    const { bytes } = new Bench(store).batch(['x', 1]);
    const text = Buffer.from(bytes!).toString('latin1').replace('caucus-log/1', 'caucus-log/7');
    return found(store, new Uint8Array(Buffer.from(text, 'latin1'))) === 'version';
  },
  'what a start finds is made durable before it is used'(store: Store): boolean {
    const { bytes } = new Bench(store).batch(['x', 1]);
    return same(new Bench(store, bytes).calls, ['read', 'sync record', 'sync-folder']);
  },
  'what an earlier process was told not to be durable is written again before it is used'(
    store: Store,
  ): boolean {
    const bench = new Bench(store).batch(['x', 1]).batch(['y', 1]);
    const before = bench.bytes!;
    const seen = bench.batch(['x', 2, 'f'.repeat(9000)], ['y', 2]).bytes!;
    const files = new UnsyncedFiles(before, seen);
    new store.RecordLog(owner).open(files);
    return same(found(store, files.disk), { x: 2, y: 2 });
  },
  'a start goes on behind the last batch'(store: Store): boolean {
    const before = new Bench(store).batch(['x', 1]).batch(['y', 1]).bytes;
    const bench = new Bench(store, before).batch(['x', 2]);
    return !bench.calls.includes('rename') && same(found(store, bench.bytes), { x: 2, y: 1 });
  },
  'a save that cannot wait takes along all that wait, and answers each once'(store: Store): boolean {
    const bench = new Bench(store).batch(['w', 1]);
    bench.save('x', 1);
    bench.endTurn();
    bench.save('y', 1);
    bench.commit.saveNow();
    const answered = same(bench.answers, ['w 1 durable', 'x 1 durable', 'y 1 durable']);
    const kept = same(found(store, bench.bytes), { w: 1, x: 1, y: 1 });
    bench.settle();
    return (
      answered && kept && bench.answers.length === 3 && same(found(store, bench.bytes), { w: 1, x: 1, y: 1 })
    );
  },
  'nothing is written or renamed after the folder has another owner'(store: Store): boolean {
    const bench = new Bench(store).batch(['x', 1]);
    const before = bench.bytes!;
    bench.files.fails = { call: 'assert', error: new Error('taken') };
    bench.batch(['x', 2]);
    const refused = bench.answers.at(-1) === 'x 2 taken' && same([...bench.bytes!], [...before]);
    bench.save('x', 3); // After a failure the file is made anew.
    bench.endTurn();
    bench.files.fails = { call: 'assert', error: new Error('taken') };
    bench.files.endSync();
    return refused && bench.answers.at(-1) === 'x 3 taken' && same([...bench.bytes!], [...before]);
  },
  'nothing is renamed after it was closed'(store: Store): boolean {
    const bench = new Bench(store);
    bench.save('x', 1);
    bench.endTurn();
    bench.commit.close();
    bench.settle();
    return bench.bytes === null && bench.answers.length === 0;
  },
  'an election that the log keeps no longer is not found'(store: Store): boolean {
    const bench = new Bench(store).batch(['x', 1], ['y', 1]);
    bench.commit.save({ election: 'x', saved: null }, () => {});
    bench.settle();
    const dropped = same(found(store, bench.bytes), { y: 1 });
    return dropped && same(new Bench(store, bench.bytes).opened, { y: 1 });
  },
};

export type LogRuleName = keyof typeof RULES;

export const logRules: Readonly<Record<LogRuleName, (store: Store) => boolean>> = RULES;
