/**
 * A run in words: which of its events matter, which belong together, and how each is shown. Independent of the
 * terminal and the page.
 */
export { toRows } from './choose-rows.ts';
export { eventWords } from './event-words.ts';
export { Habits } from './habits.ts';
export { listed, nameMembers } from './names.ts';
export { counted, duration, grouped } from './numbers.ts';
export { needsMajority, pledgesOf, pledgesWith } from './pledges.ts';
export { inOrder, nameFallen, nameProperty } from './property-names.ts';
export type { Row } from './rows.ts';
export type { Lane, StepScene } from './scene.ts';
export { inputWords, tellStep } from './step-words.ts';
export { Story } from './story.ts';
export { describeEvent, narrate } from './trace-words.ts';
export { Vocabulary } from './vocabulary.ts';
