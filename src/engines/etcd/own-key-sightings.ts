import type { ResignationRequest } from '../../election/index.ts';
import type { Check } from './place.ts';
import type { KeyToRenew } from './renewals.ts';
import type { Session } from './session.ts';
import type { EtcdGrant } from './store.ts';

/** When we saw our key: etcd's revision, and the renewal before it. */
interface Sighting {
  readonly revision: bigint;
  readonly sentMs: number;
}

/** What we know of the key with which we lead an election, and what is read to know it. */
export class OwnKeySightings {
  /** A request to resign the leadership with this token. */
  request: ResignationRequest | null = null;
  /** Counts events that suggest that our key is gone. An answer that was in flight at such an event proves nothing. */
  doubts = 0;
  /** Null if something suggests that the key is gone. */
  #last: Sighting | null = null;
  readonly #isWatching: () => boolean;
  readonly #distrust: () => void;

  /** `distrust`: the watch has missed something. */
  constructor(isWatching: () => boolean, distrust: () => void) {
    this.#isWatching = isWatching;
    this.#distrust = distrust;
  }

  doubt(): void {
    this.#last = null;
    this.doubts += 1;
  }

  onSeen(sighting: Sighting, doubts: number): void {
    if (this.doubts === doubts) this.#last = sighting;
  }

  keyOf(grant: EtcdGrant): KeyToRenew {
    const { place, token } = grant;
    const { session } = place;
    return {
      grant,
      mustCheck: () => this.#mustCheck(session),
      beginCheck: () => this.#beginCheck(grant),
      renewed: () => {
        const isAsked = this.request?.token === token;
        const request = isAsked ? { asked: this.request!.reason } : {};
        return { token, place, askedMs: session.sentMs, ...request };
      },
    };
  }

  /**
   * The watch reports a deleted key, but the watch may be dead without our knowing. So we check our key after every
   * renewal that shows another revision than our last check; if nothing was written to etcd, there is nothing to
   * check.
   */
  #mustCheck({ sentMs, revision, isShaky }: Session): boolean {
    if (this.#last === null) return true;
    if (sentMs <= this.#last.sentMs) return false;
    return revision !== this.#last.revision || isShaky || !this.#isWatching();
  }

  /** Also finds requests to resign that the watch has missed. */
  #beginCheck({ place, token }: EtcdGrant): (check: Check) => boolean {
    const wasTold = this.#last === null;
    const { doubts } = this;
    const { sentMs } = place.session;
    return ({ isThere, asked, revision }) => {
      const isNews = asked !== null && this.request?.token !== token;
      if (!wasTold && (!isThere || isNews)) this.#distrust();
      if (isNews) this.request = { token, reason: asked };
      if (isThere) this.onSeen({ revision, sentMs }, doubts);
      return isThere;
    };
  }
}
