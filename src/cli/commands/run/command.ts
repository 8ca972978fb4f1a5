import type { Command } from 'commander';
import { addMemberFlags } from '../../input/config/member-flags.ts';
import { addEngineFlags, ENGINE_HELP } from '../../input/engine-flags.ts';
import { oneLine, Refusal } from '../../input/refusal.ts';
import type { PlaceFlags } from './place.ts';

export interface RunFlags extends PlaceFlags {
  readonly killAfter?: string;
  readonly settle?: string;
  readonly timeout?: string;
  readonly once?: boolean;
  readonly onExit?: string;
  readonly shards?: string;
}

/** What all commands have that run a command: CMD, where the election is, and how CMD is ended. */
export function addCommandFlags(command: Command): Command {
  command
    .argument('<CMD>', 'what to run; write -- before it')
    .argument('[ARGS...]', 'its arguments')
    .configureOutput({
      outputError: (text, write) => {
        const hint = /unknown option/.test(text) ? ' (write -- before the command)' : '';
        write(`caucus: ${oneLine(text.replace(/^error: /, ''))}${hint}\n`);
      },
    });
  return addEngineFlags(addMemberFlags(command))
    .option(
      '--kill-after <s>',
      'seconds between SIGTERM and SIGKILL, where there is time for it (default: 5)',
    )
    .option('--settle <ms>', 'wait this long after the election before CMD is started (default: 100)')
    .option('--new', 'ignored, kept for old scripts')
    .option('--json', 'log one JSON object a line in place of text')
    .option('--quiet', 'log nothing but errors');
}

/** `caucus run`: its flags and its help. */
export function addRun(program: Command): void {
  const command = program
    .command('run')
    .summary('run a command only while this member leads')
    .description(
      'Takes part in an election as a member, and runs a command only while it leads. When the leadership is about to end, all processes of the command are killed before another member may lead.',
    );
  addCommandFlags(command)
    .option('--timeout <s>', 'exit if not elected within this many seconds')
    .option('--once', 'exit with code 75 after a loss, instead of waiting to be elected again')
    .option(
      '--on-exit <what>',
      'when CMD ends by itself: resign and end with its code, or restart it (default: resign)',
    )
    .option('--shards <n>', 'run CMD once for each of n shards, spread over all that run this (1 to 1000)')
    .addHelpText(
      'after',
      `
CMD gets these environment variables: CAUCUS_TOKEN (the fencing token: send it with every write, and let
the store refuse smaller ones), CAUCUS_ELECTION and CAUCUS_MEMBER. Its standard input and output are ours;
our log goes to standard error. SIGINT, SIGTERM and SIGHUP end it in order and release the leadership;
SIGUSR1, SIGUSR2, SIGQUIT and SIGWINCH are passed on to it. It must not leave its process group,
or it cannot be ended.

With --shards each shard, from 0 on, is owned by one of the processes that run this command, and CMD runs once for
each shard that this one owns, with CAUCUS_SHARD, CAUCUS_SHARDS and the token of the shard in CAUCUS_TOKEN. A
shard that moves is released when its CMD has ended.

When the lease is not renewed in time, SIGTERM comes when two fifths of it are left, and SIGKILL when one
fifth is: with the usual lease of 1.5 s, if the renewal is 300 ms late. --timing 'timeoutMs=[6000,12000]'
makes the lease 5 s (five sixths of the least timeout). Give it to ALL members, those of caucus node and of
the library too. A leader that dies on the same machine, or resigns, is replaced as fast as before.
${ENGINE_HELP}

Exit code: that of CMD, or 128 plus the number of the signal that killed it; 126 if it cannot be run, 127
if it is not found; 75 if the leadership was lost under --once, whatever the exit code of CMD; 1 if it was not
elected in time or the member failed, 2 for bad input.

Examples:
  $ caucus run --election mail --id a --peers a=http://127.0.0.1:7101,b=http://127.0.0.1:7102,c=http://127.0.0.1:7103 -- ./worker
  $ caucus run --config member.json --on-exit restart --kill-after 2 -- ./worker --queue mail
  $ caucus run --engine etcd://127.0.0.1:2379 --election mail -- ./worker
  $ caucus run --engine postgres://app@127.0.0.1/app --election orders --shards 16 -- ./consumer
  $ caucus run --config member.json --once --timeout 60 -- make deploy`,
    )
    .action(async (cmd: string, args: readonly string[], flags: RunFlags) => {
      if (cmd === '') throw new Refusal('CMD: expected a command, found ""');
      const { runCommand } = await import('./run.ts');
      process.exitCode = await runCommand(cmd, args, flags);
    });
}
