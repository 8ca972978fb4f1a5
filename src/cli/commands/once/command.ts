import type { Command } from 'commander';
import { ENGINE_HELP } from '../../input/engine-flags.ts';
import { Refusal } from '../../input/refusal.ts';
import { addCommandFlags } from '../run/command.ts';
import type { PlaceFlags } from '../run/place.ts';

export interface OnceFlags extends PlaceFlags {
  readonly key?: string;
  readonly series?: string;
  readonly retries?: string;
  readonly backOff?: string;
  readonly maxRun?: string;
  readonly late?: string;
  readonly misfire?: string;
  readonly timezone?: string;
  readonly catchUp?: string;
  readonly drain?: string;
  readonly shards?: string;
  readonly killAfter?: string;
  readonly settle?: string;
  readonly timeout?: string;
}

const ENVIRONMENT = `
CMD gets these environment variables: CAUCUS_OCCASION, CAUCUS_ATTEMPT (1, or more if it has begun before),
CAUCUS_TOKEN (the fencing token), CAUCUS_ELECTION and CAUCUS_MEMBER. Exit code 0 says that it is done; 126 and
127 that it cannot be run on this host, so that another one tries (ten times in all); any other one is a failure.
CMD must stay in the foreground: it has ended when all its processes have. When the lease is not renewed in time, all its processes are killed, as by caucus run,
and it is run again, here or elsewhere.`;

function addRetries(command: Command): Command {
  return command
    .option('--series <name>', 'which series of occasions, where several share an election (default: main)')
    .option('--retries <n>', 'how many times CMD is tried again if it fails (default: 0)')
    .option('--back-off <s>', 'seconds before the first of these, doubled each time (default: 1)')
    .option(
      '--max-run <s>',
      'seconds that CMD may take: then it gets SIGTERM, after --kill-after SIGKILL, and has failed (default: for ever)',
    );
}

/** `caucus once` and `caucus cron`: their flags and their help. */
export function addOnce(program: Command): void {
  const once = addCommandFlags(
    program
      .command('once')
      .summary('run a command once for an occasion, on one of all machines')
      .description(
        'Runs a command once for an occasion (a day, a number, a date and time), whichever machine runs it, and records that it is done where the election is. On the other machines, and later, it runs nothing. If the process that runs it dies, another one runs it again, with a greater token.',
      ),
  );
  addRetries(once)
    .requiredOption(
      '--key <occasion>',
      'the occasion: 2026-11-16, 2026-11, 2026-W47, 2026-11-16T03:00:00Z or 42',
    )
    .option(
      '--misfire <what>',
      'an occasion that is late by more than --late: run it, or skip it (default: run)',
    )
    .option('--late <s>', 'with --misfire skip: how late it may be, in seconds (default: 60)')
    .option(
      '--timeout <s>',
      'exit if nothing is known of the occasion, and CMD has not begun, within this many seconds',
    )
    .addHelpText(
      'after',
      `${ENVIRONMENT}
${ENGINE_HELP}

Exit code: that of CMD, or 128 plus the number of the signal that killed it; 126 if it cannot be run, 127 if it
is not found; 0, and one line on standard error, if the occasion was done or skipped before; 3 if it has failed before;
1 if it was not elected in time, CMD exited with 0 after --max-run was over or the member failed, 2 for bad input. The occasions of an election (and series) only
grow: one that goes back and was never recorded is bad input.

Examples:
  $ caucus once --key "$(date -u +%F)" --engine postgres://app@db/app --election nightly-report -- ./report.sh
  $ caucus once --key 2026-W47 --engine caucus://10.0.0.1:7101,10.0.0.2:7101 --election billing --retries 3 -- ./bill`,
    )
    .action(async (cmd: string, args: readonly string[], flags: OnceFlags) => {
      if (cmd === '') throw new Refusal('CMD: expected a command, found ""');
      const { onceCommand } = await import('./once.ts');
      process.exitCode = await onceCommand(cmd, args, flags);
    });

  const cron = program
    .command('cron')
    .summary('run a command on a schedule, on one of all machines each time')
    .description(
      'Runs a command at each fire time of a cron line, once, whichever machine runs it. Start it on all machines.',
    )
    .argument('<LINE>', 'the cron line, as in "0 3 * * *"; with six fields the first is seconds');
  addRetries(addCommandFlags(cron))
    .option('--timezone <zone>', 'the zone of the cron line, as in Europe/Berlin (default: UTC)')
    .option(
      '--catch-up <which>',
      'fire times that were missed: all, only the last, or none of those later than --late (default: last)',
    )
    .option('--late <s>', 'with --catch-up none: how late a fire time may be, in seconds (default: 60)')
    .option(
      '--shards <n>',
      'run it once for each of n shards (1 to 1000), on the machine that owns the shard: CAUCUS_SHARD and CAUCUS_SHARDS say which',
    )
    .option(
      '--drain <s>',
      'how long CMD may go on after SIGTERM, before it gets SIGTERM itself (default: 10)',
    )
    .addHelpText(
      'after',
      `${ENVIRONMENT}
${ENGINE_HELP}

A second signal ends CMD at once. Exit code: 0 after a signal, once CMD has ended; 1 if the member failed, 2 for bad input. A CMD that fails does
not end it: see caucus runs. With --shards the runs of shards 0 to 15 are in the election NAME.shards.r0, those of 16 to 31 in
NAME.shards.r1: caucus runs --election NAME.shards.r0.

Examples:
  $ caucus cron '0 3 * * *' --timezone Europe/Berlin --engine postgres://app@db/app --election nightly -- ./report.sh
  $ caucus cron '0 * * * *' --shards 16 --engine redis://cache --election tenants -- ./bill-tenants
  $ caucus cron '*/5 * * * *' --catch-up none --config member.json -- ./poll`,
    )
    .action(async (line: string, cmd: string, args: readonly string[], flags: OnceFlags) => {
      if (cmd === '') throw new Refusal('CMD: expected a command, found ""');
      const { cronCommand } = await import('./once.ts');
      process.exitCode = await cronCommand(line, cmd, args, flags);
    });
}
