/** The parts of a member's answers that the command reads. */
export interface StatusAnswer {
  readonly voterId: number | string;
  readonly voterUrl: string;
  readonly cluster: string;
  readonly electionName: string;
  readonly protocol: string;
  readonly role: string;
  readonly acting: boolean;
  readonly leader: number | string | null;
  readonly leaderUrl: string | null;
  readonly token: string | null;
  readonly expiresInMs?: number | null;
  readonly version: number;
  /** Whose votes count. */
  readonly knownVoters?: readonly (number | string)[];
  readonly voters: readonly { readonly voterId: number | string; readonly voterUrl: string }[];
  readonly cause: string;
  readonly detail: string;
  readonly illness: string | null;
}

export interface HistoryAnswer {
  readonly electionName: string;
  readonly history: readonly {
    readonly at: string;
    readonly leader: number | string | null;
    readonly token: string | null;
    readonly cause: string;
    readonly detail: string;
  }[];
}

export interface ValueAnswer {
  readonly version: number;
  readonly value: unknown;
}
