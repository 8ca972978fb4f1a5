import type { Command } from 'commander';
import { collect } from '../../input/values.ts';
import type { CheckFlags } from './flags.ts';

/** `caucus check`: its flags and its help. */
export function addCheck(program: Command): void {
  program
    .command('check')
    .summary('check every order of events in a small cluster and report what can go wrong')
    .description(
      'Checks every order of events in a small cluster: messages that are late, lost or repeated, timers that fire at any moment, crashes and restarts. Says which properties hold within the bounds, and shows the shortest history that breaks one.',
    )
    .argument('<PROTOCOL>', 'which election')
    .option('--members <n>', 'how many members, or their ids: a,b,c (default: 3)')
    .option(
      '--terms <n>',
      'do not follow states with a higher term (default: 2; for quorum 1, which takes minutes)',
    )
    .option('--crashes <n>', 'how many crashes (default: 1)')
    .option('--amnesia [n]', 'how many times a member that starts again finds its disk empty')
    .option(
      '--evidence [n]',
      'members are told this many times that another is gone or back, whether it is true or not',
    )
    .option('--drops <n>', 'how many messages the network may lose (default: any number)')
    .option('--duplicates <n>', 'how many messages it may duplicate (default: any number)')
    .option('--in-flight <n>', 'how many messages may be in flight (default: any number)')
    .option('--bound <name=n>', 'the bound of another counter of the protocol; can be repeated', collect)
    .option('--depth <n>', 'how many events a history may have; then every state is checked separately')
    .option('--exact', 'check every state separately, also where one covers many')
    .option(
      '--fingerprints',
      'remember states by fingerprints of 64 bits, for 100 million and more; implies --exact',
    )
    .option('--quorum', 'the same as --option quorum=true')
    .option('--option <name=value>', 'an option of the protocol; can be repeated', collect)
    .option('--max-states <n>', 'stop after this many states (default: 10000000)')
    .option('--progress [s]', 'print a line every so many seconds, on a terminal or not (default: 10)')
    .option('--json', 'print the result as JSON')
    .option('--scenario <file>', 'write the history that breaks a property as a scenario for caucus simulate')
    .addHelpText(
      'after',
      `
With --drops, --duplicates or --in-flight, the network delivers each message at most once; those of the
three that are not given are 1, 1 and 6.

A state takes some 60 bytes with --exact, and some 20 with --fingerprints, besides those that wait to be
checked. Two states with the same fingerprint would be taken for one: the result says how probable that is.

The first Ctrl-C ends the search and prints what was covered; a second one ends the command at once.

Exit code: 0 if no promised property was broken, 1 if one was, 2 for bad input, 130 after Ctrl-C.

Examples:
  $ caucus check epoch                                 two leaders at once, in nine steps
  $ caucus check epoch --amnesia --scenario twice.json && caucus simulate twice.json
  $ caucus check bully --crashes 2 --json
  $ caucus check quorum --in-flight 3 --duplicates 0 --fingerprints --max-states 1000000000 --progress 60`,
    )
    .action(async (protocol: string, flags: CheckFlags) => {
      const { checkCommand } = await import('./check.ts');
      process.exitCode = await checkCommand(protocol, flags);
    });
}
