import type { SelfReport } from '../api/index.ts';
import type { Store } from './data-folder.ts';
import type { Elections } from './elections.ts';
import type { Settled } from './options.ts';
import type { RefusalLog } from './refusal-log.ts';
import { configInForce } from './retiming.ts';
import { settingsOf } from './rules.ts';
import type { Unreachable } from './unreachable.ts';
import { LoopLag, timedStore, WorstOfMinute } from './vitals.ts';

/** What a member observes of itself while it runs. */
export class SelfWatch {
  readonly #lag = new LoopLag();
  readonly #saves = new WorstOfMinute();

  /** The same store, whose saves are measured. */
  timed(store: Store): Store {
    return timedStore(store, this.#saves);
  }

  /** What `/diagnosis` tells of this process. Of secrets only the fingerprints. */
  report(
    settled: Settled,
    { retimed }: Pick<Elections, 'retimed'>,
    store: Store,
    unreachable: Unreachable,
    refusals: RefusalLog,
  ): SelfReport {
    const { keeps } = store.member;
    return {
      ...settingsOf(settled.definition, configInForce(settled, retimed)),
      isRetimed: retimed !== null,
      authentication: authenticationOf(settled),
      hasDataFolder: keeps,
      loop: this.#lag.recent,
      ...(keeps ? { saves: this.#saves.at(performance.now()) } : {}),
      problems: unreachable.problems,
      recentRefusals: refusals.recent,
    };
  }

  close(): void {
    this.#lag.close();
  }
}

function authenticationOf({ secret, tls }: Settled): NonNullable<SelfReport['authentication']> {
  const secrets = secret.secrets?.list.map(({ fingerprint }) => fingerprint) ?? [];
  if (tls === null) return { by: secrets.length > 0 ? 'secret' : 'nothing', secrets };
  return { by: secrets.length > 0 ? 'both' : 'certificates', secrets };
}
