import type { MemberId } from '../core/index.ts';
import { eventWords, routineWords } from './event-words.ts';
import { groupScenes, type ToldScene } from './groups.ts';
import { nameMembers } from './names.ts';
import { grouped } from './numbers.ts';
import { nameProperty } from './property-names.ts';
import { countAllBut, type EventScene, type Lanes, newRoutine, type Routine, type Scene } from './scene.ts';
import { stepWords } from './step-words.ts';
import type { Vocabulary } from './vocabulary.ts';

/** One line of the timeline before it is laid out. */
export interface Row {
  /** Events that do harm, that undo it, and that do nothing to anybody. */
  readonly kind: Exclude<Scene['kind'], 'event'> | 'fault' | 'repair' | 'note';
  readonly atMs: number;
  readonly words: string;
  /** Why it happened, where there is room to say so. */
  readonly aside: string;
  /** Whose lanes it is about. */
  readonly members: readonly MemberId[];
  /** How lanes change with it. */
  readonly lanes: Lanes;
}

/** A stretch in which nothing is told gets a line of its own if it lasts for this share of the run. */
const LONG_SHARE = 0.01;

/**
 * Turns scenes into at most `most` rows: with every message that led to something if that fits, else only with
 * what members came to believe, else only with who led, and in the end with a gap in the middle.
 */
export function toRows(
  scenes: readonly Scene[],
  vocabulary: Vocabulary,
  untilMs: number,
  most: number,
): Row[] {
  let rows: Row[] = [];
  for (const weight of [2, 1, 0]) {
    const told = countAllBut(scenes, (scene) => scene.weight <= weight);
    rows = rowsOf(told, vocabulary, untilMs);
    if (rows.length <= most) return rows;
  }
  return withGap(rows, most);
}

function rowsOf(scenes: readonly Scene[], vocabulary: Vocabulary, untilMs: number): Row[] {
  const rows: Row[] = [];
  let counting = newRoutine(0);
  const tellCounts = (toMs: number, always: boolean): void => {
    const fromMs = rows.at(-1)?.atMs ?? 0;
    const empty = counting.sent.size + counting.unheard.size + counting.changes === 0;
    if (empty || (toMs - fromMs < untilMs * LONG_SHARE && !always)) return;
    const words = routineWords(counting, toMs - fromMs);
    rows.push({ kind: 'routine', atMs: fromMs, words, aside: '', members: [], lanes: counting.lanes });
  };
  for (const group of groupScenes(scenes, vocabulary)) {
    if ('kind' in group) {
      counting = countAllBut([counting, group], () => false)[0] as Routine;
      continue;
    }
    const row = rowOf(group, vocabulary);
    tellCounts(row.atMs, false);
    // What was too short to be told still shows in the lanes.
    rows.push({ ...row, lanes: new Map([...counting.lanes, ...row.lanes]) });
    counting = newRoutine(row.atMs);
  }
  tellCounts(untilMs, true);
  return rows;
}

function rowOf(scenes: readonly ToldScene[], vocabulary: Vocabulary): Row {
  const first = scenes[0]!;
  const { atMs } = first;
  const lanes: Lanes = new Map(scenes.flatMap((scene) => [...scene.lanes]));
  const members = [...new Set(scenes.flatMap(membersOf))];
  const who = nameMembers(members, vocabulary.members);
  const many = members.length > 1 && who !== 'everybody';
  switch (first.kind) {
    case 'violation': {
      const { property, claimed, detail } = first.violation;
      const words = `! ${property}, ${nameProperty(property)}: ${detail}${claimed ? ' (BROKEN PROMISE)' : ''}`;
      return { kind: 'violation', atMs, words, aside: '', members, lanes };
    }
    case 'event': {
      const words = eventWords(first, who, many, vocabulary);
      return { kind: kindOf(first.event), atMs, words, aside: '', members, lanes };
    }
    case 'step': {
      const words = `${who}${stepWords(first, many, vocabulary)}`;
      const tries = scenes.length > members.length ? `${scenes.length} tries` : '';
      const timer = first.input.type === 'timer' ? `timer ${first.input.timer}` : '';
      const why = [timer, tries].filter((each) => each !== '').join(', ');
      return { kind: 'step', atMs, words, aside: why === '' ? '' : `(${why})`, members, lanes };
    }
  }
}

function kindOf({ do: what, skipped }: EventScene['event']): Row['kind'] {
  if (skipped !== undefined || what === 'answer') return 'note';
  return ['restart', 'resume', 'heal', 'boot', 'release'].includes(what) ? 'repair' : 'fault';
}

function membersOf(scene: ToldScene): readonly MemberId[] {
  if (scene.kind === 'step') return [scene.member];
  if (scene.kind === 'violation') return scene.violation.members;
  return scene.event.member === undefined ? [] : [scene.event.member as MemberId];
}

/** The beginning and the end are what people look for. */
function withGap(rows: readonly Row[], most: number): Row[] {
  const head = rows.slice(0, Math.floor((most * 2) / 3));
  const tail = rows.slice(rows.length - (most - head.length - 1));
  const hidden = rows.slice(head.length, rows.length - tail.length);
  const lanes: Lanes = new Map(hidden.flatMap((row) => [...row.lanes]));
  const words = `${grouped(hidden.length)} more lines, left out here; --trace FILE writes everything`;
  return [...head, { kind: 'routine', atMs: hidden[0]!.atMs, words, aside: '', members: [], lanes }, ...tail];
}
