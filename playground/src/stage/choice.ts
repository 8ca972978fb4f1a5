import type { MemberId } from '../../../src/core/index.ts';
import { flightLane, type Layout } from '../draw/layout.ts';
import { timersOf } from '../game/history/timers.ts';
import type { Subject } from './bar-place.ts';
import { type Deed, flightDeeds, isInAir, linkDeeds, memberDeeds } from './deeds.ts';
import type { StageGame } from './stage-game.ts';

/** The selection on the stage, where it is, and the possible actions. */
export interface Choice {
  readonly title: string;
  readonly says: string;
  readonly subject: Subject;
  readonly first: readonly Deed[];
  readonly more: readonly Deed[];
}

export function choiceOf(game: StageGame, layout: Layout, commands: readonly string[]): Choice | null {
  const { selection, frame, history } = game;
  const { places, disc, dot } = layout;
  if (selection?.kind === 'member') {
    const shot = frame.members.find((each) => each.id === selection.id);
    const anchor = places.get(selection.id);
    if (shot === undefined || anchor === undefined) return null;
    const timers = timersOf(history, shot, frame.ms);
    const deeds = memberDeeds(shot, timers, commands, layout.ids, frame.blocked);
    return {
      title: `member ${shot.id}`,
      says: '',
      subject: { from: anchor, to: anchor, clearance: disc + 18 },
      ...deeds,
    };
  }
  if (selection?.kind === 'link') {
    const { from, to } = selection;
    const [a, b] = [places.get(from), places.get(to)];
    if (a === undefined || b === undefined) return null;
    const first = linkDeeds(from, to, frame.blocked);
    const title = `the link ${from} – ${to}`;
    return {
      title,
      says: linkWords(from, to, frame.blocked),
      subject: { from: a, to: b, clearance: 14 },
      first,
      more: [],
    };
  }
  const flight = selection?.kind === 'flight' ? history.flights.all[selection.index] : undefined;
  const way = flight && flightLane(layout, flight);
  if (flight === undefined || !way) return null;
  const isHere = isInAir(flight, frame.ms);
  return {
    title: `${flight.message.type}, ${flight.from} → ${flight.to}`,
    says: isHere ? 'on its way' : frame.ms < flight.sentMs ? 'not sent yet' : ENDS[flight.fate],
    subject: { from: way[0], to: way[1], clearance: dot + 14 },
    first: isHere ? flightDeeds(flight) : [],
    more: [],
  };
}

function linkWords(from: MemberId, to: MemberId, blocked: ReadonlySet<string>): string {
  const there = blocked.has(`${from}>${to}`);
  const back = blocked.has(`${to}>${from}`);
  if (there && back) return 'cut both ways';
  if (there) return `cut from ${from} to ${to}`;
  return back ? `cut from ${to} to ${from}` : 'connected';
}

const ENDS = {
  arriving: 'arrived',
  lost: 'lost',
  cut: 'stopped by a cut',
  dropped: 'dropped',
  held: 'held',
  duplicated: 'sent twice',
  unknown: '',
} as const;
