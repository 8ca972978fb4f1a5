import {
  addId,
  type Effect,
  type Input,
  type MemberId,
  type Message,
  majority,
  type Protocol,
  type Self,
} from '../../src/core/index.ts';

/** What can be wrong with it. */
export interface TenancyBugs {
  /** The lease is measured from the answer that completed the majority, and not from the question. */
  readonly fromReceipt?: boolean;
  /** Members promise for less time than the leader counts on. */
  readonly shortPromise?: boolean;
  /** A member that starts again does not wait out what it may have promised. */
  readonly forgetful?: boolean;
  /** Answers to an earlier question count. */
  readonly anyRound?: boolean;
  /** Answers to the question of the same number in an earlier life count. */
  readonly anyLife?: boolean;
}

interface State {
  readonly id: MemberId;
  readonly others: readonly MemberId[];
  role: 'idle' | 'asking' | 'leader';
  /** The start of this process, and how many questions it has asked since: together they name a question. */
  life: number;
  round: number;
  grants: MemberId[];
  /** To whom, while the timer `promise` runs; 0 for what it may have promised before it started. */
  promise: MemberId | null;
}

/** Of `ask` and `grant` alike: which question it is about. */
type Question = Message & { readonly life: number; readonly round: number };

const LEASE_MS = 100;

/**
 * Not an election to use: the smallest thing with a lease. Whoever wants to lead asks all others; each promises to help
 * nobody else for a while; with a majority the asker may act while its lease runs, which it set when it asked.
 */
export function tenancy(bugs: TenancyBugs = {}): Protocol {
  const promiseMs = bugs.shortPromise ? LEASE_MS - 1 : LEASE_MS;

  function step(s: State, input: Input, out: Effect[]): void {
    switch (input.type) {
      case 'start':
        s.life = bugs.anyLife ? 1 : input.incarnation;
        report(s, out);
        out.push({ type: 'set-timer', timer: 'wait', delayMs: [1, 50] });
        if (!bugs.forgetful) promiseTo(s, 0, out);
        return;
      case 'timer':
        if (input.timer === 'promise') s.promise = null;
        else if (input.timer === 'wait') ask(s, out);
        else endLease(s, out);
        return;
      case 'message':
        return input.message.type === 'ask'
          ? onAsk(s, input.from, input.message as Question, out)
          : onGrant(s, input.from, input.message as Question, out);
      case 'command':
      case 'drawn':
      case 'peer-gone':
      case 'peer-back':
      case 'seeds':
        return; // It has no such inputs.
    }
  }

  function ask(s: State, out: Effect[]): void {
    out.push({ type: 'set-timer', timer: 'wait', delayMs: [1, 50] });
    if (s.role !== 'idle' || s.promise !== null) return;
    s.role = 'asking';
    s.round += 1;
    s.grants = [s.id];
    if (!bugs.fromReceipt) out.push({ type: 'set-timer', timer: 'lease', delayMs: LEASE_MS });
    const { life, round } = s;
    for (const to of s.others) out.push({ type: 'send', to, message: message('ask', { life, round }) });
  }

  function onAsk(s: State, from: MemberId, question: Question, out: Effect[]): void {
    if (s.role !== 'idle' || (s.promise !== null && s.promise !== from)) return;
    promiseTo(s, from, out);
    out.push({ type: 'send', to: from, message: message('grant', question) });
  }

  function onGrant(s: State, from: MemberId, { life, round }: Question, out: Effect[]): void {
    if (s.role !== 'asking' || life !== s.life || (round !== s.round && !bugs.anyRound)) return;
    addId(s.grants, from);
    if (s.grants.length < majority(s.others.length + 1)) return;
    s.role = 'leader';
    if (bugs.fromReceipt) out.push({ type: 'set-timer', timer: 'lease', delayMs: LEASE_MS });
    report(s, out);
  }

  function endLease(s: State, out: Effect[]): void {
    s.role = 'idle';
    s.grants = [];
    report(s, out);
  }

  function promiseTo(s: State, member: MemberId, out: Effect[]): void {
    s.promise = member;
    out.push({ type: 'set-timer', timer: 'promise', delayMs: promiseMs });
  }

  return {
    name: 'tenancy',
    pledges: [{ property: 'S10', assuming: ['no-forgery', 'clock'] }],
    init: ({ id, members }: Self): State => ({
      id,
      others: members.filter((member) => member !== id),
      role: 'idle',
      life: 0,
      round: 0,
      grants: [],
      promise: null,
    }),
    step: step as Protocol['step'],
    measure: (state) => ({ round: (state as State).round }),
  };
}

function report(s: State, out: Effect[]): void {
  const leads = s.role === 'leader';
  const view = { term: null, lease: leads ? 'lease' : null, version: 0, value: null };
  out.push({
    type: 'report',
    view: { ...view, role: leads ? 'leader' : 'follower', leader: leads ? s.id : null },
  });
}

function message(type: 'ask' | 'grant', { life, round }: Omit<Question, 'type'>): Message {
  return { type, life, round } as Message;
}
