/** The commands that change a cluster that runs, such as `caucus member` and `caucus reconfigure`: flags and help. */
import type { Command } from 'commander';
import { Refusal } from '../../input/refusal.ts';
import { addAskingFlags, told } from '../ask/command.ts';
import type { ChangeFlags, DrainFlags } from './member.ts';

const CODES =
  '0 if it was done, 1 if it was refused or no member answers, 75 if it may or may not have taken effect';

export function addMember(program: Command): void {
  const member = program
    .command('member')
    .summary('list, add, remove or replace the members of a cluster that runs')
    .description(
      'The members of a cluster, which vote in all its elections. Any member may be asked: the leader of the main election carries a change out, and all other elections follow.',
    )
    .helpCommand(false)
    .allowExcessArguments()
    .action((_flags, { args }: Command) => {
      const found = args[0] === undefined ? 'none' : JSON.stringify(args[0]);
      throw new Refusal(`caucus member: expected list, add, remove, replace or promote, found ${found}`);
    });
  asking(member.command('list'), {
    summary: 'print the members, which of them vote, and what is pending',
    description:
      'Prints the members of the cluster as the leader of the main election knows them, which hears all of them; if it does not answer, as the member that answers does.',
    codes: '0, or 1 if no member answers',
    example: 'caucus member list http://10.0.0.1:7101',
    run: async (urls, flags) => (await import('./member.ts')).listCommand(urls, flags),
  });
  asking(
    member.command('add').argument('<ID>', 'the new member').argument('<URL>', 'where the others reach it'),
    {
      summary: 'add a member, which was started with --join',
      description:
        'Adds a member to the cluster. Start it first: caucus node --id ID --join ANY-MEMBER. It votes once it has answered.',
      codes: CODES,
      example: 'caucus member add d http://10.0.0.4:7101 http://10.0.0.1:7101',
      run: async ([id, url, ...urls], flags) =>
        (await import('./member.ts')).addCommand([id!, url!], urls, flags),
    },
  );
  asking(
    member
      .command('remove')
      .argument('<ID>', 'the member to remove')
      .option('--force', 'also if too few of the members that would be left answer now'),
    {
      summary: 'remove a member',
      description:
        'Removes a member from the cluster. It hands over what it leads, is told, and takes no part any more. It can be added again, with its data folder. A removal after which no majority of the members would answer is refused, unless it is forced: the cluster then has no leader until enough of them answer.',
      codes: CODES,
      example: 'caucus member remove a http://10.0.0.2:7101',
      run: async ([id, ...urls], flags) => (await import('./member.ts')).removeCommand([id!], urls, flags),
    },
  );
  asking(
    member
      .command('replace')
      .argument('<OLD>', 'the member to remove')
      .argument('<NEW>', 'the new member')
      .argument('<URL>', 'where the others reach the new one')
      .option('--force', 'remove the old one also if too few of the others answer now'),
    {
      summary: 'add a member, and when it has its seat remove another',
      description:
        'Adds the new member, waits until it has its seat, and removes the old one. If it was interrupted, repeat it: it goes on where it was.',
      codes: CODES,
      example: 'caucus member replace a d http://10.0.0.4:7101 http://10.0.0.2:7101',
      run: async ([old, id, url, ...urls], flags) =>
        (await import('./member.ts')).replaceCommand([old!, id!, url!], urls, flags),
    },
  );
  asking(member.command('promote').argument('<ID>', 'the member that is to vote'), {
    summary: 'say whether a member votes: there is nothing else to do',
    description:
      'Members vote without being promoted: one that is added has nothing to catch up with, and votes once it has answered. There are no members without a vote; programs that only lead and watch are participants (caucus://, docs/engines/caucus.md). This command changes nothing.',
    codes: '0 if it votes, 1 if it has not answered yet or no member answers',
    example: 'caucus member promote d http://10.0.0.1:7101',
    run: async ([id, ...urls], flags) => (await import('./member.ts')).promoteCommand(id!, urls, flags),
  });
  asking(
    program
      .command('drain')
      .argument('<MEMBER>', 'the member that is to lead nothing')
      .option('--undo', 'it may lead again'),
    {
      summary: 'let a member hand over all that it leads, and lead nothing',
      description:
        'The member hands over everything that it leads and leads nothing until --undo or a restart. It still votes.',
      codes: CODES,
      example: 'caucus drain a http://10.0.0.2:7101',
      run: async ([id, ...urls], flags) => (await import('./member.ts')).drainCommand(id!, urls, flags),
    },
  );
  asking(program.command('pause'), {
    summary: 'pause takeovers in a cluster, for maintenance',
    description:
      'Leaders go on, and no member takes over, also from a leader that has died or was restarted, until caucus resume. All members say so. A leader that is only cut off for a moment leads again.',
    codes: CODES,
    example: 'caucus pause http://10.0.0.1:7101',
    run: async (urls, flags) => (await import('./member.ts')).pauseCommand(urls, flags),
  });
  asking(
    program
      .command('reconfigure')
      .argument('<SETTING>', 'timing=PRESET, timing.NAME=VALUE or options.NAME=VALUE; more may follow'),
    {
      summary: 'change the timing and options of a cluster that runs',
      description:
        'Sets other times for all members, without a restart: those of a preset (timing=wan; timing=default), or single ones (timing.timeoutMs=[1500,3000]; null: as the preset has it); and options (options.maxDrift=0.05, options.preferAfter=50; null: as each member is configured). No leader is deposed by it, and never may two act. Members keep them across restarts, whatever they are configured with, and say so. Change the configuration files as well.',
      codes: CODES,
      example: 'caucus reconfigure timing=wan http://10.0.0.1:7101',
      run: async (args, flags) => (await import('./member.ts')).reconfigureCommand(args, flags),
    },
  );
  asking(program.command('resume'), {
    summary: 'end the pause',
    description: 'Members take over again. If there is no leader, one is elected now.',
    codes: CODES,
    example: 'caucus resume http://10.0.0.1:7101',
    run: async (urls, flags) => (await import('./member.ts')).resumeCommand(urls, flags),
  });
}

interface Words {
  readonly summary: string;
  readonly description: string;
  readonly codes: string;
  readonly example: string;
  readonly run: (args: readonly string[], flags: ChangeFlags & DrainFlags) => Promise<number>;
}

/** A command that asks members; its own arguments come first, then the URLs of members. */
function asking(command: Command, { summary, description, codes, example, run }: Words): void {
  addAskingFlags(command.summary(summary).description(description), '[MEMBER-URL...]')
    .addHelpText('after', `\nExit code: ${codes}; 2 for bad input.\n\nExample:\n  $ ${example}`)
    .action(async (...given: readonly unknown[]) => {
      const args = given.slice(0, -2).flat() as string[];
      process.exitCode = await told(() => run(args, given.at(-2) as ChangeFlags & DrainFlags));
    });
}
