import type { Json } from '../core/index.ts';
import type { ElectionStore } from './election-records.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * How an election saves its records. `flush` is called before a save that blocks, and `saved` with every record that is
 * durable, before what depends on it leaves.
 */
export function savesOf(
  { save, saveSoon, settle }: ElectionStore,
  flush: (() => void) | undefined,
  saved: (record: Json) => void,
): Pick<Surroundings, 'save' | 'saveSoon' | 'settle'> {
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
  return {
    ...savesNow,
    saveSoon: (record, done) =>
      saveSoon(record, (failure) => {
        if (failure === null) saved(record);
        done(failure?.message ?? null);
      }),
    settle,
  };
}
