import type { Definition } from '../core/index.ts';
import { bully, changRoberts, draw, epoch, ring } from './classics.ts';
import { quorum } from './quorum/index.ts';

export type { ChangedOptions, ChangedTiming, OptionsOf, ProtocolName, TimingOf } from './given-settings.ts';

/** The default protocol of members. */
export const DEFAULT_PROTOCOL = 'quorum';
export type DefaultProtocol = typeof DEFAULT_PROTOCOL;

/** Every protocol by name: what `--protocol` accepts. */
export const catalogue: Readonly<Record<string, Definition>> = {
  bully,
  'chang-roberts': changRoberts,
  draw,
  epoch,
  quorum,
  ring,
};
