/** What a program may set of each protocol, as types: derived from the tables that also check it. */
import type { Settings, SettingsOf } from '../core/index.ts';
import type { options as bullyOptions, timing as bullyTiming } from './bully/settings.ts';
import type {
  options as changRobertsOptions,
  timing as changRobertsTiming,
} from './chang-roberts/settings.ts';
import type { options as drawOptions, timing as drawTiming } from './draw/state.ts';
import type { timing as epochTiming } from './epoch.ts';
import type { Preset, QuorumOptions, QuorumTiming } from './quorum/settings.ts';
import type { options as ringOptions, timing as ringTiming } from './ring/state.ts';

/** Settings that are left out have their defaults. */
type Given<S extends Settings> = { readonly [K in keyof S]?: SettingsOf<S>[K] | undefined };

interface GivenSettings {
  readonly bully: {
    readonly timing: Given<typeof bullyTiming>;
    readonly options: Given<typeof bullyOptions>;
  };
  readonly 'chang-roberts': {
    readonly timing: Given<typeof changRobertsTiming>;
    readonly options: Given<typeof changRobertsOptions>;
  };
  readonly draw: { readonly timing: Given<typeof drawTiming>; readonly options: Given<typeof drawOptions> };
  readonly epoch: {
    readonly timing: Given<typeof epochTiming>;
    readonly options: Readonly<Record<never, never>>;
  };
  readonly ring: { readonly timing: Given<typeof ringTiming>; readonly options: Given<typeof ringOptions> };
  readonly quorum: { readonly timing: QuorumTiming; readonly options: QuorumOptions };
}

/** The protocols that a member can use. */
export type ProtocolName = keyof GivenSettings;

/** The times of this protocol. */
export type TimingOf<P extends ProtocolName> = GivenSettings[P]['timing'];

/** The options of this protocol. */
export type OptionsOf<P extends ProtocolName> = GivenSettings[P]['options'];

/** Other times for a cluster that runs: a preset, or some times, of a preset or of those that hold now. */
export type ChangedTiming = Preset | 'default' | (QuorumTiming & { readonly preset?: Preset | 'default' });

/** Options that can be changed in a cluster that runs. */
export type ChangedOptions = Pick<QuorumOptions, 'maxDrift' | 'preferAfter'>;
