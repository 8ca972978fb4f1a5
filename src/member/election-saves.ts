import type { Json } from '../core/index.ts';
import type { ElectionStore } from './election-records.ts';
import type { Surroundings } from './surroundings.ts';

export type Saves = Pick<Surroundings, 'save' | 'saveSoon' | 'settle' | 'blocks'>;

/**
 * How an election saves its records. `flush` is called before a save that blocks, and `saved` with every record that is
 * durable, before what depends on it leaves. `mayBlock`: a record is saved by `save` as long as this holds and none is
 * on its way.
 */
export function savesOf(
  { save, saveSoon, settle }: ElectionStore,
  flush: (() => void) | undefined,
  saved: (record: Json) => void,
  mayBlock: () => boolean,
): Saves {
  const savesNow: Pick<Surroundings, 'save'> = {
    save: (record) => {
      flush?.();
      try {
        save(record);
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
      saved(record);
      return null;
    },
  };
  if (saveSoon === undefined || settle === undefined) return savesNow;
  let underWay = 0;
  return {
    ...savesNow,
    blocks: () => underWay === 0 && mayBlock(),
    saveSoon: (record, done) => {
      underWay += 1;
      saveSoon(record, (failure) => {
        underWay -= 1;
        if (failure === null) saved(record);
        done(failure?.message ?? null);
      });
    },
    settle,
  };
}
