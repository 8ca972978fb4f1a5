export { type Api, createApi } from './api.ts';
