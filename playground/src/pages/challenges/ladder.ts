import { newRun } from '../../game/run/presets.ts';
import type { Challenge } from './challenge.ts';
import {
  byClocks,
  forGood,
  inOneEpoch,
  NO_REST_MS,
  noRest,
  REST_MS,
  twoAtOnce,
  unbroken,
  withOneLink,
  withoutTouching,
} from './checks.ts';

const LINKS: readonly string[] = ['cut', 'heal', 'partition'];

/** Rare heartbeats, and a lease nearly as long as the timeout: a clock at half speed is enough. */
const CLOCKS = newRun('quorum', 5, 116);

/** The seed's challenge, and what follows from it: each step needs the lesson of the one before. */
export const LADDER: readonly Challenge[] = [
  {
    id: 'two-leaders',
    title: 'Two leaders',
    goal: 'Get two members to lead at the same time.',
    rules: ['Everything is allowed.'],
    hints: [
      'A leader keeps leading until it hears of a newer epoch. What could keep it from hearing?',
      'Split the leader from all the others, and wait for them to miss it.',
    ],
    par: 1,
    allowed: null,
    run: newRun('epoch', 5, 111),
    check: twoAtOnce,
  },
  {
    id: 'one-link',
    title: 'One link is enough',
    goal: 'Get two leaders by cutting a single link.',
    rules: ['One cut, of one link between two members. Nothing else.'],
    hints: [
      'A member that does not hear the leader asks for votes. Do the others have a reason to refuse?',
      'Cut the link between the leader and any other member. All other members still hear both.',
    ],
    par: 1,
    allowed: ['cut'],
    run: newRun('epoch', 5, 112),
    check: withOneLink,
  },
  {
    id: 'for-good',
    title: 'For good',
    goal: 'Keep two leaders for 20 seconds, although all members can still reach each other, directly or through others.',
    rules: [
      'Only links: cut, heal, split.',
      'No member may be cut off from the rest, and you do nothing for the 20 seconds.',
    ],
    hints: [
      'A message of an older epoch is dropped without an answer. So which member tells the old leader?',
      'It is enough that the two leaders do not hear each other.',
    ],
    par: 1,
    allowed: LINKS,
    run: newRun('epoch', 5, 113),
    check: forGood,
  },
  {
    id: 'same-epoch',
    title: 'Two in one epoch',
    goal: 'Get two winners in the same epoch. The protocol promises one: break what that depends on.',
    rules: ['Everything but forged messages.'],
    hints: [
      'One vote per epoch and member: that is why an epoch has one winner. Where does a member keep its vote?',
      'A restart with amnesia forgets the vote. Two of three members who voted in epoch 1 can vote in it again.',
      'Split the leader from the others, so that it does not tell them which epoch it is; then let both others forget.',
    ],
    par: 3,
    allowed: [
      'crash',
      'restart',
      'pause',
      'resume',
      'fire',
      'campaign',
      'clock',
      'disk',
      'network',
      'hold',
      'drop',
      'duplicate',
      'release',
      ...LINKS,
    ],
    run: newRun('epoch', 3, 123),
    check: inOneEpoch,
  },
  {
    id: 'dethrone',
    title: 'Without touching it',
    goal: 'Make a healthy leader stop leading, without doing anything to it.',
    rules: [
      'Links, single messages, and pausing others. No timers by hand.',
      'The leader runs all the time and is never cut off from a majority.',
    ],
    hints: [
      'A newer epoch is enough. Which member would start one?',
      'Split off one member, wait until it has asked for votes a few times, and let it come back.',
      'Better: a member that can speak to the leader and not hear it. Links can be cut one way.',
    ],
    par: 1,
    allowed: [...LINKS, 'hold', 'drop', 'release', 'pause', 'resume', 'network'],
    run: newRun('epoch', 5, 115),
    check: withoutTouching,
  },
  {
    id: 'no-rest',
    title: 'No rest',
    goal: `For ${NO_REST_MS / 1000} seconds, no member keeps the leadership for as long as ${REST_MS / 1000} seconds.`,
    rules: [
      'All members run, and at least one can talk to a majority in both directions.',
      `You do nothing for the ${NO_REST_MS / 1000} seconds: it has to continue by itself.`,
    ],
    hints: [
      'One member has to start elections again and again, and never win one.',
      'Make one member deaf: cut both links on which it hears, one way only. The others still hear it ask.',
    ],
    par: 2,
    allowed: null,
    run: newRun('epoch', 3, 116),
    check: noRest,
  },
  {
    id: 'clocks',
    title: 'A matter of time',
    goal: 'Get two members of the quorum election to act at the same time, with clocks alone.',
    rules: ['Only the speed of clocks.'],
    hints: [
      'A lease expires by the clock of the leader; the promises of the others end by theirs.',
      'It allows for clocks that differ by 1 %. Which clock would have to be slow?',
      'Half the speed for the leader: it asks for support half as often, and believes in its lease for twice as long.',
    ],
    par: 1,
    allowed: ['clock'],
    run: { ...CLOCKS, timing: { ...CLOCKS.timing, heartbeatMs: 2000, leaseMs: 2900 } },
    check: byClocks,
  },
  {
    id: 'unbroken',
    title: 'Try to break this one',
    goal: 'Break a promise of the quorum election. We do not think that you can.',
    rules: [
      'Everything is allowed, but it never promised to survive clocks that are off by more than 1 %, forged messages, false proof of death, or a second lost disk.',
    ],
    hints: ['If you do break it, that is a bug. Please report it with the link to your run.'],
    par: null,
    allowed: null,
    run: newRun('quorum', 5, 118),
    check: unbroken,
  },
];
