import type { MemberId } from '../core/index.ts';
import type { Paint, Style } from './colours.ts';
import type { Row } from './rows.ts';
import type { Lane } from './scene.ts';

interface Glyph {
  readonly text: string;
  readonly styles: readonly Style[];
  readonly meaning: string;
}

/** A column for each member that shows what it is at that moment. */
export class LaneDrawer {
  readonly width: number;
  readonly #members: readonly MemberId[];
  readonly #laneWidth: number;
  readonly #paint: Paint;
  readonly #lanes = new Map<MemberId, Lane>();
  readonly #seen = new Map<string, Glyph>();

  constructor(members: readonly MemberId[], paint: Paint) {
    this.#members = members;
    this.#paint = paint;
    this.#laneWidth = Math.max(...members.map((id) => String(id).length)) + 2;
    this.width = this.#laneWidth * members.length + 2;
  }

  head(): string {
    return this.#members.map((id) => this.#cell(String(id), ' ')).join('');
  }

  /** The lanes after that row. What happened to the members from outside is drawn right across. */
  draw(row: Row): string {
    for (const [id, lane] of row.lanes) this.#lanes.set(id, lane);
    const line = lineOf(row.kind);
    const cells = this.#members.map((id) => {
      const glyph = this.#glyph(id);
      const quiet = row.kind !== 'routine' && glyph.text !== '★' && !row.members.includes(id);
      const styles = quiet ? [...glyph.styles, 'dim' as const] : glyph.styles;
      return this.#cell(glyph.text, this.#paint(line.text, ...line.styles), styles);
    });
    return `${cells.join('')}${this.#paint(line.text, ...line.styles)} `;
  }

  /** The signs that were drawn so far, explained. */
  legend(): string {
    const signs = [...this.#seen.values()];
    return signs.map(({ text, styles, meaning }) => `${this.#paint(text, ...styles)} ${meaning}`).join('   ');
  }

  #cell(text: string, filler: string, styles: readonly Style[] = []): string {
    const pad = this.#laneWidth - text.length;
    const left = Math.floor(pad / 2);
    return filler.repeat(left) + this.#paint(text, ...styles) + filler.repeat(pad - left);
  }

  #glyph(id: MemberId): Glyph {
    const lane = this.#lanes.get(id);
    if (lane === undefined) return { text: ' ', styles: [], meaning: '' };
    const [kind, glyph] = glyphOf(lane, this.#laneWidth - 2);
    this.#seen.set(kind, glyph);
    return glyph;
  }
}

function lineOf(kind: Row['kind']): { readonly text: string; readonly styles: readonly Style[] } {
  if (kind === 'fault') return { text: '─', styles: ['red'] };
  return kind === 'repair' ? { text: '─', styles: ['green'] } : { text: ' ', styles: [] };
}

/** A follower's lane shows whom it follows, so that two camps can be told apart. */
function glyphOf({ role, leader, paused }: Lane, room: number): [kind: string, Glyph] {
  if (role === 'down') return ['down', { text: '✖', styles: ['red'], meaning: 'down' }];
  if (paused) return ['paused', { text: '‖', styles: ['red'], meaning: 'stopped' }];
  if (role === 'leader') return [role, { text: '★', styles: ['green', 'bold'], meaning: 'leads' }];
  if (role === 'candidate') return [role, { text: '?', styles: ['yellow'], meaning: 'candidate' }];
  if (leader === null) {
    if (role === 'none') return [role, { text: '·', styles: [], meaning: 'no part' }];
    return [role, { text: '○', styles: [], meaning: 'no leader' }];
  }
  const name = String(leader);
  if (name.length > room) return ['follows', { text: '●', styles: ['cyan'], meaning: 'follows a leader' }];
  return ['follows', { text: name, styles: ['cyan'], meaning: `follows ${name}` }];
}
