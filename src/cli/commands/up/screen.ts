import { oneLine } from '../../input/refusal.ts';
import type { Paint } from '../../terminal/colours.ts';
import { type Fleet, type FleetEvent, type FleetMember, type MemberState, progressWords } from './fleet.ts';

const STATES: Readonly<Record<MemberState, string>> = {
  starting: 'starting',
  up: 'follows',
  leading: 'LEADS',
  paused: 'paused',
  down: 'down',
};
const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';
const REDRAW_EVERY_MS = 50;
/** The title, the leader, and the keys: always shown. */
const FIXED_LINES = 3;
const BLANK_LINES = 3;
const FEWEST_EVENTS = 3;
const LONG_KEYS_COLUMNS = 66;
const MOST_EVENTS = 100;
const NEWS: readonly string[] = [
  'acting',
  'idle',
  'kill',
  'restart',
  'moved',
  'pause',
  'resume',
  'exit',
  'health',
  'act',
  'progress',
  'refused',
  'failed',
  'stderr',
  'stdout',
];

/** Events that the screen shows. */
export function isNews({ event, asked }: FleetEvent): boolean {
  // When we killed a member, the kill is shown, not its exit.
  return NEWS.includes(event) && asked !== true;
}

/** What the screen shows of the whole cluster. */
export interface Heading {
  readonly title: string;
  /** The address of the page, on a line of its own; null if the title has it. */
  readonly page: string | null;
  /** Does it take a majority of the members to elect a leader? */
  readonly byMajority: boolean;
}

/** The screen, redrawn when something has changed. */
export class Screen {
  readonly #fleet: Fleet;
  readonly #out: NodeJS.WriteStream;
  readonly #paint: Paint;
  readonly #heading: Heading;
  readonly #events: FleetEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(fleet: Fleet, heading: Heading, out: NodeJS.WriteStream, paint: Paint) {
    this.#fleet = fleet;
    this.#heading = heading;
    this.#out = out;
    this.#paint = paint;
    out.write(ENTER);
    out.on('resize', this.#draw);
    this.changed();
  }

  show(event: FleetEvent): void {
    if (isNews(event)) this.#events.push(event);
    if (this.#events.length > MOST_EVENTS) this.#events.shift();
    this.changed();
  }

  changed(): void {
    this.#timer ??= setTimeout(this.#draw, REDRAW_EVERY_MS);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#out.off('resize', this.#draw);
    this.#out.write(LEAVE);
  }

  readonly #draw = (): void => {
    this.#timer = undefined;
    if (!this.#isOpen) return;
    // A terminal that does not know its size says 0.
    const columns = this.#out.columns || 80;
    const rows = this.#out.rows || 24;
    const lines = screenLines(this.#fleet, this.#heading, this.#events, { rows: rows - 1, columns });
    const drawn = lines.map(({ text, paint }) => paint(oneLine(text).slice(0, columns - 1), this.#paint));
    this.#out.write(`${HOME}${drawn.map((line) => `${line}${CLEAR_LINE}`).join('\r\n')}${CLEAR_BELOW}`);
  };
}

interface Line {
  readonly text: string;
  readonly paint: (text: string, paint: Paint) => string;
}

const asIs = (text: string): Line => ({ text, paint: (cut) => cut });

interface Size {
  readonly rows: number;
  readonly columns: number;
}

function screenLines(
  fleet: Fleet,
  heading: Heading,
  events: readonly FleetEvent[],
  { rows, columns }: Size,
): Line[] {
  const { leader, members } = fleet;
  const hasMany = fleet.others > 0;
  const fixed = FIXED_LINES + (heading.page === null ? 0 : 1) + (hasMany ? 1 : 0);
  const isRoomy = rows >= fixed + members.length + BLANK_LINES + FEWEST_EVENTS;
  const blank = isRoomy ? [asIs('')] : [];
  const room = rows - fixed - BLANK_LINES * blank.length;
  // On a small screen, the last event is more important than the last member.
  const shown = memberLines(fleet, Math.max(room - 1, 1), columns);
  const told = Math.max(room - shown.length, 0);
  return [
    { text: heading.title, paint: (cut, paint) => paint(cut, 'bold') },
    ...(heading.page === null ? [] : [asIs(heading.page)]),
    {
      text: leaderWords(fleet, heading),
      paint: (cut, paint) => paint(cut, leader === null ? 'yellow' : 'green'),
    },
    ...(hasMany
      ? [
          {
            text: progressWords(fleet),
            paint: (cut: string, paint: Paint): string =>
              paint(cut, fleet.led === fleet.others ? 'green' : 'yellow'),
          },
        ]
      : []),
    ...blank,
    ...shown,
    ...blank,
    ...(told === 0 ? [] : events.slice(-told)).map((event) =>
      asIs(`${event.at.slice(11, 23)}  ${event.id ?? '-'}  ${event.text}`),
    ),
    ...blank,
    { text: keyWords(members.length, columns), paint: (cut, paint) => paint(cut, 'dim') },
  ];
}

function leaderWords({ leader, members, others, election }: Fleet, { byMajority }: Heading): string {
  const of = others === 0 ? '' : ` ${election}`;
  if (leader !== null) return `member ${leader.id} leads${of}, token ${leader.token ?? 'none'}`;
  const running = members.filter(({ state }) => state !== 'down' && state !== 'paused').length;
  const majority = Math.floor(members.length / 2) + 1;
  if (!byMajority || running >= majority) return 'no leader';
  return `no leader: ${running} of ${members.length} run, a majority is ${majority}`;
}

function keyWords(count: number, columns: number): string {
  const digits = `1-${Math.min(count, 9)}`;
  return columns < LONG_KEYS_COLUMNS
    ? `${digits} kill or restart   p pause   q quit`
    : `${digits} kill -9 or restart   p pause or resume the leader   q quit`;
}

/** One line each, or several on a line if there is not enough room. */
function memberLines({ members, leader, others }: Fleet, room: number, columns: number): Line[] {
  const wordOf = ({ state }: FleetMember): string =>
    state === 'up' && leader === null ? 'no leader' : STATES[state];
  if (members.length <= room) return members.map((member) => memberLine(member, wordOf(member), others > 0));
  const lines: string[] = [];
  for (const member of members) {
    const words = `${member.id} ${wordOf(member)}`;
    const last = lines.at(-1);
    if (last !== undefined && last.length + words.length + 3 < columns)
      lines[lines.length - 1] = `${last} · ${words}`;
    else lines.push(words);
  }
  return lines.slice(0, room).map(asIs);
}

function memberLine({ id, url, pid, state, leads }: FleetMember, word: string, hasMany: boolean): Line {
  // Leading blanks would be trimmed, so a bar stands before them.
  const text = `|  ${String(id).padStart(2)}  ${word.padEnd(9)}  ${url}  ${pid === null ? '' : `pid ${pid}`}${hasMany ? `  leads ${leads} more` : ''}`;
  return {
    text,
    paint: (cut, paint) => {
      const line = cut.slice(1);
      if (state === 'leading') return paint(line, 'green', 'bold');
      if (state === 'down') return paint(line, 'red');
      return state === 'paused' ? paint(line, 'yellow') : line;
    },
  };
}
