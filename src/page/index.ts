export { type About, createPage, NOT_BUILT, type Page } from './page.ts';
