/**
 * Acts of which several parts have to come together, so that disturbances that are drawn one by one nearly never do. Storms from a
 * certain seed on have them. Their times are drawn, and the parts that each member plays.
 */
import type { Act } from './act.ts';
import { die, goOn } from './endings.ts';

/** Enough to catch all messages of an act. */
const ALL = 100;

type Plot = (act: Act) => void;

/** The deputy lacks what was published, so the leader resigns in favour of another, whose requests do not reach the deputy. */
function resignsInFavourOfAnother(act: Act): void {
  const { random, roles, pace, endMs } = act;
  const { leader, deputy, others } = roles;
  const cutMs = endMs - act.aMoment();
  for (const id of others) act.add(cutMs, { do: 'cut', from: id, to: deputy, oneWay: random.chance(0.5) });
  publishUnheard(act, endMs - pace.heartbeatMs * 0.5 * random.fraction());
  act.add(endMs, { do: 'resign', member: leader });
  die(act, leader, endMs + pace.heartbeatMs * (0.2 + 1.5 * random.fraction()), random.chance(0.3));
}

/** The first requests of the deputy reach the leader when it has committed a value without it. */
function asksTooLate(act: Act): void {
  const { random, roles, pace, beginMs, readyMs } = act;
  const { leader, deputy } = roles;
  const asks = { type: 'deputy/ask', from: deputy, to: leader, count: ALL };
  const publishedMs = readyMs - pace.heartbeatMs * random.fraction();
  const arriveMs = publishedMs + pace.heartbeatMs * (0.2 + 0.8 * random.fraction());
  act.add(beginMs, { do: 'hold', ...asks });
  publishUnheard(act, publishedMs);
  act.add(arriveMs, { do: 'release', ...asks });
  const deathMs = arriveMs + pace.heartbeatMs * random.fraction();
  die(act, leader, deathMs, false);
  publishLater(act, deathMs);
}

/** The deputy has started again before, and the proof about its earlier process comes when the present one stands by. */
function provenTooLate(act: Act): void {
  const { random, roles, pace, beginMs, endMs, ids } = act;
  const { leader, deputy } = roles;
  act.add(beginMs - pace.leaseMs * random.fraction(), { do: 'restart', member: deputy });
  if (random.chance(0.7)) publishUnheard(act, endMs - pace.heartbeatMs * random.fraction());
  const provenMs = endMs - pace.heartbeatMs * 0.5 * random.fraction();
  for (const member of ids)
    if (member !== deputy && (member === leader || random.chance(0.7)))
      act.add(provenMs, { do: 'evidence', member, peer: deputy, gone: true, proof: true, earlier: true });
  die(act, leader, endMs, random.chance(0.5));
  publishLater(act, endMs);
}

/** The only voter that has promised the deputy anything starts again, and hears the leader once more, but not the deputy. */
function startsAgain(act: Act): void {
  const { random, roles, pace, beginMs, endMs } = act;
  const { leader, deputy, others } = roles;
  const voter = act.other();
  const rest = others.filter((id) => id !== voter);
  for (const to of rest) act.add(beginMs, { do: 'drop', type: 'deputy/ask', from: deputy, to, count: ALL });
  const againMs = endMs - pace.heartbeatMs * (0.3 + 1.5 * random.fraction());
  act.add(againMs, { do: 'cut', from: deputy, to: voter, oneWay: random.chance(0.5) });
  act.add(againMs, { do: 'restart', member: voter });
  die(act, leader, endMs, true);
  for (let times = 4; times > 0; times--) {
    const member = random.pick(rest) ?? voter;
    act.add(endMs + pace.heartbeatMs * 2 * random.fraction(), { do: 'campaign', member });
  }
}

/** The leader answers the deputy late, and hears nothing of it afterwards, until no promise to the deputy binds it. */
function answersTooLate(act: Act): void {
  const { random, roles, pace, readyMs } = act;
  const { leader, deputy } = roles;
  const answers = { type: 'deputy/answer', from: leader, to: deputy, count: ALL };
  const lostMs = readyMs + pace.heartbeatMs * random.fraction();
  const freeMs = lostMs + pace.leaseMs;
  act.add(lostMs - pace.heartbeatMs * random.fraction(), { do: 'hold', ...answers });
  act.add(lostMs, { do: 'drop', type: 'deputy/ask', from: deputy, to: leader, count: ALL });
  act.add(lostMs + pace.leaseMs * (0.3 + 0.6 * random.fraction()), { do: 'release', ...answers });
  publishUnheard(act, freeMs - pace.heartbeatMs * random.fraction());
  const deathMs = freeMs + pace.heartbeatMs * random.fraction();
  die(act, leader, deathMs, false);
  publishLater(act, deathMs);
}

const plots: readonly Plot[] = [
  resignsInFavourOfAnother,
  asksTooLate,
  provenTooLate,
  startsAgain,
  answersTooLate,
];

export function playOne(act: Act): void {
  act.random.pick(plots)!(act);
  goOn(act);
}

/** The leader publishes, and its deputy does not learn what. */
function publishUnheard(act: Act, atMs: number): void {
  const { leader, deputy } = act.roles;
  act.add(atMs, { do: 'drop', type: 'publish/send', from: leader, to: deputy, count: ALL });
  act.add(atMs, { do: 'publish', value: act.random.below(1000) });
}

/** If the deputy leads by now, it publishes too. */
function publishLater(act: Act, fromMs: number): void {
  for (let times = 3; times > 0; times--) {
    const atMs = fromMs + act.pace.heartbeatMs * 3 * act.random.fraction();
    act.add(atMs, { do: 'publish', value: act.random.below(1000), member: act.roles.deputy });
  }
}
