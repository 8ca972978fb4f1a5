import type { Command } from 'commander';
import { collect } from '../../input/values.ts';

export interface UpFlags {
  readonly members?: string;
  readonly protocol?: string;
  readonly port?: string;
  readonly data?: string;
  readonly election?: string;
  readonly elections?: string;
  readonly balance?: boolean;
  readonly deputies?: boolean;
  readonly timing?: readonly string[];
  readonly option?: readonly string[];
  readonly uiPort?: string;
  readonly chaos?: boolean;
  readonly json?: boolean;
}

/** `caucus up`: its flags and its help. */
export function addUp(program: Command): void {
  program
    .command('up')
    .summary('run a whole cluster of real members on this machine')
    .description(
      'Runs a cluster of members, each in its own process with its own data folder, and shows the leader, on the terminal and on a page for your browser. On a terminal, keys kill and restart members.',
    )
    .option('--members <n>', 'how many (default: 5, 3 with --elections, or as many as --data holds)')
    .option('--protocol <name>', 'which election (default: quorum)')
    .option(
      '--port <base>',
      'the port of the first member; the others follow; 0 is any free ports (default: 7101, or any if it is in use)',
    )
    .option('--data <dir>', 'keep the data folders here (default: a temporary folder, removed at the end)')
    .option('--election <name>', 'the name of the election (default: main)')
    .option(
      '--elections <n>',
      'hold n elections more, job-0001 and so on, in which all members stand (1 to 9999)',
    )
    .option('--balance', 'with --elections: spread their leaders evenly over the members')
    .option('--deputies', 'have the leader of the main election elect its successor in advance')
    .option('--timing <name=value>', 'a time of the protocol; can be repeated', collect)
    .option('--option <name=value>', 'an option of the protocol; can be repeated', collect)
    .option(
      '--ui-port <n>',
      'the port of the page; 0 is any free one (default: 7100, or any if it is in use)',
    )
    .option(
      '--chaos',
      'let the page kill, pause and start members, as the keys do; its address then carries a token of this run',
    )
    .option(
      '--json',
      'print every event as one JSON object per line; first the id, pid and URL of each member',
    )
    .addHelpText(
      'after',
      `
Keys: 1 to 9 kill a member with SIGKILL, or restart it; p pauses the leader with SIGSTOP, and resumes it;
q or Ctrl-C stops everything.

Exit code: 0 after Ctrl-C or q, 1 if a member could not start, 2 for bad input.

Examples:
  $ caucus up
  $ caucus up --members 3 --protocol bully --timing heartbeatMs=200
  $ caucus up --chaos
  $ caucus up --members 3 --deputies
  $ caucus up --elections 1000
  $ caucus up --elections 30 --balance
  $ caucus up --data ./cluster --json | tee events.ndjson`,
    )
    .action(async (flags: UpFlags) => {
      const { upCommand } = await import('./up.ts');
      process.exitCode = await upCommand(flags);
    });
}
