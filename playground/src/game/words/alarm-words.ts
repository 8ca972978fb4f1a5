import type { Assumption, Pledge } from '../../../../src/core/index.ts';
import { listed, nameFallen, nameProperty } from '../../../../src/story/index.ts';
import type { Alarm, Double } from '../cause/alarms.ts';
import { seconds } from './seconds.ts';
import { inItsWords, nameTerm, termWord } from './term-words.ts';

/** How bad it is: a broken promise or two winners of one term; something that may be harmless; a note. */
export type Level = 'broken' | 'warning' | 'note';

interface AlarmWords {
  readonly level: Level;
  /** Which members, and since when. */
  readonly title: string;
  /** How bad that is. */
  readonly meaning: string;
  /** What the protocol had said about it. */
  readonly promise: string;
}

interface Promised {
  readonly protocol: string;
  readonly pledges: readonly Pledge[];
  /** Assumptions that the run has broken. */
  readonly fallen: ReadonlySet<Assumption>;
}

const COUNTS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];

export function alarmWords(alarm: Alarm, about: Promised): AlarmWords {
  const { protocol } = about;
  if (alarm.kind === 'broken') {
    const { property, detail, atMs, claimed } = alarm.violation;
    return {
      level: 'broken',
      title: `${capital(inItsWords(detail, protocol))}, at ${seconds(atMs)}`,
      meaning: inItsWords(`Broken: “${nameProperty(property)}”.`, protocol),
      promise: promiseWords(property, claimed, about),
    };
  }
  const count = countWord(alarm.leaders.length);
  const say = (what: string): string =>
    `${leadersWords(alarm, what, protocol)} since ${seconds(alarm.fromMs)}`;
  if (alarm.kind === 'idle') {
    const rest = alarm.leaders.length > 2 ? 'the leases of the others have' : 'the lease of the other has';
    const meaning = `Only one of them may act: ${rest} run out.`;
    return { level: 'note', title: say('believe they lead'), meaning, promise: '' };
  }
  const title = say('leaders');
  const promise = promiseWords(alarm.property, alarm.violation?.claimed ?? false, about);
  if (alarm.kind === 'apart') {
    const meaning = `${count} believe they lead, in different ${termWord(protocol)}s: safe only if the store refuses old tokens.`;
    return { level: 'warning', title, meaning, promise };
  }
  const hasTerms = alarm.leaders.every(({ term }) => term !== null);
  const meaning = hasTerms
    ? `${countWord(mostInOneTerm(alarm))} in one ${termWord(protocol)}: broken.`
    : `${count} at once, and no term that distinguishes their writes: broken.`;
  return { level: 'broken', title, meaning, promise };
}

/** "Two leaders from 2.41 s to 5.20 s" */
export function pastWords({ leaders, fromMs, toMs }: Double): string {
  return `${countWord(leaders.length)} leaders from ${seconds(fromMs)} to ${seconds(toMs!)}`;
}

/** "Two leaders: 2 (epoch 3) and 4 (epoch 4)" */
function leadersWords({ leaders }: Double, what: string, protocol: string): string {
  const names = leaders.map(({ member, term }) =>
    term === null ? String(member) : `${member} (${nameTerm(term, protocol)})`,
  );
  return `${countWord(leaders.length)} ${what}: ${listed(names)}`;
}

function mostInOneTerm({ leaders }: Double): number {
  return Math.max(...leaders.map(({ term }) => leaders.filter((each) => each.term === term).length));
}

function promiseWords(property: string, claimed: boolean, { protocol, pledges, fallen }: Promised): string {
  const name = inItsWords(`“${nameProperty(property)}”`, protocol);
  if (claimed) return `This protocol promises ${name}: please report it, the link replays it.`;
  const pledge = pledges.find((each) => each.property === property);
  if (pledge === undefined) return `The protocol ${protocol} never promised ${name}.`;
  const excuse = nameFallen(pledge.assuming.filter((each) => fallen.has(each)));
  return `The protocol ${protocol} promises ${name}, but not with ${excuse}.`;
}

function countWord(count: number): string {
  return COUNTS[count] ?? String(count);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
