import type { MemberId } from '../../../core/index.ts';
import type { Lane, Row } from '../../../story/index.ts';
import type { Paint, Style } from '../../terminal/colours.ts';
import { packed } from '../../terminal/wrap.ts';

/** Longer ids are replaced by a letter. */
const LONGEST_NAME = 2;

interface Glyph {
  readonly text: string;
  readonly styles: readonly Style[];
  readonly meaning: string;
}

/** If lanes leave less room for words than this, members get shorter names. */
const ENOUGH_WORD_COLUMNS = 44;
/** If lanes leave less than this, they are omitted. */
const FEWEST_WORD_COLUMNS = 22;
/** A sign and a space on both sides. */
const NARROWEST_LANE = 3;

/** A column for each member that shows its state at that moment. */
export class LaneDrawer {
  readonly width: number;
  readonly #names: ReadonlyMap<MemberId, string>;
  readonly #laneWidth: number;
  readonly #paint: Paint;
  readonly #lanes = new Map<MemberId, Lane>();
  readonly #seen = new Map<string, Glyph>();

  constructor(names: ReadonlyMap<MemberId, string>, laneWidth: number, paint: Paint) {
    this.#names = names;
    this.#paint = paint;
    this.#laneWidth = laneWidth;
    this.width = laneWidth * names.size + 2;
  }

  /** The widest lanes that leave enough room for words, or null if there are too many members. */
  static fit(members: readonly MemberId[], columns: number, paint: Paint): LaneDrawer | null {
    const full = new Map(members.map((id) => [id, String(id)]));
    const short = shortNames(members);
    const layouts = [
      { names: full, gap: 2, words: ENOUGH_WORD_COLUMNS },
      { names: short, gap: 2, words: ENOUGH_WORD_COLUMNS },
      { names: short, gap: 1, words: FEWEST_WORD_COLUMNS },
    ];
    for (const { names, gap, words } of layouts) {
      const longest = Math.max(...[...names.values()].map((name) => name.length));
      const drawer = new LaneDrawer(names, Math.max(longest + gap, NARROWEST_LANE), paint);
      if (columns - drawer.width >= words) return drawer;
    }
    return null;
  }

  /** Which letter stands for which member, if ids were too long. */
  key(columns: number): string[] {
    const changed = [...this.#names].filter(([id, name]) => String(id) !== name);
    return packed(
      changed.map(([id, name]) => [`${name} ${id}`, this.#paint(`${name} ${id}`, 'dim')]),
      columns,
    );
  }

  head(): string {
    return [...this.#names.values()].map((name) => this.#cell(name, ' ')).join('');
  }

  /** The lanes after that row. Events from outside are drawn right across. */
  draw(row: Row): string {
    for (const [id, lane] of row.lanes) this.#lanes.set(id, lane);
    const line = lineOf(row.kind);
    const cells = [...this.#names.keys()].map((id) => {
      const glyph = this.#glyph(id);
      const quiet = row.kind !== 'routine' && glyph.text !== '★' && !row.members.includes(id);
      const styles = quiet ? [...glyph.styles, 'dim' as const] : glyph.styles;
      return this.#cell(glyph.text, this.#paint(line.text, ...line.styles), styles);
    });
    return `${cells.join('')}${this.#paint(line.text, ...line.styles)} `;
  }

  /** Explains the signs that were drawn so far. */
  legend(columns: number): string[] {
    const signs = [...this.#seen.values()].map(({ text, styles, meaning }): [string, string] => [
      `${text} ${meaning}`,
      `${this.#paint(text, ...styles)} ${meaning}`,
    ]);
    return packed(signs, columns);
  }

  #cell(text: string, filler: string, styles: readonly Style[] = []): string {
    const pad = this.#laneWidth - text.length;
    const left = Math.floor(pad / 2);
    return filler.repeat(left) + this.#paint(text, ...styles) + filler.repeat(pad - left);
  }

  #glyph(id: MemberId): Glyph {
    const lane = this.#lanes.get(id);
    if (lane === undefined) return { text: ' ', styles: [], meaning: '' };
    const [kind, glyph] = glyphOf(lane);
    if (kind !== 'follows') {
      this.#seen.set(kind, glyph);
      return glyph;
    }
    this.#seen.set(kind, { ...glyph, text: 'n' });
    return { ...glyph, text: this.#names.get(lane.leader!) ?? '●' };
  }
}

const LINES: Readonly<Partial<Record<Row['kind'], Style>>> = {
  fault: 'red',
  repair: 'green',
  command: 'cyan',
};

function lineOf(kind: Row['kind']): { readonly text: string; readonly styles: readonly Style[] } {
  const style = LINES[kind];
  return style === undefined ? { text: ' ', styles: [] } : { text: '─', styles: [style] };
}

/** A follower's lane shows its leader, so that two camps can be distinguished. */
function glyphOf({ role, leader, paused }: Lane): [kind: string, Glyph] {
  if (role === 'down') return ['down', { text: '✖', styles: ['red'], meaning: 'down' }];
  if (paused) return ['paused', { text: '‖', styles: ['red'], meaning: 'stopped' }];
  if (role === 'leader') return [role, { text: '★', styles: ['green', 'bold'], meaning: 'leads' }];
  if (role === 'candidate') return [role, { text: '?', styles: ['yellow'], meaning: 'candidate' }];
  if (role === 'none') return [role, { text: '·', styles: [], meaning: 'no part' }];
  if (leader === null) return [role, { text: '○', styles: [], meaning: 'no leader' }];
  return ['follows', { text: '', styles: ['cyan'], meaning: 'follows n' }];
}

/** Short names for members with long ids: a, b, c and so on. */
function shortNames(members: readonly MemberId[]): Map<MemberId, string> {
  const taken = new Set(members.map(String).filter((id) => id.length <= LONGEST_NAME));
  const names = new Map<MemberId, string>();
  let next = 0;
  for (const member of members) {
    const id = String(member);
    let name = id;
    while (id.length > LONGEST_NAME && (name === id || taken.has(name))) name = letters(next++);
    names.set(member, name);
  }
  return names;
}

/** a, b, … z, aa, ab, … */
function letters(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}
