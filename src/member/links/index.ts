export { createLinks } from './create-links.ts';
export type { LinkOptions } from './options.ts';
