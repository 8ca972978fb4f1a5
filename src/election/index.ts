export type { Cause } from './cause.ts';
export type { Held, Seat, Standing } from './seat.ts';
