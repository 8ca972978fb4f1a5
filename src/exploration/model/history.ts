import { addId, assertNever, canonicalText, type MemberId, type Property } from '../../core/index.ts';
import {
  type Finding,
  growingTerms,
  majorityBehindWins,
  oneName,
  oneValue,
  oneVote,
  oneWinner,
  type Process,
} from '../../properties/index.ts';
import { Interner } from './interner.ts';
import { Learned, type Lessons } from './lessons.ts';
import type { Mark } from './marks.ts';
import { Memo } from './memo.ts';

/**
 * As much of the past as the properties need, and no more: each item multiplies the states. Keys have a term and, if
 * a second name matters, a member: "3" or "3 2".
 */
interface Past {
  readonly won: Readonly<Record<string, readonly MemberId[]>>;
  readonly votes: Readonly<Record<string, MemberId>>;
  readonly named: Readonly<Record<string, MemberId>>;
  /** Votes that reached a candidate that has not won with them yet; unless they can be found among the messages. */
  readonly counted: Readonly<Record<string, readonly MemberId[]>>;
  /** The value of each version, as text. */
  readonly values: Readonly<Record<string, string>>;
  /** The members that have led, in a protocol without terms. */
  readonly led: readonly MemberId[];
}

const NOTHING: Past = { won: {}, votes: {}, named: {}, counted: {}, values: {}, led: [] };

/** The history after a list of marks, and the properties that they break. */
interface Next {
  readonly past: number;
  readonly findings: readonly Finding[];
}

/** What the history depends on besides the members. */
export interface Surroundings {
  /** Every vote that was ever cast stays in flight. */
  readonly keepsVotes: boolean;
  /** A member may lose its disk, and vote again in an earlier term. */
  readonly losesDisks: boolean;
}

/**
 * S1, S2, S3, S4, S9 and R1 over whole histories: the memory that the judgements of `src/properties` need, packed as
 * small as possible. Histories and lists of marks are referred to by number.
 */
export class Histories {
  readonly pasts: Interner<Past> = new Interner();
  readonly marks: Interner<readonly Mark[]> = new Interner();
  /** By history and list of marks: the number of what comes next. */
  readonly #next = new Memo();
  readonly #nexts: Next[] = [];
  readonly #members: readonly MemberId[];
  readonly #watched: ReadonlySet<Property>;
  readonly #lessons: Lessons;
  /** Votes are counted as they arrive. Otherwise they are found among the messages, which stay there for ever. */
  readonly #counts: boolean;
  readonly #forgetsVotes: boolean;
  readonly #since = new Memo();

  constructor(
    members: readonly MemberId[],
    watched: ReadonlySet<Property>,
    lessons: Lessons,
    { keepsVotes, losesDisks }: Surroundings,
  ) {
    this.#members = members;
    this.#watched = watched;
    this.#lessons = lessons;
    this.#counts = !keepsVotes && watched.has('S4');
    this.#forgetsVotes = lessons.memory === null && !losesDisks;
    this.pasts.id(NOTHING); // Number 0.
    this.marks.id([]); // Number 0: a step that leaves no mark.
  }

  after(past: number, marks: number): Next {
    const known = this.#next.get(past, marks);
    if (known >= 0) return this.#nexts[known]!;
    const findings: Finding[] = [];
    const after = this.marks
      .value(marks)
      .reduce((each, mark) => this.#apply(each, mark, findings), this.pasts.value(past));
    const next = { past: this.pasts.id(after), findings };
    this.#next.set(this.#nexts.length, past, marks);
    this.#nexts.push(next);
    return next;
  }

  /**
   * Without what only terms before `oldest` can contradict. All members have reported that term or a newer one, so no
   * member wins or names a leader in an older one without going back, which is detected.
   */
  since(past: number, oldest: number): number {
    let next = this.#since.get(past, oldest);
    if (next < 0) {
      const { won, named, ...rest } = this.pasts.value(past);
      const isDue = (key: string): boolean => Number(key) >= oldest;
      next = this.pasts.id({
        ...rest,
        won: onlyWith(won, isDue),
        named: onlyWith(named, isDue),
      });
      this.#since.set(next, past, oldest);
    }
    return next;
  }

  /** Has this member won this term before? */
  hasWon(past: number, member: MemberId, term: number): boolean {
    return this.pasts.value(past).won[term]?.includes(member) ?? false;
  }

  /** Have two members led, one after the other or at once? */
  hasTwoLeaders(past: number): boolean {
    const { won, led } = this.pasts.value(past);
    return new Set([...Object.values(won).flat(), ...led]).size > 1;
  }

  #apply(past: Past, mark: Mark, findings: Finding[]): Past {
    switch (mark.kind) {
      case 'counted':
        return this.#count(past, mark);
      case 'voted':
        return this.#vote(past, mark, findings);
      case 'reported':
        return this.#report(past, mark, findings);
      case 'went-back': {
        const { member: by, from, to } = mark;
        if (!mark.lost) this.#remember('a member went back to an older term');
        if (this.#watched.has('S3')) note(findings, growingTerms.judge({ by, term: from }, { by, term: to }));
        return past;
      }
      case 'won':
        return mark.term === null
          ? this.#lead(past, mark.member)
          : this.#win(past, mark, mark.term, findings);
      case 'showed':
        return this.#show(past, mark, findings);
      default:
        return assertNever(mark);
    }
  }

  /** Each voter counts once. */
  #count(past: Past, { voter, candidate, term }: Extract<Mark, { kind: 'counted' }>): Past {
    if (!this.#counts) return past;
    if (past.won[term]?.includes(candidate)) return past;
    const key = `${term} ${candidate}`;
    const voters = [...(past.counted[key] ?? [])];
    return addId(voters, voter) ? { ...past, counted: { ...past.counted, [key]: voters } } : past;
  }

  #vote(past: Past, mark: Omit<Extract<Mark, { kind: 'voted' }>, 'kind'>, findings: Finding[]): Past {
    if (!this.#watched.has('S2')) return past;
    const { voter, candidate, term, late } = mark;
    if (late) this.#remember('a vote was cast in an older term');
    const key = `${term} ${voter}`;
    const first = past.votes[key];
    if (first === undefined) return { ...past, votes: { ...past.votes, [key]: candidate } };
    note(findings, oneVote.judge({ voter, candidate: first, term }, { voter, candidate, term }));
    return past;
  }

  #report(
    past: Past,
    { member, leader, term }: Extract<Mark, { kind: 'reported' }>,
    findings: Finding[],
  ): Past {
    // Votes that were counted for a term that the candidate has left can justify nothing any more; and a member that
    // keeps its disk and never votes late contradicts no vote of a term that it has left.
    const isDue = (key: string): boolean => {
      const [of, about] = key.split(' ');
      return about !== String(member) || Number(of) >= term;
    };
    const votes = this.#forgetsVotes ? onlyWith(past.votes, isDue) : past.votes;
    const kept = { ...past, votes, counted: onlyWith(past.counted, isDue) };
    if (leader === null || !this.#watched.has('S9')) return kept;
    const first = past.named[term];
    if (first === undefined) return { ...kept, named: { ...past.named, [term]: leader } };
    note(findings, oneName.judge({ by: null, leader: first, term }, { by: member, leader, term }));
    return kept;
  }

  #lead(past: Past, member: MemberId): Past {
    const led = [...past.led];
    return addId(led, member) ? { ...past, led } : past;
  }

  #show(
    past: Past,
    { member, version, value }: Extract<Mark, { kind: 'showed' }>,
    findings: Finding[],
  ): Past {
    if (!this.#watched.has('R1')) return past;
    const text = canonicalText(value);
    const first = past.values[version];
    if (first === undefined) return { ...past, values: { ...past.values, [version]: text } };
    note(findings, oneValue.judge({ by: null, version, text: first }, { by: member, version, text }));
    return past;
  }

  #win(past: Past, mark: Extract<Mark, { kind: 'won' }>, term: number, findings: Finding[]): Past {
    const { member, voters } = mark;
    const winners = [...(past.won[term] ?? [])];
    const first = winners[0];
    if (!addId(winners, member)) return past;
    const who = processOf(member);
    if (first !== undefined && this.#watched.has('S1'))
      note(findings, oneWinner.judge({ who: processOf(first), term }, { who, term }));
    const won = { ...past, won: { ...past.won, [term]: winners } };
    // A winner votes for itself.
    const voted = this.#vote(won, { voter: member, candidate: member, term, late: false }, findings);
    if (!this.#counts) return voted;
    const { [`${term} ${member}`]: helpers = [], ...counted } = voted.counted;
    note(findings, majorityBehindWins.judge({ who, term, voters: voters ?? this.#members, helpers }));
    return { ...voted, counted };
  }

  /** What was dropped so far might have mattered. */
  #remember(memory: string): void {
    if (this.#lessons.memory === null) throw new Learned({ ...this.#lessons, memory });
  }
}

/**
 * A member has one process at a time here, and its lives are not distinguished: states that differ only in them stay
 * equal.
 */
export function processOf(member: MemberId): Process {
  return { name: member, id: member, life: '' };
}

function note(findings: Finding[], finding: Finding | null): void {
  if (finding !== null) findings.push(finding);
}

function onlyWith<T>(
  record: Readonly<Record<string, T>>,
  isKept: (key: string) => boolean,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => isKept(key)));
}
