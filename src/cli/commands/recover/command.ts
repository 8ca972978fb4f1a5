import type { Command } from 'commander';
import type { RecoverFlags } from './recover.ts';

/** `caucus recover`: its flags and its help. */
export function addRecover(program: Command): void {
  program
    .command('recover')
    .summary('make one member a cluster of its own, after a majority was lost for good')
    .description(
      'Makes the member of a data folder the only member of a new cluster, after so many of the others were lost for good that no leader can be elected any more. Its tokens then begin above all that were ever given. The member must not run. Without --yes it says what it would do, and asks at a terminal. It keeps a copy of the files. If a member of the cluster still answers at a URL that the folder knows, it refuses: both clusters would act.',
    )
    .requiredOption('--data <dir>', 'the data folder of the member that is left')
    .requiredOption('--id <id>', 'its name')
    .option('--cluster <name>', 'the name of its cluster', 'caucus')
    .option('--tls-ca <file>', 'the CA of members with certificates (default: CAUCUS_TLS_CA)')
    .option('--force', 'also if members of the cluster as it is still answer')
    .option('--yes', 'do it, and do not ask')
    .option('--json', 'print what it does as JSON')
    .addHelpText(
      'after',
      `
Do this on one member only: each one that is recovered is a cluster of its own. docs/operations.md has the
whole procedure, and what becomes of the old members.

Exit code: 0 if the folder is recovered, 1 if nothing was done since it was not confirmed or the disk failed,
2 for bad input: no folder, a member that runs on it, another member's folder, a damaged record, or members
that still answer at the URLs that the folder knows.

Examples:
  $ caucus recover --data /var/lib/caucus --id a --cluster shop
  $ caucus recover --data /var/lib/caucus --id a --cluster shop --yes`,
    )
    .action(async (flags: RecoverFlags) => {
      const { recoverCommand } = await import('./recover.ts');
      process.exitCode = await recoverCommand(flags);
    });
}
