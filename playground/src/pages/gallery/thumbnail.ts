import { Random } from '../../../../src/core/index.ts';
import { type Action, DEFAULT_QUALITY, Network, type WorldEvent } from '../../../../src/simulation/index.ts';
import type { Story } from './story.ts';

export type Mark = 'leader' | 'dead' | 'paused' | 'clock' | 'disk' | 'forgets' | 'late';

/** A small picture of the fault: the members, their links, and which of them fail. */
export interface Thumbnail {
  readonly places: readonly { readonly x: number; readonly y: number; readonly marks: readonly Mark[] }[];
  readonly links: readonly {
    readonly x1: number;
    readonly y1: number;
    readonly x2: number;
    readonly y2: number;
    /** Open both ways, or only from the first to the second. */
    readonly oneWay: boolean;
  }[];
  /** The whole network is bad. */
  readonly isRough: boolean;
}

type Selector = number | string;

const MIDDLE = 50;
const RADIUS = 36;
const HURTS = { crash: 'dead', pause: 'paused', clock: 'clock', disk: 'disk' } as const;
/** The leader in the picture. */
const LEADER = 1;

export function thumbnailOf(story: Story): Thumbnail {
  const ids = Array.from({ length: story.members }, (_, i) => i + 1);
  const marks = new Map<number, Mark[]>([[LEADER, ['leader']]]);
  const network = new Network(DEFAULT_QUALITY, new Random(0, 'unused'));
  for (const id of Object.keys(story.starts ?? {})) marks.set(Number(id), ['late']);
  const atMs = story.events[0]?.atMs;
  for (const event of story.events) if (event.atMs === atMs) show(event, ids, marks, network);
  const at = (id: number): { x: number; y: number } => {
    const angle = ((id - 1) / ids.length) * 2 * Math.PI - Math.PI / 2;
    return { x: round(MIDDLE + RADIUS * Math.cos(angle)), y: round(MIDDLE + RADIUS * Math.sin(angle)) };
  };
  const links: Thumbnail['links'][number][] = [];
  for (const a of ids) {
    for (const b of ids) {
      const [there, back] = [network.connected(a, b), network.connected(b, a)];
      if (a === b || !there || (back && a > b)) continue;
      const [{ x: x1, y: y1 }, { x: x2, y: y2 }] = [at(a), at(b)];
      links.push({ x1, y1, x2, y2, oneWay: !back });
    }
  }
  const isRough = story.network !== undefined || story.events.some((event) => event.do === 'network');
  return { places: ids.map((id) => ({ ...at(id), marks: marks.get(id) ?? [] })), links, isRough };
}

function show(
  action: Action | WorldEvent,
  ids: readonly number[],
  marks: Map<number, Mark[]>,
  network: Network,
): void {
  const mark = (id: number, what: Mark): void => void marks.set(id, [...(marks.get(id) ?? []), what]);
  const who = (selector: Selector): number[] => {
    if (selector === 'all') return [...ids];
    if (selector === 'leader') return [LEADER];
    if (selector === 'followers') return ids.filter((id) => id !== LEADER);
    if (selector === 'random') return ids.filter((id) => marks.get(id) === undefined).slice(0, 1);
    return [Number(selector)];
  };
  const pairs = (from: Selector, to: Selector): [number, number][] =>
    who(from).flatMap((a) => who(to).flatMap((b): [number, number][] => (a === b ? [] : [[a, b]])));
  if (action.do === 'crash' || action.do === 'pause' || action.do === 'clock' || action.do === 'disk') {
    for (const id of who(action.member)) mark(id, HURTS[action.do]);
  } else if (action.do === 'restart') {
    if (action.amnesia || action.disk === 'lost')
      for (const id of who(action.member)) marks.set(id, [...leads(marks, id), 'forgets']);
  } else if (action.do === 'partition') {
    const seen = new Set<number>();
    const first = (id: number): boolean => !seen.has(id) && seen.add(id) !== undefined;
    network.partition(action.groups.map((group) => group.flatMap(who).filter(first)));
  } else if (action.do === 'cut') {
    for (const [a, b] of pairs(action.from, action.to)) network.cut(a, b, action.oneWay ?? false);
  } else if (action.do === 'heal' && action.from !== undefined && action.to !== undefined) {
    for (const [a, b] of pairs(action.from, action.to)) network.heal(a, b, false);
  }
}

function leads(marks: ReadonlyMap<number, Mark[]>, id: number): Mark[] {
  return (marks.get(id) ?? []).filter((mark) => mark === 'leader');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
