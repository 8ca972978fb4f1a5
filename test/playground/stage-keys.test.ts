import { describe, expect, it } from 'vitest';
import { KEYS, type KeyContext, onStageKey } from '../../playground/src/stage/keys.ts';
import { leaderOf } from '../../playground/src/stage/stage-game.ts';
import type { MemberId } from '../../src/core/index.ts';
import { PlainGame } from './stage-game.ts';

/** Somebody at the keys, with the focus on a member. */
class Visitor {
  readonly game: PlainGame;
  readonly called: string[] = [];
  focused: MemberId | null = 1;
  areLettersOn = true;

  constructor(protocol = 'epoch', atMs = 5000) {
    this.game = new PlainGame(protocol, 5, atMs);
  }

  press(key: string, held: { shiftKey?: boolean; ctrlKey?: boolean } = {}): boolean {
    const context: KeyContext = {
      areLettersOn: this.areLettersOn,
      speeds: [0.5, 1, 2],
      focused: this.focused,
      focus: (id) => {
        this.focused = id;
      },
      toMenu: () => this.called.push('menu'),
      mark: (id) => this.called.push(`mark ${id}`),
      splitMarked: () => this.called.push('split'),
      onhelp: () => this.called.push('help'),
      onlink: () => this.called.push('link'),
      onrace: () => this.called.push('race'),
      onalarm: () => this.called.push('alarm'),
    };
    const pressed = { key, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, ...held };
    return onStageKey(this.game, pressed, context);
  }

  get last(): object | undefined {
    return this.game.timeline.events.at(-1);
  }

  shot(id: MemberId) {
    return this.game.frame.members.find((each) => each.id === id)!;
  }
}

describe('keys of the stage', () => {
  it('play, step, tick, change the speed and go to both ends', () => {
    const visitor = new Visitor();
    const { game } = visitor;
    visitor.press(' ');
    expect(game.isPlaying).toBe(true);
    visitor.press(' ');
    expect(game.isPlaying).toBe(false);
    visitor.press('[');
    expect(game.cursorMs).toBe(4900);
    visitor.press(']');
    expect(game.cursorMs).toBe(5000);
    visitor.press(',');
    expect(game.cursorMs).toBeLessThan(5000);
    const before = game.cursorMs;
    visitor.press('.');
    expect(game.cursorMs).toBeGreaterThan(before - 1e-9);
    visitor.press('+');
    visitor.press('+');
    expect(game.speed).toBe(2);
    visitor.press('-');
    expect(game.speed).toBe(1);
    visitor.press('Home');
    expect(game.cursorMs).toBe(0);
    visitor.press('End');
    expect(game.cursorMs).toBe(game.headMs);
  });

  it('move among members, and around', () => {
    const visitor = new Visitor();
    visitor.press('ArrowRight');
    expect(visitor.game.selection).toEqual({ kind: 'member', id: 2 });
    visitor.press('ArrowLeft');
    visitor.press('ArrowUp');
    expect([visitor.focused, visitor.game.selection]).toEqual([5, { kind: 'member', id: 5 }]);
    visitor.press('Enter');
    expect(visitor.called).toEqual(['menu']);
    visitor.press('Escape');
    expect(visitor.game.selection).toBeNull();
  });

  it('kill and restart, pause and resume, fire a wait', () => {
    const visitor = new Visitor();
    visitor.press('k');
    expect([visitor.last, visitor.shot(1).alive]).toMatchObject([{ do: 'crash', member: 1 }, false]);
    visitor.press('K');
    expect(visitor.last).toMatchObject({ do: 'restart', member: 1 });
    visitor.focused = 2;
    visitor.press('p');
    expect(visitor.shot(2).paused).toBe(true);
    visitor.press('p');
    expect(visitor.shot(2).paused).toBe(false);
    visitor.focused = visitor.game.frame.members.find((each) => each.alive && each.role === 'follower')!.id;
    visitor.press('t');
    expect(visitor.shot(visitor.focused).role).toBe('candidate');
  });

  it('choose a link, its other end, and cut it both ways or one way', () => {
    const visitor = new Visitor();
    visitor.press('x');
    expect(visitor.game.selection).toEqual({ kind: 'link', from: 1, to: 2 });
    visitor.press('ArrowLeft');
    expect(visitor.game.selection).toEqual({ kind: 'link', from: 1, to: 5 });
    visitor.press('Enter');
    expect([...visitor.game.frame.blocked].sort()).toEqual(['1>5', '5>1']);
    visitor.press('X');
    expect(visitor.game.frame.blocked.size).toBe(0);
    visitor.press('X', { shiftKey: true });
    expect([...visitor.game.frame.blocked]).toEqual(['1>5']);
  });

  it('choose a message on its way and drop, duplicate or hold it', () => {
    const visitor = new Visitor();
    const { game } = visitor;
    visitor.focused = leaderOf(game.frame);
    game.goTo(game.history.flights.all.findLast((each) => each.from === visitor.focused)!.sentMs + 1);
    for (const [key, fate] of [
      ['Delete', 'dropped'],
      ['D', 'duplicated'],
      ['h', 'held'],
    ] as const) {
      visitor.press('m');
      const { selection } = game;
      if (selection?.kind !== 'flight') throw new Error('no message was chosen');
      const { id } = game.history.flights.all[selection.index]!;
      visitor.press(key);
      expect(game.history.flights.get(id)!.fate).toBe(fate);
    }
  });

  it('go through all messages of a member', () => {
    const visitor = new Visitor();
    const { game } = visitor;
    visitor.focused = leaderOf(game.frame);
    game.goTo(game.history.flights.all.findLast((each) => each.from === visitor.focused)!.sentMs + 1);
    const seen = new Set<number>();
    for (let i = 0; i < 8; i++) {
      visitor.press('m');
      if (game.selection?.kind === 'flight') seen.add(game.selection.index);
    }
    expect(seen.size).toBe(4);
  });

  it('fire all waits, which splits the votes, or only the next one', () => {
    const all = new Visitor('epoch', 100);
    all.press('a');
    expect(all.game.frame.members.map((each) => each.role)).toEqual(Array(5).fill('candidate'));
    const one = new Visitor('epoch', 100);
    one.press('s');
    expect(one.game.frame.members.filter((each) => each.role === 'candidate')).toHaveLength(1);
  });

  it('isolate the leader, undo it, and fork', () => {
    const visitor = new Visitor();
    const { game } = visitor;
    visitor.press('i');
    expect(game.frame.blocked.size).toBe(8);
    visitor.press('u');
    expect([game.frame.blocked.size, game.timeline.events.length, game.tree.current]).toEqual([0, 0, 1]);
    visitor.press('u');
    expect(game.notice).toBe('Nothing was done yet.');
    game.goTo(6000);
    visitor.press('f');
    expect(game.notice).toMatch(/the end of what is computed/);
    game.seek(3000);
    visitor.press('f');
    expect([game.tree.current, game.headMs]).toEqual([2, 3000]);
  });

  it('mark members, and leave to the page what is its own', () => {
    const visitor = new Visitor();
    visitor.press('l');
    visitor.press('L', { shiftKey: true });
    for (const key of ['c', 'g', 'r', '?']) visitor.press(key);
    expect(visitor.called).toEqual(['mark 1', 'split', 'link', 'alarm', 'race', 'help']);
  });

  it('are not taken from the browser, nor from those who switched letters off', () => {
    const visitor = new Visitor();
    expect(visitor.press('k', { ctrlKey: true })).toBe(false);
    expect(visitor.press('q')).toBe(false);
    expect(visitor.press('Tab')).toBe(false);
    visitor.areLettersOn = false;
    expect([visitor.press('k'), visitor.press('.'), visitor.press('?')]).toEqual([false, false, false]);
    expect(visitor.press(' ')).toBe(true);
    expect([visitor.game.isPlaying, visitor.game.selection]).toEqual([false, { kind: 'member', id: 1 }]);
    expect(visitor.game.timeline.events).toEqual([]);
  });

  it('are all told in the help', () => {
    const told = KEYS.flatMap(({ key }) => key.split(' ')).map((key) => key.replace('Shift+', ''));
    const visitor = new Visitor();
    const named: Record<string, string> = { Space: ' ', Arrows: 'ArrowLeft' };
    for (const key of told) expect([key, visitor.press(named[key] ?? key)]).toEqual([key, true]);
    expect(new Set(KEYS.map(({ key }) => key)).size).toBe(KEYS.length);
  });
});
