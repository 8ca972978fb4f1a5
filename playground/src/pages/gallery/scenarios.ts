import type { Action, WorldEvent } from '../../../../src/simulation/index.ts';
import { TOPOLOGIES } from '../../game/run/topologies.ts';
import { MENDED_MS, type Story, story } from './story.ts';

const HEAL: WorldEvent = { atMs: MENDED_MS, do: 'heal' };
const FIVE = [1, 2, 3, 4, 5];

export const STORIES: readonly Story[] = [
  story(
    'isolate-leader',
    'The leader is cut off',
    'For 20 s the leader hears no other member, and none hears it.',
    [{ do: 'partition', groups: [['leader'], ['followers']] }, HEAL],
  ),
  story(
    'even-split',
    'Two halves',
    'Six members fall into two halves of three for 20 s. Neither is a majority.',
    [
      {
        do: 'partition',
        groups: [
          [1, 2, 3],
          [4, 5, 6],
        ],
      },
      HEAL,
    ],
    {
      members: 6,
      note: 'In epoch the old leader keeps leading although it has no majority. In quorum it stops, and there is no leader until the halves reconnect.',
    },
  ),
  story(
    'minority',
    'The leader in the minority',
    'For 20 s the leader and one more are split from the other three.',
    [{ do: 'partition', groups: [['leader', 2], ['all']] }, HEAL],
  ),
  story(
    'three-threes',
    'Three times three',
    'Nine members fall into three groups of three for 20 s.',
    [
      {
        do: 'partition',
        groups: [
          [1, 2, 3],
          [4, 5, 6],
          [7, 8, 9],
        ],
      },
      HEAL,
    ],
    {
      members: 9,
      note: 'In epoch the old leader goes on with two followers; no group has the five votes for another.',
    },
  ),
  story(
    'bridge',
    'A bridge',
    'Two sides, and only member 3 hears both. It lasts to the end.',
    topology('Bridge'),
    {
      note: 'The sides do not hear each other’s leader. Quorum and draw learn of it from the member in between.',
    },
  ),
  story(
    'ring-of-majorities',
    'A ring of majorities',
    'Every member hears a majority, but no two hear the same one. It lasts to the end.',
    topology('Ring of majorities'),
    { note: 'In epoch, a member that does not hear the leader finds votes for itself.' },
  ),
  story(
    'chain',
    'A chain',
    'Every member hears only its neighbours. It lasts to the end.',
    topology('Chain'),
  ),
  story(
    'star',
    'A star',
    'Member 2 hears all; the others hear only it. It lasts to the end.',
    topology('Star'),
    {
      note: 'In bully every member that hears no higher one leads; in epoch and quorum only the one in the middle gets votes.',
    },
  ),
  story(
    'cut-one-link',
    'One link is cut',
    'The leader and member 3 no longer hear each other. All other links work.',
    [{ do: 'cut', from: 'leader', to: 3 }],
    {
      note: 'In epoch no member tells the old leader: old messages are dropped without an answer. Chang–Roberts gives up its leader whenever any member misses it.',
    },
  ),
  story(
    'one-way-link',
    'One link, one way',
    'Member 3 no longer hears the leader, but the leader hears member 3.',
    [{ do: 'cut', from: 'leader', to: 3, oneWay: true }],
    {
      note: 'In epoch, member 3 asks for votes, the leader hears of the newer epoch and stops leading, once.',
    },
  ),
  story(
    'flapping-link',
    'A link that comes and goes',
    'The link between 1 and 5, one of which leads, breaks every 8 s and returns 4 s later.',
    [
      ...[0, 1, 2, 3, 4].flatMap((i): WorldEvent[] => [
        { atMs: 10_000 + 8000 * i, do: 'cut', from: 1, to: 5 },
        { atMs: 14_000 + 8000 * i, do: 'heal', from: 1, to: 5 },
      ]),
    ],
  ),
  story(
    'deaf-leader',
    'A deaf leader',
    'The leader hears no other member, but all hear it. It lasts to the end.',
    [{ do: 'cut', from: 'followers', to: 'leader', oneWay: true }],
    {
      note: 'A leader that hears nothing cannot be told. In quorum it stops by itself, since no answer reaches it.',
    },
  ),
  story(
    'mute-leader',
    'A mute leader',
    'No member hears the leader, but it hears all. It lasts to the end.',
    [{ do: 'cut', from: 'leader', to: 'followers', oneWay: true }],
  ),
  story(
    'follower-returns',
    'A follower is cut off and returns',
    'Member 3 hears no other member for 20 s. The leader is healthy all the time.',
    [{ do: 'partition', groups: [[3], ['all']] }, HEAL],
    { note: 'In epoch it comes back with a newer epoch, and a healthy leader has to stop.' },
  ),
  story(
    'deaf-follower',
    'A deaf follower',
    'Member 3 hears no other member, but all hear it. It lasts to the end.',
    [...[1, 2, 4, 5].map((from): Action => ({ do: 'cut', from, to: 3, oneWay: true }))],
    { note: 'In epoch it calls one election after the other and never hears that it could have won.' },
  ),
  story(
    'quiet-start',
    'All start at once',
    'Nothing goes wrong: five members start and choose a leader.',
    [],
  ),
  story('late-joiner', 'A late joiner', 'The fifth member starts 15 s after the others.', [], {
    starts: { 5: 15_000 },
    note: 'Member 5 is the highest, so in bully it takes over from a healthy leader.',
  }),
  story(
    'leader-crash',
    'The leader dies',
    'The leader’s process ends and does not come back.',
    [{ do: 'crash', member: 'leader' }],
    { note: 'How long it takes differs: see Race.' },
  ),
  story(
    'leader-returns',
    'The leader dies and returns',
    'The leader’s process ends, and starts again 20 s later.',
    [
      { do: 'crash', member: 'leader' },
      { atMs: MENDED_MS, do: 'restart', member: 'all' },
    ],
  ),
  story('follower-crash', 'A follower dies', 'A follower is gone. The election should not change.', [
    { do: 'crash', member: 2 },
  ]),
  story(
    'high-id-returns',
    'The highest id comes and goes',
    'Member 5 dies and returns, three times.',
    [
      { atMs: 10_000, do: 'crash', member: 5 },
      { atMs: 18_000, do: 'restart', member: 5 },
      { atMs: 26_000, do: 'crash', member: 5 },
      { atMs: 34_000, do: 'restart', member: 5 },
      { atMs: 42_000, do: 'crash', member: 5 },
      { atMs: 50_000, do: 'restart', member: 5 },
    ],
    { note: 'Bully and Chang–Roberts make the highest id leader each time; the others do not.' },
  ),
  story(
    'rolling-restart',
    'A rolling restart',
    'One after the other is stopped, and starts again 3 s later.',
    [
      ...FIVE.flatMap((member, i): WorldEvent[] => [
        { atMs: 10_000 + 6000 * i, do: 'crash', member },
        { atMs: 13_000 + 6000 * i, do: 'restart', member },
      ]),
    ],
    {
      note: 'In the ring a member that was away waits to be told who leads, and the duty takes long to come round.',
    },
  ),
  story('power-cut', 'Power cut', 'All members die at once, and start again 10 s later.', [
    { do: 'crash', member: 'all' },
    { atMs: 20_000, do: 'restart', member: 'all' },
  ]),
  story(
    'two-left',
    'Two of five are left',
    'Three members die, the leader among them: no majority is left.',
    [
      { do: 'crash', member: 'leader' },
      { do: 'crash', member: 'random' },
      { do: 'crash', member: 'random' },
    ],
    { note: 'Without a majority, epoch and quorum rather have no leader than a wrong one.' },
  ),
  story(
    'delay-spike',
    'Everything is slow',
    'For 20 s messages take 2 to 4 s instead of a third of a second.',
    [
      { do: 'network', latencyMs: [2000, 4000] },
      { atMs: MENDED_MS, do: 'network', latencyMs: [100, 350] },
    ],
    { note: 'Quorum and epoch are without a leader for as long as it lasts, bully has too many.' },
  ),
  story('lossy', 'Messages are lost', 'Three of ten messages never arrive.', [], {
    network: { loss: 0.3 },
    note: 'With quorum, a lease that is not renewed in time ends the leadership, and another begins. There are never two.',
  }),
  story('duplicates', 'Messages arrive twice', 'Every second message arrives twice.', [], {
    network: { duplicate: 0.5 },
  }),
  story(
    'reorder',
    'Messages overtake each other',
    'Every fourth message is kept back for up to ten times as long.',
    [],
    { network: { reorder: 0.25 } },
  ),
  story('amnesia', 'A leader that forgets', 'The leader starts again with an empty disk.', [
    { do: 'restart', member: 'leader', amnesia: true },
  ]),
  story(
    'others-forget',
    'The others forget',
    'The leader is cut off for 20 s, and the others start again with empty disks.',
    [
      { do: 'partition', groups: [['leader'], ['followers']] },
      { do: 'crash', member: 'followers' },
      { do: 'restart', member: 'followers', amnesia: true },
      HEAL,
    ],
    {
      note: 'In epoch the forgotten votes are given a second time. That quorum gets by here is luck: it promises to survive one lost disk, not four.',
    },
  ),
  story(
    'pause-leader',
    'The leader stops',
    'The leader’s process is stopped for 20 s, as by SIGSTOP, and goes on as if nothing had been.',
    [
      { do: 'pause', member: 'leader' },
      { atMs: MENDED_MS, do: 'resume', member: 'all' },
    ],
  ),
  story(
    'slow-clock',
    'A slow clock',
    'The leader’s clock runs five times too slowly.',
    [{ do: 'clock', member: 'leader', rate: 0.2 }],
    {
      note: 'Quorum counts on clocks that differ by at most 1 %: this breaks it for a moment. A lease is as good as its clock.',
    },
  ),
  story(
    'fast-clock',
    'A fast clock',
    'The clock of member 3 runs five times too fast.',
    [{ do: 'clock', member: 3, rate: 5 }],
    { note: 'Member 3 loses patience before any answer can have come.' },
  ),
  story(
    'disk-stall',
    'Disks that stall',
    'The leader dies while no disk can write; 20 s later they can again.',
    [
      { do: 'disk', member: 'all', fault: 'stall' },
      { do: 'crash', member: 'leader' },
      { atMs: MENDED_MS, do: 'disk', member: 'all', fault: 'none' },
    ],
    {
      note: 'Protocols that save before they send (draw, epoch, quorum) have to wait. In draw all members have removed each other by then, and four win at once.',
    },
  ),
];

/** A preset of the stage, over members in the order of their ids. */
function topology(name: string): readonly Action[] {
  return TOPOLOGIES.find((each) => each.name === name)!
    .make(FIVE)
    .filter((action) => action.do !== 'heal' || 'from' in action);
}
