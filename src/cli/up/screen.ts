import type { Paint } from '../colours.ts';
import { oneLine } from '../refusal.ts';
import type { Fleet, FleetEvent, FleetMember, MemberState } from './fleet.ts';

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
/** What stands above and below the list of events. */
const FRAME_LINES = 9;
const MOST_EVENTS = 100;
const NEWS: readonly string[] = [
  'acting',
  'idle',
  'kill',
  'pause',
  'resume',
  'exit',
  'health',
  'failed',
  'stderr',
  'stdout',
];

/** What is worth a line of the screen; the rest is noise there. */
export function isNews({ event }: FleetEvent): boolean {
  return NEWS.includes(event);
}

/** One page that shows how the cluster is, drawn again when something has changed. */
export class Screen {
  readonly #fleet: Fleet;
  readonly #out: NodeJS.WriteStream;
  readonly #paint: Paint;
  readonly #title: string;
  readonly #events: FleetEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(fleet: Fleet, title: string, out: NodeJS.WriteStream, paint: Paint) {
    this.#fleet = fleet;
    this.#title = title;
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
    const { columns = 80, rows = 24 } = this.#out;
    const lines = screenLines(this.#fleet, this.#title, this.#events, rows - 1);
    const drawn = lines.map(({ text, paint }) => paint(oneLine(text).slice(0, columns - 1), this.#paint));
    this.#out.write(`${HOME}${drawn.map((line) => `${line}${CLEAR_LINE}`).join('\r\n')}${CLEAR_BELOW}`);
  };
}

interface Line {
  readonly text: string;
  readonly paint: (text: string, paint: Paint) => string;
}

const asIs = (text: string): Line => ({ text, paint: (cut) => cut });

function screenLines(fleet: Fleet, title: string, events: readonly FleetEvent[], rows: number): Line[] {
  const { leader, members } = fleet;
  const who = leader === null ? 'nobody leads' : `member ${leader.id} leads, token ${leader.token ?? 'none'}`;
  const room = Math.max(rows - FRAME_LINES - members.length, 3);
  return [
    { text: title, paint: (cut, paint) => paint(cut, 'bold') },
    { text: who, paint: (cut, paint) => paint(cut, leader === null ? 'yellow' : 'green') },
    asIs(''),
    ...members.map(memberLine),
    asIs(''),
    ...events.slice(-room).map((event) => asIs(`${event.at.slice(11, 23)}  ${event.id}  ${event.text}`)),
    asIs(''),
    {
      text: `1-${Math.min(members.length, 9)} kill -9 or restart   p pause or resume the leader   q quit`,
      paint: (cut, paint) => paint(cut, 'dim'),
    },
  ];
}

function memberLine({ id, url, pid, state }: FleetMember): Line {
  // Blanks at the beginning of a line would be trimmed, so something stands before them.
  const text = `|  ${String(id).padStart(2)}  ${STATES[state].padEnd(8)}  ${url}  ${pid === null ? '' : `pid ${pid}`}`;
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
