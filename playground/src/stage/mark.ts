import type { MemberShot } from '../game/history/history.ts';

/** The geometry of one member's picture, around its centre. */
export interface Mark {
  readonly isSmall: boolean;
  readonly reach: number;
  readonly gap: number;
  readonly inset: number;
  readonly cross: string;
  readonly crown: string;
  readonly hasId: boolean;
  readonly idSize: number;
  readonly idY: number;
  readonly term: string;
  readonly termSize: number;
  readonly termY: number;
  /** Its votes as dots, or as a number if they are too many for that. */
  readonly pips: readonly number[];
  readonly votes: string;
  readonly pipY: number;
  /** How large the signs at its side are. */
  readonly badge: number;
  /** What is unusual about its clock and its disk. */
  readonly notes: string;
}

/** Smaller discs leave no room for words. */
const ROOMY = 21;
const LEGIBLE = 16;
const MOST_PIPS = 7;

export function markOf(shot: MemberShot, disc: number, termWord: string): Mark {
  const isRoomy = disc >= ROOMY;
  const isLegible = disc >= LEGIBLE;
  const arm = disc * 0.62;
  const term = !shot.alive || shot.term === null || !isLegible ? '' : String(shot.term);
  const { pips, votes } = votesOf(shot, isLegible);
  const idSize = Math.round(isRoomy ? disc * 0.72 : Math.max(7, disc * 0.85));
  const termY = isRoomy ? disc * 0.41 : disc * 0.66;
  const long = `${termWord} ${term}`;
  const rim = shot.role === 'leader' ? LEADER_RIM : RIM;
  const longSize = Math.min(11, sizeInside(long, disc - rim, termY));
  const hasWord = isRoomy && term !== '' && longSize >= 7;
  return {
    isSmall: !isLegible,
    reach: Math.max(disc, 12),
    gap: isLegible ? 4.5 : 2.5,
    inset: isLegible ? 4 : 2,
    cross: `M${-arm} ${-arm}L${arm} ${arm}M${arm} ${-arm}L${-arm} ${arm}`,
    crown: crown(disc),
    hasId: disc >= 6,
    idSize,
    idY: term === '' ? idSize * 0.36 : 0,
    term: hasWord ? long : term,
    termSize: hasWord ? longSize : Math.round(isRoomy ? disc * 0.36 : disc * 0.6),
    termY,
    pips,
    votes,
    pipY: disc + 22,
    badge: isRoomy ? 1 : Math.max(0.5, disc / ROOMY),
    notes: notesOf(shot, isLegible),
  };
}

/** Air between the edge of the disc and the words inside; a leader has a second ring there. */
const RIM = 3;
const LEADER_RIM = 6;
/** How wide a letter is on the whole, as a part of its height. */
const LETTER = 0.57;

/** The largest size at which a line of text at this height stays inside a circle. */
function sizeInside(text: string, radius: number, y: number): number {
  return (2 * Math.sqrt(Math.max(0, radius ** 2 - y ** 2))) / (text.length * LETTER);
}

/** Three points on the upper edge of the disc. */
function crown(disc: number): string {
  const w = Math.max(3, Math.min(11, disc * 0.42));
  const top = -disc - w * 1.15;
  const base = -disc + w * 0.2;
  const mid = -disc - w * 0.3;
  return `M${-w} ${base}V${top}L${-w / 2} ${mid}L0 ${top - w * 0.25}L${w / 2} ${mid}L${w} ${top}V${base}Z`;
}

function votesOf({ alive, role, votes }: MemberShot, isLegible: boolean): Pick<Mark, 'pips' | 'votes'> {
  const count = alive && role !== 'follower' && isLegible ? votes.length : 0;
  if (count > MOST_PIPS) return { pips: [], votes: `${count} votes` };
  return { pips: Array.from({ length: count }, (_, i) => (i - (count - 1) / 2) * 7), votes: '' };
}

function notesOf({ clockRate, disk }: MemberShot, isLegible: boolean): string {
  const notes: string[] = [];
  if (clockRate !== 1) notes.push(isLegible ? `clock ×${clockRate}` : '◷');
  if (disk !== 'none') notes.push(isLegible ? `disk: ${disk}` : '▤');
  return notes.join(' ');
}
