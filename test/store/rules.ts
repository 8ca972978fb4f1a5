/** What no run of a simulated cluster can show to be broken. Each rule is true if the given store keeps it. */
import type { Json } from '../../src/core/index.ts';
import type { Owner, Recovery } from '../../src/store/index.ts';
import { Files, UnsyncedFiles } from './files.ts';
import type { Loaded } from './mutate.ts';

type Store = Loaded['store'];

const owner: Owner = { cluster: 'c', id: 'a', election: 'main', protocol: 'quorum' };

/** The bytes of a file after each of these records. */
function history(store: Store, records: readonly Json[]): Uint8Array[] {
  const files = new Files();
  const writer = new store.RecordStore(owner);
  return records.map((record) => {
    for (const step of writer.plan(record).steps) store.perform(step, files);
    return files.read()!;
  });
}

function found(store: Store, bytes: Uint8Array, by: Owner = owner): Recovery {
  return new store.RecordStore(by).open(new Files(bytes));
}

function whyOf(recovery: Recovery): string | null {
  return recovery.is === 'refused' ? recovery.why : null;
}

const TERMS = [1, 2, 3, 4, 5].map((term) => ({ term }));

const RULES = {
  'a record of another is refused'(store: Store): boolean {
    const bytes = history(store, TERMS).at(-1)!;
    return [{ cluster: 'd' }, { id: 'b' }, { election: 'x' }, { protocol: 'draw' }].every(
      (other) => whyOf(found(store, bytes, { ...owner, ...other })) === 'foreign',
    );
  },
  'another version is called so'(store: Store): boolean {
    const text = '{"format":"caucus-record/77","cluster":"c"}\n{"term":1}\n';
    return whyOf(found(store, new Uint8Array(Buffer.from(text)))) === 'version';
  },
  'a gap between the copies is refused'(store: Store): boolean {
    const states = history(store, TERMS);
    const bytes = states[4]!.slice();
    bytes.set(states[1]!.subarray(0, store.PAGE), 0);
    return whyOf(found(store, bytes)) === 'corrupt';
  },
  'what an earlier process was told not to be durable is written again before it is used'(
    store: Store,
  ): boolean {
    const states = history(store, TERMS);
    return [2, 3, 4].every((i) => {
      const files = new UnsyncedFiles(states[i - 1]!, states[i]!);
      const given = new store.RecordStore(owner).open(files);
      const left = found(store, files.disk);
      return given.is === 'record' && left.is === 'record' && left.sequence === given.sequence;
    });
  },
  'both copies of a large record must be whole'(store: Store): boolean {
    const [one, other] = [1, 2].map((n) => history(store, [{ text: String(n).repeat(6000) }])[0]!);
    const bytes = one!.slice();
    bytes.set(other!.subarray(0, store.SECTOR), 0);
    return whyOf(found(store, bytes)) === 'corrupt' && whyOf(found(store, one!)) === null;
  },
};

export type RuleName = keyof typeof RULES;

export const rules: Readonly<Record<RuleName, (store: Store) => boolean>> = RULES;
