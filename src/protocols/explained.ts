/**
 * Every protocol explained to people, by name. Separate from the catalogue, since a program that takes part in an
 * election needs no prose.
 */
import type { Explained } from '../core/index.ts';
import { bully } from './bully/explained.ts';
import { changRoberts } from './chang-roberts/explained.ts';
import { draw } from './draw/explained.ts';
import { epoch } from './epoch-explained.ts';
import { quorum } from './quorum/explained.ts';
import { ring } from './ring/explained.ts';

export const explained: Readonly<Record<string, Explained>> = {
  bully,
  'chang-roberts': changRoberts,
  draw,
  epoch,
  quorum,
  ring,
};
