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

/** Rounds that are far apart, and a lease that nearly bridges the time-out: it is enough for a clock to be at half speed. */
const CLOCKS = newRun('quorum', 5, 116);

/** The dare of the seed, and what follows from it: each step needs what the one before has shown. */
export const LADDER: readonly Challenge[] = [
  {
    id: 'two-leaders',
    title: 'Two leaders',
    goal: 'Get two members to lead at the same time.',
    rules: ['Everything is allowed.'],
    hints: [
      'A leader goes on leading until it hears of a newer epoch. Who could keep it from hearing?',
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
      'Whoever does not hear the leader asks for votes. Do the others have a reason to refuse?',
      'Cut the link between the leader and any other member. Everybody else still hears both.',
    ],
    par: 1,
    allowed: ['cut'],
    run: newRun('epoch', 5, 112),
    check: withOneLink,
  },
  {
    id: 'for-good',
    title: 'For good',
    goal: 'Keep two leaders for 20 seconds, although everybody can still reach everybody, if need be through others.',
    rules: [
      'Only links: cut, heal, split.',
      'Nobody may be cut off from the rest, and your hands stay still for the 20 seconds.',
    ],
    hints: [
      'A message of an older epoch is thrown away without a word. So who tells the old leader?',
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
    goal: 'Get two winners in the same epoch. That is a promise: break what it rests on.',
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
    goal: 'Make a healthy leader give up, without doing anything to it.',
    rules: [
      'Links, single messages, and pausing others. No timers by hand.',
      'The leader runs all the time and is never cut off from a majority.',
    ],
    hints: [
      'A newer epoch is all that it takes. Who would start one?',
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
    goal: `For ${NO_REST_MS / 1000} seconds nobody keeps the lead for as long as ${REST_MS / 1000} seconds.`,
    rules: [
      'Everybody runs, and at least one member can talk to a majority, there and back.',
      `Your hands stay still for the ${NO_REST_MS / 1000} seconds: it has to go on by itself.`,
    ],
    hints: [
      'Somebody has to call elections again and again, and never win one.',
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
      'A lease ends by the clock of the leader; what the others promised ends by theirs.',
      'It allows for clocks that differ by 1 %. Whose clock would have to be slow?',
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
    hints: ['If you do break it, that is a bug. Please tell us, with the link to your run.'],
    par: null,
    allowed: null,
    run: newRun('quorum', 5, 118),
    check: unbroken,
  },
];
