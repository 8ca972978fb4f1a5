import { setTimeout as wait } from 'node:timers/promises';
import { harmless, Refusal } from '../../input/refusal.ts';
import { pageOf } from '../../terminal/page.ts';
import type { AskFlags } from '../ask/ask-flags.ts';
import { membersToAsk } from '../ask/first-answer.ts';
import type { MemberClient } from '../ask/member-client.ts';
import { type Examined, examine } from './examine.ts';
import { gather } from './gather.ts';
import { doctorLines } from './words.ts';

export interface DoctorFlags extends Omit<AskFlags, 'election'> {
  readonly config?: string;
}

/** A change of leader takes a moment, and looks like a fault if the members are asked just then. */
const MOMENT_MS = 2000;
const PASSING: readonly string[] = ['no-leader', 'two-leaders', 'disagreement'];

/** 0 if there is no problem; 1 if there is one, or no member answers. */
export async function doctorCommand(urls: readonly string[], flags: DoctorFlags): Promise<number> {
  const { config, json = false } = flags;
  if (config !== undefined && urls.length > 0) throw new Refusal('--config: expected it or URLs, found both');
  const examined =
    config === undefined
      ? await examineCluster(membersToAsk(urls, flags))
      : await (await import('./config/check-config.ts')).checkConfig(config, process.env);
  const text = json
    ? JSON.stringify(examined, null, 2)
    : doctorLines(examined, pageOf(process.stdout, process.env)).join('\n');
  process.stdout.write(`${json ? harmless(text) : text}\n`);
  const isSound = examined.isAnswered && examined.findings.every(({ severity }) => severity !== 'problem');
  return isSound ? 0 : 1;
}

async function examineCluster(members: readonly MemberClient[]): Promise<Examined> {
  const examined = examine(await gather(members));
  if (!examined.findings.some(({ kind }) => PASSING.includes(kind))) return examined;
  await wait(MOMENT_MS);
  return examine(await gather(members));
}
