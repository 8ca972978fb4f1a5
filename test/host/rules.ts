import type { Loaded } from './mutate.ts';
import { holdRules } from './rules/hold.ts';
import { closingRules, diskRules, inputRules, lapseRules } from './rules/host.ts';
import { seatRules } from './rules/seats.ts';

export type HostRuleName =
  | keyof typeof diskRules
  | keyof typeof closingRules
  | keyof typeof inputRules
  | keyof typeof lapseRules
  | keyof typeof holdRules;
export type SeatRuleName = keyof typeof seatRules;
export type RuleName = HostRuleName | SeatRuleName;

const aboutHosts: Readonly<Record<HostRuleName, (host: Loaded['host']) => boolean>> = {
  ...diskRules,
  ...closingRules,
  ...inputRules,
  ...lapseRules,
  ...holdRules,
};

export const ruleNames: readonly RuleName[] = [
  ...(Object.keys(aboutHosts) as HostRuleName[]),
  ...(Object.keys(seatRules) as SeatRuleName[]),
];

/** Does the host, or the seat on it, keep the rule? One that throws does not. */
export async function keepsRule({ host, election }: Loaded, name: RuleName): Promise<boolean> {
  try {
    return name in seatRules
      ? await seatRules[name as SeatRuleName](election)
      : aboutHosts[name as HostRuleName](host);
  } catch {
    return false;
  }
}
