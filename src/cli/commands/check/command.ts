import type { Command } from 'commander';
import { collect } from '../../input/values.ts';
import { checkCommand } from './check.ts';
import type { CheckFlags } from './flags.ts';

/** `caucus check`: what it takes, and its help. */
export function addCheck(program: Command): void {
  program
    .command('check')
    .summary('try every order of events in a small cluster and tell what can go wrong')
    .description(
      'Tries every order of events in a small cluster: messages that are late, lost or repeated, timers that fire at any moment, crashes and restarts. Says which properties hold within the bounds, and shows the shortest history that breaks one.',
    )
    .argument('<PROTOCOL>', 'which election')
    .option('--members <n>', 'how many members, or their ids: a,b,c (default: 3)')
    .option(
      '--terms <n>',
      'go no further where a term is above this (default: 2; for quorum 1, which takes minutes)',
    )
    .option('--crashes <n>', 'how many crashes (default: 1)')
    .option('--amnesia [n]', 'how many times a member that starts again finds its disk empty')
    .option('--evidence [n]', 'members are told this many times that another is gone or back, true or not')
    .option('--drops <n>', 'count what the network loses (default: it may lose anything)')
    .option('--duplicates <n>', 'count what it repeats (default: it may repeat anything)')
    .option('--in-flight <n>', 'count what is under way (default: any number of messages)')
    .option('--bound <name=n>', 'the bound of another counter of the protocol; can be repeated', collect)
    .option('--depth <n>', 'how many acts a history may have; then every state is looked at by itself')
    .option('--exact', 'look at every state by itself, also where one stands for many')
    .option('--quorum', 'the same as --option quorum=true')
    .option('--option <name=value>', 'an option of the protocol; can be repeated', collect)
    .option('--max-states <n>', 'give up at so many states (default: 10000000)')
    .option('--json', 'print the result as JSON')
    .option('--scenario <file>', 'write what breaks a property as a scenario for caucus simulate')
    .addHelpText(
      'after',
      `
Whoever counts drops, duplicates or messages in flight gets a network that delivers each message at most
once, and where one of the three is not given it is 1, 1 and 6.

Exit code: 0 if no promised property was broken, 1 if one was, 2 for bad input.

Examples:
  $ caucus check epoch                                 two leaders at once, in nine steps
  $ caucus check epoch --amnesia --scenario twice.json && caucus simulate twice.json
  $ caucus check bully --crashes 2 --json`,
    )
    .action(async (protocol: string, flags: CheckFlags) => {
      process.exitCode = await checkCommand(protocol, flags);
    });
}
