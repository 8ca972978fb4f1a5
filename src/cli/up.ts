import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { integer, type Shape } from '../core/index.ts';
import { paintFor } from './colours.ts';
import { readMemberConfig } from './config/member-config.ts';
import { isSystemError, oneLine, Refusal, systemWords } from './refusal.ts';
import { untilStopped } from './until-stopped.ts';
import { Fleet, type FleetEvent, type FleetPlan } from './up/fleet.ts';
import { onKeys } from './up/keys.ts';
import { choosePorts } from './up/ports.ts';
import { isNews, Screen } from './up/screen.ts';
import type { UpFlags } from './up-command.ts';

const DEFAULT_MEMBERS = 5;
const MOST_MEMBERS = 99;
const LOWEST_PORT = 1;
const HIGHEST_PORT = 65_535;

/** Runs a cluster of real processes until it is told to stop. */
export async function upCommand(flags: UpFlags): Promise<number> {
  const count = readNumber(flags.members, '--members', integer(1, MOST_MEMBERS)) ?? DEFAULT_MEMBERS;
  const base = readNumber(flags.port, '--port', integer(LOWEST_PORT, HIGHEST_PORT));
  const { definition } = await readMemberConfig(flagsOfMember(flags), {});
  const ports = await choosePorts(count, base);
  const folder = openFolder(flags.data);
  const plan: FleetPlan = {
    flags: memberArgs(flags),
    members: ports.map((port, i) => {
      const data = path.join(folder, String(i + 1));
      return { id: i + 1, port, data, isNew: !existsSync(data) };
    }),
  };
  const title = `${definition.name}, ${count} members`;
  try {
    return await runFleet(plan, title, flags.json ?? false);
  } finally {
    if (flags.data === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function runFleet(plan: FleetPlan, title: string, json: boolean): Promise<number> {
  const { stdin, stdout } = process;
  const paint = paintFor(stdout, process.env);
  const onScreen = !json && stdout.isTTY && stdin.isTTY;
  let screen: Screen | null = null;
  let failure: FleetEvent | null = null;
  let quit = (): void => {};
  const tell = (event: FleetEvent): void => {
    // A member that cannot start (its port was taken, its folder cannot be written) will not do better alone.
    if (event.event === 'failed') {
      failure ??= event;
      quit();
    }
    if (screen !== null) screen.show(event);
    else if (json) stdout.write(`${JSON.stringify(event)}\n`);
    else if (event.event === 'member' || isNews(event)) {
      stdout.write(`${event.at.slice(11, 23)}  ${event.id}  ${oneLine(event.text)}\n`);
    }
  };
  const fleet = new Fleet(plan, tell);
  const asked = new Promise<void>((resolve) => {
    quit = resolve;
    void untilStopped().then(() => resolve());
  });
  if (onScreen) screen = new Screen(fleet, title, stdout, paint);
  // Where only the output goes elsewhere, the keyboard is left alone.
  const forgetKeys = onScreen || !stdin.isTTY ? onKeys(fleet, stdin, () => quit()) : (): void => {};
  for (const { id } of fleet.members) fleet.start(id);
  await asked;
  forgetKeys();
  await fleet.stop();
  screen?.close();
  if (failure === null) return 0;
  const { id, text } = failure as FleetEvent;
  process.stderr.write(`caucus: member ${id}: ${oneLine(text)}\n`);
  return 1;
}

function openFolder(data: string | undefined): string {
  try {
    if (data === undefined) return mkdtempSync(path.join(tmpdir(), 'caucus-up-'));
    mkdirSync(data, { recursive: true });
    return path.resolve(data);
  } catch (error) {
    if (isSystemError(error)) throw new Refusal(`--data: ${data}: ${systemWords(error)}`);
    throw error;
  }
}

function flagsOfMember({
  protocol,
  election,
  timing,
  option,
}: UpFlags): Parameters<typeof readMemberConfig>[0] {
  return {
    ...(protocol === undefined ? {} : { protocol }),
    ...(election === undefined ? {} : { election }),
    ...(timing === undefined ? {} : { timing }),
    ...(option === undefined ? {} : { option }),
  };
}

function memberArgs({ protocol, election, timing = [], option = [] }: UpFlags): string[] {
  return [
    ...(protocol === undefined ? [] : ['--protocol', protocol]),
    ...(election === undefined ? [] : ['--election', election]),
    ...timing.flatMap((pair) => ['--timing', pair]),
    ...option.flatMap((pair) => ['--option', pair]),
  ];
}

function readNumber(text: string | undefined, flag: string, shape: Shape<number>): number | null {
  if (text === undefined) return null;
  return shape.read(/^\d+$/.test(text) ? Number(text) : text, flag);
}
