import { hostOf } from '../api/index.ts';
import { type Resolve, seedUrls } from './seeds.ts';

export interface DiscoveryOptions {
  readonly host: string;
  readonly scheme?: 'http' | 'https';
  /** What makes a URL with each address of the host: `:7100`, `/voter`, `:7100/voter` or `/`. */
  readonly url: string;
  readonly everyMs: number;
  /** Looks up the addresses of a name (default: the system's resolver; tests pass their own). */
  readonly resolve?: Resolve | undefined;
  /** Called with the URLs of the seed before anything else: one of them may be this member's own. */
  onCandidates?(urls: readonly string[], signal: AbortSignal): Promise<void>;
  /** Called for every address that the seed resolves to. */
  onAddress(host: string): void;
  /** All URLs that the seed stands for now. One may be this member's own. */
  onSeeds(urls: readonly string[]): void;
  /** True if this member has met another voter. */
  isFound(): boolean;
  log(message: string): void;
}

/** A member that has met others looks less often: addresses change, and separated groups have to find each other. */
const SELDOM = 10;

/**
 * Looks up the addresses of a host name (seed 002): at every heartbeat until this member has met another voter, and
 * less often afterwards. What is done with the addresses is the protocol's business: it registers there.
 */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #complaint = '';
  /** When it last looked; null while it looks. */
  #lookedAtMs: number | null = null;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    void this.#try();
  }

  close(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  /** A voter has come that the addresses do not tell of: they may have changed. At most once per heartbeat. */
  lookAgain(): void {
    const { everyMs } = this.#options;
    if (this.#lookedAtMs === null || performance.now() - this.#lookedAtMs < everyMs) return;
    clearTimeout(this.#timer);
    void this.#try();
  }

  async #try(): Promise<void> {
    this.#lookedAtMs = null;
    const urls = await this.#addresses();
    if (this.#stop.signal.aborted) return;
    this.#lookedAtMs = performance.now();
    const { onSeeds, isFound, everyMs } = this.#options;
    if (urls !== null) onSeeds(urls);
    this.#timer = setTimeout(() => void this.#try(), isFound() ? SELDOM * everyMs : everyMs);
  }

  async #addresses(): Promise<string[] | null> {
    const { host, url, scheme = 'http', resolve, onAddress, onCandidates } = this.#options;
    try {
      const urls = await seedUrls({ host, url, scheme }, resolve);
      this.#complaint = '';
      for (const each of urls) onAddress(hostOf(each));
      await onCandidates?.(urls, this.#stop.signal);
      return urls;
    } catch (error) {
      this.#complain(`the seed ${host} cannot be resolved: ${(error as Error).message}`);
      return null;
    }
  }

  /** The same complaint is logged once, not at every heartbeat. */
  #complain(complaint: string): void {
    if (complaint === this.#complaint) return;
    this.#complaint = complaint;
    this.#options.log(complaint);
  }
}
