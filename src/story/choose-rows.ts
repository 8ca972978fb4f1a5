import { groupScenes, type Told } from './groups.ts';
import { listed } from './names.ts';
import { counted, duration, grouped } from './numbers.ts';
import { type Row, rowOf } from './rows.ts';
import { addTo, countAllBut, isOrdered, newRoutine, type Routine, type Scene } from './scene.ts';
import { bothEnds } from './thin.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A stretch without any rows gets its own line if it lasts for this share of the run. */
const LONG_SHARE = 0.01;
/** The same if there are more lines than a person would read. */
const LONG_SHARE_CROWDED = 0.04;
/** How many lines the time before the first leader may take if not everything fits. */
const MOST_OPENING = 8;
const LEAST_OPENING = 5;
/** If the user ordered more events than this, not all of them are shown. */
const MOST_ORDERED = 40;
/** How many types of routine messages are named. */
const MOST_KINDS = 3;

/**
 * Turns scenes into about `most` rows: with every message that had consequences if that fits, else only with changes
 * of belief, else only with changes of leader, and in the end only with the beginning, the end, and the events that
 * the user ordered. These are always shown, and so is the beginning.
 */
export function toRows(
  scenes: readonly Scene[],
  vocabulary: Vocabulary,
  untilMs: number,
  most: number,
): Row[] {
  const layout = new Layout(scenes, vocabulary, untilMs);
  const opening = layout.opening();
  const told = layout.told(0, opening);
  const ordered = told.filter((group) => isOrdered(group[0]!));
  const limit = most + Math.floor(Math.min(ordered.length, MOST_ORDERED) / 2);
  if (ordered.length <= MOST_ORDERED) {
    for (const weight of [2, 1, 0]) {
      const rows = layout.rows(layout.told(weight, opening), LONG_SHARE);
      if (rows.length <= limit) return rows;
    }
  }
  return layout.rows(pick(told, ordered, most), LONG_SHARE_CROWDED);
}

/**
 * The events that the user ordered, and of the rest the beginning, the end, and the first violation of each property.
 */
function pick(told: readonly Told[], ordered: readonly Told[], most: number): Told[] {
  const kept = new Set(bothEnds(ordered, MOST_ORDERED / 2));
  const rest = told.filter((group) => !isOrdered(group[0]!));
  const room = Math.max(Math.floor((most - kept.size) / 2), Math.floor(most / 4));
  const head = Math.ceil((room * 2) / 3);
  for (const group of [...rest.slice(0, head), ...rest.slice(Math.max(head, rest.length - (room - head)))]) {
    kept.add(group);
  }
  const broken = new Set<string>();
  for (const group of rest) {
    const [first] = group;
    if (first!.kind !== 'violation') continue;
    const { property, claimed } = first!.violation;
    if (!broken.has(`${property} ${claimed}`)) kept.add(group);
    broken.add(`${property} ${claimed}`);
  }
  return told.filter((group) => kept.has(group));
}

class Layout {
  readonly #scenes: readonly Scene[];
  readonly #vocabulary: Vocabulary;
  readonly #untilMs: number;

  constructor(scenes: readonly Scene[], vocabulary: Vocabulary, untilMs: number) {
    this.#scenes = scenes;
    this.#vocabulary = vocabulary;
    this.#untilMs = untilMs;
  }

  /** The beginning, until the first leader has its followers: in full if that is short. */
  opening(): ReadonlySet<Scene> {
    const start = this.#scenes.slice(0, endOfOpening(this.#scenes));
    let groups: Told[] = [];
    for (const weight of [2, 1]) {
      groups = this.#groups(countAllBut(start, (scene) => this.#matters(scene, weight)));
      if (groups.length <= MOST_OPENING) return new Set(groups.flat());
    }
    return new Set(groups.slice(0, LEAST_OPENING).flat());
  }

  /** The scenes of at least this weight, and those of the opening. */
  told(weight: number, opening: ReadonlySet<Scene>): Told[] {
    return this.#groups(
      countAllBut(this.#scenes, (scene) => this.#matters(scene, weight) || opening.has(scene)),
    );
  }

  /** Shows these, and counts the rest. */
  rows(told: readonly Told[], longShare: number): Row[] {
    const kept = new Set<Scene>(told.flat());
    const rows: Row[] = [];
    let counting = newRoutine(0);
    const tellCounts = (toMs: number, isEnd: boolean): void => {
      const fromMs = rows.at(-1)?.atMs ?? 0;
      const { sent, unheard, changes, events } = counting;
      const isLong = isEnd || events > 0 || toMs - fromMs >= this.#untilMs * longShare;
      if (!isLong || sent.size + unheard.size + changes + events === 0) return;
      const [words, ...shorter] = routineWords(counting, toMs - fromMs);
      const { lanes } = counting;
      rows.push({ kind: 'routine', atMs: fromMs, words: words!, shorter, aside: '', members: [], lanes });
    };
    for (const group of groupScenes(
      countAllBut(this.#scenes, (scene) => kept.has(scene)),
      this.#vocabulary,
    )) {
      if (isRoutine(group)) {
        addTo(counting, group);
        continue;
      }
      const row = rowOf(group, this.#vocabulary, (scene) => kept.has(scene));
      tellCounts(row.atMs, false);
      // Changes without a row still show in the lanes.
      rows.push({ ...row, lanes: new Map([...counting.lanes, ...row.lanes]) });
      counting = newRoutine(row.atMs);
    }
    tellCounts(this.#untilMs, true);
    return rows;
  }

  #groups(scenes: readonly Scene[]): Told[] {
    return groupScenes(scenes, this.#vocabulary).filter((group): group is Told => !isRoutine(group));
  }

  #matters(scene: Scene, weight: number): boolean {
    if (scene.weight > weight) return false;
    if (scene.kind !== 'step' || scene.weight < 2) return true;
    return !scene.repeats && !this.#vocabulary.habits.isRoutine(scene);
  }
}

/** Up to the first leader, and on until another member leads or an event is ordered. */
function endOfOpening(scenes: readonly Scene[]): number {
  const first = scenes.findIndex((scene) => scene.kind === 'step' && scene.after?.role === 'leader');
  const next = scenes.findIndex((scene, i) => i > first && scene.weight === 0);
  return next < 0 ? scenes.length : next;
}

function isRoutine(group: Told | Routine): group is Routine {
  return 'kind' in group;
}

/** "64 keep-alive and 8 ack in 3.2 s (5 lost)", and then the same with ever fewer types of messages by name. */
function routineWords({ sent, unheard, changes, events }: Routine, lastedMs: number): string[] {
  const most = [...sent].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const missing = [...unheard].map(
    ([fate, count]) => `${grouped(count)} ${fate === 'cut' ? 'cut off' : fate}`,
  );
  const lasted = ` in ${duration(lastedMs)}`;
  if (sent.size + changes + events === 0) return [`${listed(missing)}${lasted}`];
  const after = `${lasted}${missing.length === 0 ? '' : ` (${missing.join(', ')})`}`;
  return Array.from({ length: MOST_KINDS }, (_, i) => {
    const kinds = most.slice(0, MOST_KINDS - i).map(([type, count]) => `${grouped(count)} ${type}`);
    const rest = most.slice(MOST_KINDS - i).reduce((sum, [, count]) => sum + count, 0);
    if (rest > 0) kinds.push(`${grouped(rest)} more`);
    if (changes > 0) kinds.unshift(counted(changes, 'change'));
    if (events > 0) kinds.unshift(`${counted(events, 'event')} of the scenario`);
    return `${listed(kinds)}${after}`;
  });
}
