/** The commands that ask a running cluster, or an engine: status, leader, history, value, watch, resign, transfer and remove. */
import type { Command } from 'commander';
import { electionName } from '../../../core/index.ts';
import { addEngineOption, refuseAlone } from '../../input/engine-flags.ts';
import { oneLine } from '../../input/refusal.ts';
import type { EngineAskFlags } from './on-engine.ts';

const NO_ANSWER = 1;

interface Asking {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly codes: string;
  readonly examples: readonly string[];
  readonly options?: (command: Command) => Command;
  readonly run: (urls: readonly string[], flags: never) => Promise<number>;
  /** The same for an election on a store, if that can be asked. */
  readonly onEngine?: (urls: readonly string[], flags: EngineAskFlags) => Promise<number>;
}

const ASKING: readonly Asking[] = [
  {
    name: 'status',
    summary: 'print the leader, and how each member sees the election',
    description: 'Asks every member of a cluster for the state of the election.',
    codes: '0 if there is a leader, 1 if there is none or no member answers',
    examples: ['caucus status', 'caucus status http://127.0.0.1:7102 --json'],
    run: async (...asked) => (await import('./status.ts')).statusCommand(...asked),
    onEngine: async (...asked) => (await import('./on-engine.ts')).statusOnEngine(...asked),
  },
  {
    name: 'leader',
    summary: 'print the name of the leader',
    description: 'Prints the name of the leader, and nothing if there is none.',
    codes: '0 if there is one, 1 if there is none or no member answers',
    examples: ['caucus leader', 'test "$(caucus leader --election nightly)" = "$HOSTNAME" && ./report.sh'],
    run: async (...asked) => (await import('./asking.ts')).leaderCommand(...asked),
    onEngine: async (...asked) => (await import('./on-engine.ts')).leaderOnEngine(...asked),
  },
  {
    name: 'watch',
    summary: 'print every change of leader, as it happens',
    description: 'Prints the state of the election, then every change, until Ctrl-C.',
    codes: '0 after Ctrl-C, 1 if none of the members can ever answer',
    examples: ['caucus watch', 'caucus watch http://127.0.0.1:7101 http://127.0.0.1:7102 --json'],
    run: async (...asked) => (await import('./watch.ts')).watchCommand(...asked),
    onEngine: async (...asked) => (await import('./on-engine.ts')).watchOnEngine(...asked),
  },
  {
    name: 'history',
    summary: 'print the changes of leader and what operators did, as all members saw it',
    description:
      'Asks every member of a cluster for its history and merges them: each change of leader once, with its cause and the members that saw it, and what operators did. If a leadership ended, the account of the member that led is printed. Members with a data folder remember the last thousand changes across restarts.',
    codes: '0, or 1 if no member answers',
    examples: ['caucus history', 'caucus history http://127.0.0.1:7101 --member b'],
    options: (command) => command.option('--member <id>', 'only what this member saw'),
    run: async (...asked) => (await import('./history.ts')).historyCommand(...asked),
  },
  {
    name: 'runs',
    summary: 'print the occasions that were run once, and those that run',
    description:
      'Prints what caucus once, caucus cron and schedules of the library have recorded in an election: the occasions that ended last, and those that have begun and not ended. Each with the participant and its token, when its last attempt began and ended, and the outcome.',
    codes: '0, or 1 if nothing is recorded in that election, or no member answers',
    examples: [
      'caucus runs --election nightly',
      'caucus runs --engine postgres://app@db/app --election nightly',
    ],
    run: async (...asked) => (await import('./runs.ts')).runsCommand(...asked),
    onEngine: async (...asked) => (await import('./on-engine.ts')).runsOnEngine(...asked),
  },
  {
    name: 'resign',
    summary: 'tell the leader to resign',
    description:
      'Tells the leader to resign, so that another takes over at once. Any member may be asked. With --engine the request is left in the store, and the leader stops its work and releases the lease.',
    codes: '0 if it did, 1 if there is no leader, it refused or no member answers',
    examples: [
      'caucus resign http://127.0.0.1:7101',
      'caucus resign --engine etcd://127.0.0.1:2379 --election nightly --reason "the node is drained"',
    ],
    options: (command) =>
      command
        .option('--reason <text>', 'with --engine: why, in one line, for the logs of the leader')
        .option('--wait <s>', 'with --engine: how long the leader may take to stop its work (default: 30)'),
    run: async (...asked) => (await import('./asking.ts')).resignCommand(...asked),
    onEngine: async (...asked) => (await import('./on-engine.ts')).resignOnEngine(...asked),
  },
  {
    name: 'transfer',
    summary: 'tell the leader to transfer the leadership to another member',
    description:
      'Tells the leader to transfer the leadership to the member of your choice. Any member may be asked.',
    codes: '0 if it did, 1 if there is no leader, it refused or no member answers',
    examples: ['caucus transfer --to b http://127.0.0.1:7101'],
    options: (command) => command.requiredOption('--to <id>', 'the next leader'),
    run: async (...asked) => (await import('./asking.ts')).transferCommand(...asked),
  },
  {
    name: 'remove',
    summary: 'remove a voter that registered itself (draw) from the election',
    description:
      'Tells the leader to remove a voter: it no longer votes, and counts for no majority. It comes back when it is started again. This is for voters that register themselves (draw); the members of a cluster with quorum are removed by caucus member remove.',
    codes: '0 if it did, 1 if there is no leader, it refused or no member answers',
    examples: ['caucus remove --member c http://127.0.0.1:7101'],
    options: (command) => command.requiredOption('--member <id>', 'the voter to remove'),
    run: async (...asked) => (await import('./asking.ts')).removeCommand(...asked),
  },
  {
    name: 'value',
    summary: 'print the value that the leader has published, or publish one',
    description: 'Prints the value that the leader has published, as JSON, or publishes another one.',
    codes: '0, or 1 if the leader refused or no member answers',
    examples: ['caucus value', `caucus value --set '{ "address": "10.0.0.7:5432" }'`],
    options: (command) => command.option('--set <json>', 'publish this'),
    run: async (...asked) => (await import('./asking.ts')).valueCommand(...asked),
    onEngine: async (...asked) => (await import('./on-engine.ts')).valueOnEngine(...asked),
  },
];

/** The commands that ask a running member over HTTP. */
export function addAsking(program: Command): void {
  for (const each of ASKING) {
    const command = addAskingFlags(
      program.command(each.name).summary(each.summary).description(each.description),
    ).option('--election <name>', 'which election (default: the main one of the member)');
    if (each.onEngine !== undefined) {
      command.option(
        '--engine <url>',
        'ask this store in place of members: etcd://host:2379, postgres://…, local:',
      );
      addEngineOption(command);
    }
    (each.options?.(command) ?? command)
      .addHelpText(
        'after',
        `\nExit code: ${each.codes}; 2 for bad input.\n\nExamples:\n${each.examples.map((line) => `  $ ${line}`).join('\n')}`,
      )
      .action(async (urls: readonly string[], flags: EngineAskFlags) => {
        refuseAlone(flags);
        const { onEngine } = each;
        const onStore = flags.engine !== undefined && onEngine !== undefined;
        // Stores allow other names than members do.
        if (!onStore && flags.election !== undefined) electionName.read(flags.election, '--election');
        process.exitCode = await told(() =>
          onStore ? onEngine(urls, flags) : each.run(urls, flags as never),
        );
      });
  }
}

/** The URLs of the members to ask, as last arguments, and how to ask them. */
export function addAskingFlags(command: Command, urls = '[URL...]'): Command {
  return command
    .argument(
      urls,
      'members to ask, until one answers (default: CAUCUS_URL, or http://127.0.0.1:7101; with --tls-ca https)',
    )
    .option('--json', 'print it as JSON')
    .option(
      '--token-file <file>',
      'the token for members that need one (default: CAUCUS_API_TOKEN, or the file CAUCUS_API_TOKEN_FILE)',
    )
    .option('--tls-ca <file>', 'the CA of members with certificates (default: CAUCUS_TLS_CA)');
}

export async function told(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const { NoAnswer } = await import('./member-client.ts');
    if (!(error instanceof NoAnswer)) throw error;
    process.stderr.write(`caucus: ${oneLine(error.message)}\n`);
    return NO_ANSWER;
  }
}
