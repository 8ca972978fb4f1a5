/** A store that can be harmed. */
export interface Site {
  readonly name: string;
  /** Why it cannot be had here, or null. */
  readonly excuse: string | null;
  /** As short as the store allows. */
  readonly leaseMs: number;
  /** Where its servers listen; null where there is no server. */
  readonly ports: readonly number[] | null;
  /** Why nothing can be deleted behind the back of a leader; omitted where it can. */
  readonly cannotDelete?: string;
  /** What a participant is told that reaches the store by way of these ports. */
  way(ports: readonly number[]): { readonly url: string; readonly options?: object };
  stop(): Promise<void>;
  /** With its data. */
  restart(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Runs again, whatever was done to it. */
  recover(): Promise<void>;
  deleteElection(name: string): Promise<void>;
  close(): Promise<void>;
}
