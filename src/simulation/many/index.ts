export { drawManyStorm, type ManyStorm } from './draw.ts';
export { type ManyOutcome, runManyStorm } from './world.ts';
