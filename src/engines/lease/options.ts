import { asObject, BadInput, refuseUnknown } from '../../core/index.ts';
import { kindOf } from '../secrets.ts';
import type { LeaseEngineOptions } from './lease-engine.ts';

/** The options of one engine beyond the common ones. */
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

/** Throws BadInput for an unknown option, for example a misspelt one. */
export function checkOptions(options: LeaseEngineOptions, own: Readonly<Record<string, 0>> = {}): void {
  // A text in place of the options may be a password that was meant for the URL.
  if (typeof options === 'string') throw new BadInput('options', 'an object', kindOf(options));
  refuseUnknown(asObject(options, 'options'), { ...COMMON, ...own }, '');
}
