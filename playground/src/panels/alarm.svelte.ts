import { type Alarm, alarmsAt, lastDouble, nextAlarmMs, propertyOf } from '../game/cause/alarms.ts';
import { causeOf } from '../game/cause/cause.ts';
import type { Target } from '../game/cause/shrink.ts';
import { Shrinker } from '../game/cause/shrinker.svelte.ts';
import type { Game } from '../game/game.svelte.ts';
import { settings } from '../game/settings.svelte.ts';
import { alarmWords, pastWords } from '../game/words/alarm-words.ts';
import { Paced } from './paced.svelte.ts';

/** Two leaders for longer than this count as long. */
const LONG_MS = 1000;

/** What goes wrong at the moment that is shown, and what can be asked about it. */
export class AlarmWatch {
  readonly shrinker: Shrinker = new Shrinker();
  readonly #game: Game;
  readonly #paced: Paced;
  #noticedMs = 0;

  constructor(game: Game) {
    this.#game = game;
    this.#paced = new Paced(game, 100);
    $effect(() => this.#notice());
    $effect(() => {
      void this.#paced.timeline; // What was found about one run says nothing about another.
      return () => this.shrinker.cancel();
    });
  }

  readonly #all: readonly Alarm[] = $derived.by(() => {
    return alarmsAt(this.#paced.history, this.#paced.ms);
  });

  get alarm(): Alarm | null {
    return this.#all[0] ?? null;
  }

  get more(): number {
    return Math.max(0, this.#all.filter((each) => each.kind !== 'idle').length - 1);
  }

  readonly words: ReturnType<typeof alarmWords> | null = $derived.by(() => {
    if (this.alarm === null) return null;
    const { protocol, broken } = this.#paced.timeline.world;
    return alarmWords(this.alarm, { protocol: protocol.name, pledges: protocol.pledges, fallen: broken });
  });

  /** An alarm that is over by now. */
  readonly past: string = $derived.by(() => {
    if (this.alarm !== null && this.alarm.kind !== 'idle') return '';
    const last = lastDouble(this.#paced.history, this.#paced.ms);
    return last === null ? '' : pastWords(last);
  });

  /** The hint while nothing goes wrong: an alarm that is over, or still to come. */
  get hint(): string {
    const { found, cause } = this.#game;
    if (found !== null) return found.words;
    return this.past === '' && cause !== null ? 'This is before the alarm whose cause is shown.' : this.past;
  }

  get hasSubject(): boolean {
    return this.alarm !== null || this.past !== '';
  }

  showCause(): void {
    const subject = this.#subject;
    if (subject === null) return;
    const { history, timeline } = this.#game;
    this.#game.cause = causeOf(subject, history, timeline.world.protocol.vote);
  }

  hideCause(): void {
    this.#game.cause = null;
  }

  /** To the moment it began; from there, to the next one, or else to what was found before. */
  goTo(): void {
    const { history, cursorMs } = this.#game;
    const here = this.#subject?.fromMs ?? null;
    const ms = here === null || here === cursorMs ? (nextAlarmMs(history, cursorMs) ?? here) : here;
    if (ms !== null) return this.#look(ms);
    const { found } = this.#game;
    if (found === null) {
      this.#game.notice = 'Nothing has gone wrong so far.';
      return;
    }
    this.#look(found.atMs);
    this.#game.select({ kind: 'entry', index: history.countAt(found.atMs) - 1 });
  }

  #look(ms: number): void {
    this.#game.pause();
    this.#game.seek(ms);
  }

  shrink(): void {
    const subject = this.#subject;
    if (subject === null) return;
    const { timeline, headMs } = this.#game;
    const lastsMs =
      subject.kind === 'broken'
        ? 0
        : Math.floor(Math.min(LONG_MS, (subject.toMs ?? headMs) - subject.fromMs));
    const target: Target = { property: propertyOf(subject), lastsMs };
    this.shrinker.start(timeline.runUpTo(headMs), target);
  }

  openShorter(): void {
    const run = this.shrinker.report?.run;
    if (run === undefined) return;
    this.#game.pause();
    this.#game.start(run, run.untilMs);
  }

  /** How many events could be left out. */
  get eventCount(): number {
    void this.#paced.revision;
    return this.#paced.timeline.events.length;
  }

  /** The alarm to explain: the current one, else the last. */
  get #subject(): Alarm | null {
    if (this.alarm !== null && this.alarm.kind !== 'idle') return this.alarm;
    return lastDouble(this.#game.history, this.#game.cursorMs) ?? this.alarm;
  }

  /** A new alarm pauses the run if the visitor wants that, at the moment it began, even if it is over by now. */
  #notice(): void {
    const { alarm } = this;
    const { ms, history } = this.#paced;
    const sinceMs = this.#noticedMs;
    this.#noticedMs = ms;
    const { isPlaying } = this.#game;
    if (!isPlaying || !settings.pauseOnAlarm || ms <= sinceMs) return;
    const beganMs = nextAlarmMs(history, sinceMs) ?? Number.POSITIVE_INFINITY;
    const currentMs = alarm === null || alarm.kind === 'idle' ? -1 : alarm.fromMs;
    if (beganMs > ms && currentMs <= sinceMs) return;
    const atMs = beganMs <= ms ? beganMs : currentMs;
    this.#noticedMs = atMs;
    this.#game.pause();
    this.#game.seek(atMs);
  }
}
