export { type Api, createApi } from './api.ts';
export { readJson } from './body.ts';
export { HttpError } from './http-error.ts';
export { fieldsOf, onlyFields } from './ids-in-bodies.ts';
export { leadsHere, refuseForeignPages } from './origin.ts';
export { sendEmpty, sendError, sendJson, sendText } from './reply.ts';
export { readTarget, type Target } from './target.ts';
