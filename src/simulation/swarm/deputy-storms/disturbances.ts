/** What goes wrong while a deputy stands by, or is about to: each disturbance alone is harmless, and some of them together are not. */
import type { MemberId } from '../../../core/index.ts';
import type { Action } from '../../scenario.ts';
import type { Act } from './act.ts';

/** Enough to catch all messages of an act. */
const ALL = 100;

/** No member has it yet. */
const NEW_ID = 9;

/** Messages without which a deputy is not supported, or does not learn what its leader has published. */
const DEPUTY_TYPES = ['deputy/ask', 'deputy/answer', 'deputy/end', 'deputy/ended'] as const;
const OTHER_TYPES = [
  'heartbeat',
  'heartbeat/answer',
  'publish/send',
  'publish/answer',
  'publish/commit',
  'transfer',
  'term',
  'vote',
  'vote/answer',
] as const;

type Disturbance = (act: Act) => void;

const disturbances: Readonly<Record<string, readonly [weight: number, draw: Disturbance]>> = {
  /** The requests of the deputy, or the answers, do not arrive. */
  mute: [6, mute],
  /** The link to the leader gets worse: what the deputy asks is lost, and an answer from before comes late. */
  fade: [2, fade],
  /** A link is cut, mostly of the deputy and mostly in one direction. */
  cut: [4, cutLink],
  /** The deputy hears no member, or is not heard. */
  isolate: [4, isolate],
  /** The leader publishes, and the deputy may not learn of it. */
  publish: [7, publish],
  /** Messages come late. */
  hold: [5, hold],
  duplicate: [1, duplicate],
  /** A link is about as slow as a lease is long. */
  slow: [1, slow],
  /** A process starts again, some of them after a save that has not ended. */
  restart: [5, restart],
  /** A process stands still for about a lease. */
  pause: [2, pause],
  /** Members suspect the leader, without proof. */
  suspicion: [1, suspicion],
  /** The leader, or the deputy, has started again before, and the proof about the earlier process comes late. */
  lateProof: [3, lateProof],
  change: [1.5, change],
  /** A second process of the deputy, or of another member, on an empty disk. */
  twin: [2, twin],
  campaign: [1, (act) => act.add(act.before(), { do: 'campaign', member: act.other() })],
  transfer: [1, (act) => act.add(act.before(), { do: 'transfer', to: act.random.pick(act.ids)! })],
};

const total = Object.values(disturbances).reduce((sum, [weight]) => sum + weight, 0);

/** One of them, the likelier ones more often. */
export function disturb(act: Act): void {
  let left = total * act.random.fraction();
  for (const [weight, draw] of Object.values(disturbances)) {
    left -= weight;
    if (left < 0) return draw(act);
  }
}

function mute(act: Act): void {
  const { random, roles } = act;
  const { leader, deputy, others } = roles;
  const type = random.pick(['deputy/ask', 'deputy/ask', 'deputy/answer'] as const)!;
  const voters = random.chance(0.5) ? [leader] : random.chance(0.7) ? others : [leader, ...others];
  const fromMs = random.chance(0.5) ? act.beginMs : act.before();
  const untilMs = random.chance(0.5) ? act.before() : fromMs + act.aLease();
  const isLate = random.chance(0.35);
  for (const voter of voters) {
    const [from, to] = type === 'deputy/ask' ? [deputy, voter] : [voter, deputy];
    act.add(fromMs, { do: isLate ? 'hold' : 'drop', type, from, to, count: ALL });
    if (isLate) act.add(Math.max(fromMs, untilMs), { do: 'release', type, from, to, count: ALL });
  }
}

function fade(act: Act): void {
  const { random, roles } = act;
  const { leader, deputy } = roles;
  const fromMs = random.chance(0.5) ? act.readyMs - act.aMoment() : act.before();
  const answer = { type: 'deputy/answer', from: leader, to: deputy };
  act.add(fromMs, { do: 'hold', ...answer, count: random.between(1, 3) });
  act.add(fromMs + act.aMoment(), { do: 'drop', type: 'deputy/ask', from: deputy, to: leader, count: ALL });
  act.add(fromMs + act.aLease(), { do: 'release', ...answer, count: ALL });
}

function cutLink(act: Act): void {
  const { random } = act;
  const cut = { ...act.link(), oneWay: random.chance(0.6) };
  const fromMs = act.before();
  act.add(fromMs, { do: 'cut', ...cut });
  if (random.chance(0.4)) act.add(fromMs + act.aLease(), { do: 'heal', ...cut });
}

function isolate(act: Act): void {
  const { random, roles, ids } = act;
  const alone = random.pick([roles.deputy, roles.deputy, roles.deputy, roles.leader, act.other()])!;
  const rest = ids.filter((id) => id !== alone && (id !== roles.leader || random.chance(0.7)));
  const fromMs = act.before();
  const forMs = act.aLease() * random.pick([1, 1, 3])!;
  const way = random.below(3);
  for (const id of rest) {
    const link = way === 0 ? { from: alone, to: id } : { from: id, to: alone };
    act.add(fromMs, { do: 'cut', ...link, oneWay: way < 2 });
    if (random.chance(0.3)) act.add(fromMs + forMs, { do: 'heal', ...link, oneWay: way < 2 });
  }
}

function publish(act: Act): void {
  const { random, roles } = act;
  const atMs = random.chance(0.3)
    ? act.beginMs + (act.readyMs - act.beginMs) * random.fraction()
    : act.before();
  const type = 'publish/send';
  const to = random.chance(0.8) ? roles.deputy : act.other();
  if (random.chance(0.5))
    act.add(atMs - act.aMoment(), { do: 'drop', type, from: roles.leader, to, count: ALL });
  else if (random.chance(0.3)) act.add(atMs, { do: 'hold', type, from: roles.leader, to, count: 2 });
  act.add(atMs, { do: 'publish', value: random.below(1000) });
}

function hold(act: Act): void {
  const { random, endMs } = act;
  const type = random.pick(random.chance(0.5) ? DEPUTY_TYPES : OTHER_TYPES)!;
  const ends = random.chance(0.8) ? act.link() : {};
  const count = random.between(1, 4);
  const fromMs = random.chance(0.3)
    ? act.beginMs + (act.readyMs - act.beginMs) * random.fraction()
    : act.before();
  const untilMs = random.chance(0.5) ? fromMs + act.aLease() : endMs + act.aMoment();
  act.add(fromMs, { do: 'hold', type, ...ends, count });
  // A copy arrives again when the storm is over.
  act.add(untilMs, { do: 'release', type, ...ends, count, ...(random.chance(0.2) ? { copy: true } : {}) });
}

function duplicate(act: Act): void {
  const { random } = act;
  const type = random.pick(random.chance(0.6) ? DEPUTY_TYPES : OTHER_TYPES)!;
  act.add(act.before(), { do: 'duplicate', type, count: random.between(1, 6) });
}

function slow(act: Act): void {
  const ms = Math.max(1, act.aLease() * act.random.pick([0.2, 0.5, 1])!);
  act.add(act.before(), { do: 'network', ...act.link(), latencyMs: [ms, ms] });
}

function restart(act: Act): void {
  const { random, roles } = act;
  const all = random.chance(0.3) ? [...roles.others] : [act.anyone()];
  const atMs = random.chance(0.6) ? act.endMs + act.aMoment() * random.pick([-1, 1])! : act.before();
  const [stalls, keepsDown] = [random.chance(0.3), random.chance(0.2)];
  for (const member of all) {
    if (stalls) act.add(atMs - act.aMoment(), { do: 'disk', member, fault: 'stall' });
    if (keepsDown) act.add(atMs, { do: 'crash', member });
    act.add(keepsDown ? atMs + act.aLease() : atMs, { do: 'restart', member });
    if (stalls) act.add(atMs + act.aMoment(), { do: 'disk', member, fault: 'none' });
    // It has promised before, and the deputy does not reach it any more.
    if (member !== roles.deputy && random.chance(0.4))
      act.add(atMs, { do: 'cut', from: roles.deputy, to: member, oneWay: true });
  }
}

function pause(act: Act): void {
  const fromMs = act.before();
  const member = act.anyone();
  act.add(fromMs, { do: 'pause', member });
  act.add(fromMs + act.aLease() * act.random.pick([1, 1, 2])!, { do: 'resume', member });
}

function suspicion(act: Act): void {
  const { random, roles, ids } = act;
  const peer = random.chance(0.8) ? roles.leader : roles.deputy;
  const told = random.chance(0.4) ? ids : [random.chance(0.6) ? roles.deputy : act.other()];
  for (const member of told)
    if (member !== peer) act.add(act.before() + act.aMoment(), { do: 'evidence', member, peer, gone: true });
}

function lateProof(act: Act): void {
  const { random, roles, ids } = act;
  const peer = random.chance(0.5) ? roles.leader : roles.deputy;
  // It starts again before it is asked to lead, or named, so that the act goes on with its new process.
  if (random.chance(0.8)) act.add(act.beginMs - act.aLease(), { do: 'restart', member: peer });
  for (const member of ids)
    if (member !== peer && random.chance(0.7))
      act.add(act.before(), { do: 'evidence', member, peer, gone: true, proof: true, earlier: true });
}

function change(act: Act): void {
  const { random, roles, ids } = act;
  const first = random.pick<Action>([
    { do: 'add', member: NEW_ID },
    { do: 'remove', member: act.other() },
    { do: 'remove', member: random.chance(0.5) ? roles.deputy : roles.leader },
    { do: 'restart', member: act.other(), disk: 'lost' },
  ])!;
  const atMs = act.before();
  act.add(atMs, first);
  if (first.do === 'add' || !random.chance(0.5)) return;
  const again: MemberId = first.do === 'remove' ? first.member : random.pick(ids)!;
  act.add(atMs + act.aLease() + act.aMoment(), { do: 'add', member: again });
}

function twin(act: Act): void {
  const { random, roles, ids } = act;
  const member = random.chance(0.7) ? roles.deputy : act.other();
  const peers = ids.filter((id) => id !== member && (id === roles.leader || random.chance(0.7)));
  const fromMs = act.before();
  act.add(fromMs, { do: 'twin', member, disk: 'empty', with: peers });
  if (random.chance(0.6)) act.add(fromMs + act.aMoment(), { do: 'publish', value: random.below(1000) });
  act.add(act.endMs + act.aLease(), { do: 'crash', member, twin: true });
}
