import { asObject, BadInput, refuseUnknown } from '../../core/index.ts';
import { kindOf } from '../secrets.ts';
import type { LeaseEngineOptions } from './lease-engine.ts';

/** The options that an engine has beyond those of all. */
export type OwnOptions<T> = Readonly<Record<Exclude<keyof T, keyof LeaseEngineOptions>, 0>>;

const COMMON: Readonly<Record<keyof LeaseEngineOptions, 0>> = {
  name: 0,
  leaseMs: 0,
  renewMs: 0,
  retryMs: 0,
  callMs: 0,
  maxDrift: 0,
  clock: 0,
  log: 0,
};

/** Throws BadInput for what is no option of this engine: a misspelt one would be missed when it matters. */
export function checkOptions(options: LeaseEngineOptions, own: Readonly<Record<string, 0>> = {}): void {
  // A text in their place may be a password that was meant for the URL.
  if (typeof options === 'string') throw new BadInput('options', 'an object', kindOf(options));
  refuseUnknown(asObject(options, 'options'), { ...COMMON, ...own }, '');
}
