/**
 * caucus/classics: the elections of textbooks and of the first specifications, to simulate, to compare and to learn from. A member
 * uses `quorum` unless it is told otherwise, and loads none of these.
 */
export { bully } from './bully/index.ts';
export { changRoberts } from './chang-roberts/index.ts';
export { draw } from './draw/index.ts';
export { epoch } from './epoch.ts';
export { ring } from './ring/index.ts';
