import type { Effect, Input } from '../../../../src/core/index.ts';
import type { Entry } from '../../game/history/history.ts';

/** What a step looks like from outside. */
interface Step {
  /** `start`, `drawn`, the type of the message, or the timer without whom it is about. */
  readonly input: string;
  readonly isTimer: boolean;
  sends(type: string): boolean;
  /** Does it say that it leads? */
  readonly leads: boolean;
  readonly reports: boolean;
  readonly saves: boolean;
  cancels(timer: string): boolean;
  /** Did nothing come of it? */
  readonly isIdle: boolean;
}

const READERS: Readonly<Record<string, (step: Step) => string | null>> = {
  epoch: ofEpoch,
  bully: ofBully,
  'chang-roberts': ofChangRoberts,
  ring: ofRing,
  draw: ofDraw,
  quorum: ofQuorum,
};

/** Which rule of the text a step followed, as far as can be seen from what came in and what went out. Null: none of them. */
export function ruleOf(protocol: string, entry: Entry): string | null {
  if (entry.kind !== 'step') return null;
  const read = Object.hasOwn(READERS, protocol) ? READERS[protocol] : undefined;
  return read?.(stepOf(entry.input, entry.effects)) ?? null;
}

function stepOf(input: Input, effects: readonly Effect[]): Step {
  const sent = effects.flatMap((effect) => (effect.type === 'send' ? [effect.message.type] : []));
  const views = effects.flatMap((effect) => (effect.type === 'report' ? [effect.view] : []));
  return {
    input: nameOf(input),
    isTimer: input.type === 'timer',
    sends: (type) => sent.includes(type),
    leads: views.some((view) => view.role === 'leader'),
    reports: views.length > 0,
    saves: effects.some(({ type }) => type === 'save'),
    cancels: (timer) => effects.some((effect) => effect.type === 'cancel-timer' && effect.timer === timer),
    isIdle: effects.length === 0,
  };
}

function nameOf(input: Input): string {
  if (input.type === 'message') return input.message.type;
  return input.type === 'timer' ? input.timer.replace(/[/ ].*$/, '') : input.type;
}

function ofEpoch({ input, isTimer, sends, saves, cancels, isIdle }: Step): string | null {
  if (isTimer) return input === 'wait' ? 'ask' : 'keep';
  switch (input) {
    case 'start':
      return 'start';
    case 'command':
      return sends('vote-request') ? 'ask' : null;
    case 'vote':
      return 'count';
    case 'vote-request':
      // That a leader gives up is worth more than that it votes.
      if (cancels('keep-alive')) return 'newer';
      return sends('vote') ? 'vote' : 'silent';
    case 'keep-alive':
      if (isIdle) return 'silent';
      return saves ? 'newer' : 'heed';
    default:
      return null;
  }
}

function ofBully({ input, isTimer, sends, leads }: Step): string | null {
  if (isTimer) {
    if (leads) return 'win';
    if (input === 'check') return 'check';
    if (input === 'heartbeat') return 'miss';
    return input === 'again' ? 'await' : 'ask';
  }
  switch (input) {
    case 'start':
      return leads ? 'win' : 'start';
    case 'election':
      return 'ok';
    case 'ok':
      return 'await';
    case 'coordinator':
      return sends('coordinator') || sends('election') ? 'bully' : 'follow';
    case 'heartbeat':
      return sends('coordinator') || sends('election') ? 'bully' : 'check';
    case 'alive':
      return sends('election') ? 'miss' : 'check';
    default:
      return sends('election') ? 'ask' : null;
  }
}

function ofChangRoberts({ input, isTimer, sends, leads, reports }: Step): string | null {
  if (leads) return 'win';
  if (isTimer) {
    if (input === 'ack') return 'skip';
    return input === 'timeout' ? 'start' : 'heartbeat';
  }
  switch (input) {
    case 'start':
    case 'command':
      return 'start';
    case 'election':
      if (reports) return 'join';
      return sends('election') ? 'larger' : 'swallow';
    case 'elected':
      return 'elected';
    case 'heartbeat':
      return 'heartbeat';
    default:
      return input === 'ack' ? 'skip' : null;
  }
}

function ofRing({ input, isTimer, sends }: Step): string | null {
  if (isTimer) {
    if (input === 'ack') return 'skip';
    if (input === 'answer') return 'gone';
    return input === 'timeout' ? 'lost' : 'pass';
  }
  switch (input) {
    case 'start':
      return 'start';
    case 'heartbeat-invoke':
      return 'check';
    case 'heartbeat':
    case 'alive':
      return 'alive';
    case 'election':
      return sends('leader') ? 'pick' : 'collect';
    case 'leader':
      return 'told';
    default:
      return input === 'ack' ? 'skip' : null;
  }
}

function ofDraw({ input, isTimer, sends, leads }: Step): string | null {
  if (leads) return 'lead';
  if (isTimer && input === 'election') return 'again';
  if (sends('election/start')) return 'call';
  switch (input) {
    case 'start':
    case 'register':
    case 'register/answer':
      return 'register';
    case 'election/start':
      return 'call';
    case 'drawn':
      return 'draw';
    case 'election/cast':
      return 'result';
    case 'election/result':
    case 'election/certify':
      return 'certify';
    case 'heartbeat':
      if (isTimer) return sends('status') ? 'health' : 'heartbeat';
      return sends('reconcile') ? 'lists' : 'heartbeat';
    case 'check':
      return 'health';
    case 'status':
      return isTimer ? 'lists' : 'health';
    case 'status/answer':
      return 'health';
    case 'reconcile':
    case 'remove':
      return 'lists';
    default:
      return null;
  }
}

function ofQuorum({ input, isTimer, sends, leads }: Step): string | null {
  if (sends('term')) return 'term';
  if (sends('vote')) return 'ask';
  if (isTimer) {
    if (input === 'promise') return sends('pre-vote/answer') ? 'would' : null;
    return (
      {
        election: 'pre-vote',
        heartbeat: 'round',
        lease: 'lease',
        quorum: 'lease',
        publish: 'register',
      }[input] ?? null
    );
  }
  switch (input) {
    case 'start':
    case 'probe':
    case 'copy':
      return 'disk';
    case 'pre-vote':
    case 'pre-vote/answer':
      return 'would';
    case 'vote':
      return 'vote';
    case 'vote/answer':
      return leads ? 'win' : 'vote';
    case 'heartbeat':
      return 'promise';
    case 'heartbeat/answer':
      return 'lease';
    case 'publish/send':
    case 'publish/answer':
    case 'publish/commit':
    case 'publish/copy':
      return 'register';
    case 'term':
      return 'term';
    default:
      return null;
  }
}
