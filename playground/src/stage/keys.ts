import type { MemberId } from '../../../src/core/index.ts';
import type { MemberShot } from '../game/history/history.ts';
import { mainTimer, waiting } from '../game/history/timers.ts';
import { beginningWith, TOPOLOGIES } from '../game/run/topologies.ts';
import { cutOrHeal, isInAir, killOrRestart, pauseOrResume } from './deeds.ts';
import { leaderOf, type StageGame } from './stage-game.ts';

/** Every key of the stage, for the help. */
export const KEYS: readonly { readonly key: string; readonly does: string }[] = [
  { key: 'Space', does: 'Play or pause' },
  { key: '. ,', does: 'To the next event, or the one before' },
  { key: '] [', does: 'One tick on, or back' },
  { key: '+ -', does: 'Faster, or slower' },
  { key: 'Home End', does: 'To the beginning, or to the end of what is computed' },
  { key: 'Arrows', does: 'From member to member; with a link chosen, its other end' },
  { key: 'Enter', does: 'Choose; once more goes to the buttons for it. A chosen link is cut or healed' },
  { key: 'Escape', does: 'Choose nothing' },
  { key: 'K', does: 'Kill the member, or restart it' },
  { key: 'P', does: 'Pause the member, or resume it' },
  { key: 'T', does: 'Let the election timer of the member expire now' },
  { key: 'X', does: 'Choose a link of the member; then X cuts or heals it' },
  { key: 'Shift+X', does: 'Cut or heal the chosen link one way, from the member outwards' },
  { key: 'M', does: 'Choose the next message to or from the member' },
  { key: 'Delete', does: 'Drop the chosen message' },
  { key: 'H', does: 'Hold the chosen message' },
  { key: 'D', does: 'Duplicate the chosen message' },
  { key: 'L', does: 'Mark the member, or not' },
  { key: 'Shift+L', does: 'Split the marked members from the rest' },
  { key: 'A', does: 'Let all election timers expire at once, which splits the votes' },
  { key: 'S', does: 'Let only the next election timer expire, which does not' },
  { key: 'I', does: 'Isolate the leader' },
  { key: 'U', does: 'Undo: continue from before the last action, as a branch' },
  { key: 'F', does: 'Fork here: begin a branch at this moment' },
  { key: 'C', does: 'Copy a link to this run' },
  { key: 'G', does: 'Go to the next alarm' },
  { key: 'R', does: 'Race protocols against each other' },
  { key: '?', does: 'Help' },
];

/** What the page does for a key. */
export interface StageCalls {
  readonly onhelp?: (() => void) | undefined;
  readonly onlink?: (() => void) | undefined;
  readonly onrace?: (() => void) | undefined;
  readonly onalarm?: (() => void) | undefined;
}

/** What the stage itself knows and does besides. */
export interface KeyContext extends StageCalls {
  readonly areLettersOn: boolean;
  readonly speeds: readonly number[];
  /** The member that has the focus, or would get it. */
  readonly focused: MemberId | null;
  readonly focus: (id: MemberId) => void;
  /** Goes to the buttons of what is selected. */
  readonly toMenu: () => void;
  readonly mark: (id: MemberId) => void;
  readonly splitMarked: () => void;
}

/** The relevant part of a keyboard event. */
interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

type Doing = (game: StageGame, context: KeyContext, pressed: Pressed) => void;

/** Handles a key of the stage. False if the key has no meaning there. */
export function onStageKey(game: StageGame, pressed: Pressed, context: KeyContext): boolean {
  if (pressed.ctrlKey || pressed.altKey || pressed.metaKey) return false;
  const { key } = pressed;
  const isLetter = key.length === 1 && key !== ' ';
  if (isLetter && !context.areLettersOn) return false;
  const doing = isLetter ? LETTERS[key.toLowerCase()] : NAMED[key];
  doing?.(game, context, pressed);
  return doing !== undefined;
}

const NAMED: Readonly<Record<string, Doing>> = {
  ' ': (game, context) => (context.areLettersOn ? playOrPause(game) : choose(game, context)),
  Home: (game) => lookAt(game, 0),
  End: (game) => lookAt(game, game.headMs),
  ArrowRight: (game, context) => move(game, context, 1),
  ArrowDown: (game, context) => move(game, context, 1),
  ArrowLeft: (game, context) => move(game, context, -1),
  ArrowUp: (game, context) => move(game, context, -1),
  Enter: choose,
  Escape: (game) => game.select(null),
  Delete: (game) => toMessage(game, 'drop'),
  Backspace: (game) => toMessage(game, 'drop'),
};

const LETTERS: Readonly<Record<string, Doing>> = {
  '.': (game) => game.step(true),
  ',': (game) => game.step(false),
  ']': (game) => game.tick(1),
  '[': (game) => game.tick(-1),
  '+': (game, { speeds }) => changeSpeed(game, speeds, 1),
  '=': (game, { speeds }) => changeSpeed(game, speeds, 1),
  '-': (game, { speeds }) => changeSpeed(game, speeds, -1),
  k: (game, context) => toMember(game, context, (shot) => game.act(...killOrRestart(shot).actions)),
  p: (game, context) => toMember(game, context, (shot) => game.act(...pauseOrResume(shot).actions)),
  t: (game, context) => toMember(game, context, (shot) => fireMain(game, shot)),
  x: cut,
  m: nextMessage,
  h: (game) => toMessage(game, 'hold'),
  d: (game) => toMessage(game, 'duplicate'),
  l: (_, context, { shiftKey }) => {
    if (shiftKey) context.splitMarked();
    else if (context.focused !== null) context.mark(context.focused);
  },
  a: (game) => fireWaits(game, Number.POSITIVE_INFINITY),
  s: (game) => fireWaits(game, 1),
  i: isolateLeader,
  u: undo,
  f: fork,
  c: (_, { onlink }) => onlink?.(),
  g: (_, { onalarm }) => onalarm?.(),
  r: (_, { onrace }) => onrace?.(),
  '?': (_, { onhelp }) => onhelp?.(),
};

function playOrPause(game: StageGame): void {
  if (game.isPlaying) game.pause();
  else game.play();
}

function lookAt(game: StageGame, ms: number): void {
  game.pause();
  game.seek(ms);
}

function changeSpeed(game: StageGame, speeds: readonly number[], by: number): void {
  const at = speeds.indexOf(game.speed);
  game.speed = speeds[Math.min(speeds.length - 1, Math.max(0, at + by))]!;
}

function move(game: StageGame, { focused, focus }: KeyContext, by: number): void {
  const { selection } = game;
  const ids = game.frame.members.map((shot) => shot.id);
  if (selection?.kind === 'link') {
    const others = ids.filter((id) => id !== selection.from);
    return game.select({ ...selection, to: neighbour(others, selection.to, by) });
  }
  const id = focused === null ? ids[0]! : neighbour(ids, focused, by);
  focus(id);
  game.select({ kind: 'member', id });
}

function neighbour(ids: readonly MemberId[], id: MemberId, by: number): MemberId {
  return ids[(ids.indexOf(id) + by + ids.length) % ids.length]!;
}

function choose(game: StageGame, { focused, toMenu }: KeyContext): void {
  const { selection } = game;
  if (selection?.kind === 'link')
    game.act(cutOrHeal(selection.from, selection.to, game.frame.blocked, false));
  else if (selection?.kind === 'flight') toMenu();
  else if (selection?.kind === 'member' && selection.id === focused) toMenu();
  else if (focused !== null) game.select({ kind: 'member', id: focused });
}

function toMember(game: StageGame, { focused }: KeyContext, doing: (shot: MemberShot) => void): void {
  const shot = game.frame.members.find((each) => each.id === focused);
  if (shot !== undefined) doing(shot);
}

function fireMain(game: StageGame, shot: MemberShot): void {
  const timer = mainTimer(game.history, shot, game.cursorMs);
  if (timer !== null) game.act({ do: 'fire', member: shot.id, timer: timer.timer });
}

/** Fires the election timers of all members, or of the few that are next. */
export function fireWaits(game: StageGame, most: number): void {
  const found = waiting(game.history, game.frame.members, game.cursorMs);
  const next = found.sort((a, b) => a.timer.dueMs - b.timer.dueMs).slice(0, most);
  if (next.length === 0) game.notice = 'No member is waiting.';
  else game.act(...next.map(({ member, timer }) => ({ do: 'fire', member, timer: timer.timer }) as const));
}

function cut(game: StageGame, { focused }: KeyContext, { shiftKey }: Pressed): void {
  const { selection } = game;
  if (selection?.kind === 'link')
    return game.act(cutOrHeal(selection.from, selection.to, game.frame.blocked, shiftKey));
  const ids = game.frame.members.map((shot) => shot.id);
  if (focused === null || ids.length < 2) return;
  game.select({ kind: 'link', from: focused, to: neighbour(ids, focused, 1) });
}

function nextMessage(game: StageGame, { focused }: KeyContext): void {
  const { all } = game.history.flights;
  const { selection } = game;
  const own = game.frame.flights.filter(
    (each) => each.id >= 0 && (focused === null || each.from === focused || each.to === focused),
  );
  if (own.length === 0) {
    game.notice = 'No message is on its way here.';
    return;
  }
  game.pause();
  const at = selection?.kind === 'flight' ? own.indexOf(all[selection.index]!) : -1;
  game.select({ kind: 'flight', index: game.history.flights.placeOf(own[(at + 1) % own.length]!) });
}

function toMessage(game: StageGame, what: 'drop' | 'hold' | 'duplicate'): void {
  const { selection } = game;
  const flight = selection?.kind === 'flight' ? game.history.flights.all[selection.index] : undefined;
  if (flight !== undefined && isInAir(flight, game.cursorMs)) game.act({ do: what, flight: flight.id });
}

function isolateLeader(game: StageGame): void {
  const leader = leaderOf(game.frame);
  if (leader === null) {
    game.notice = 'There is no leader.';
    return;
  }
  const order = beginningWith(
    game.frame.members.map((shot) => shot.id),
    leader,
  );
  game.act(...TOPOLOGIES.at(-1)!.make(order));
}

function undo(game: StageGame): void {
  const last = game.timeline.events.findLast((event) => event.atMs <= game.cursorMs);
  if (last === undefined) {
    game.notice = 'Nothing was done yet.';
    return;
  }
  game.seek(last.atMs - 0.001);
  game.act();
}

function fork(game: StageGame): void {
  if (game.cursorMs < game.headMs) game.act();
  else game.notice = 'This is the end of what is computed: your next action continues from here.';
}
