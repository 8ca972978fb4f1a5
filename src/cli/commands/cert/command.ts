/** `caucus cert`: its subcommands, their flags and their help. */
import type { Command } from 'commander';
import { Refusal } from '../../input/refusal.ts';
import { collect } from '../../input/values.ts';
import type { CaFlags, MemberCertFlags } from './issue.ts';

export function addCert(program: Command): void {
  const cert = program
    .command('cert')
    .summary('make a small CA and the certificates of members, or look at one')
    .description(
      'Makes a certificate authority and certificates for members, for those who have none. Keys are EC P-256, in files of mode 0600; no file is overwritten. It needs the command openssl.',
    )
    .helpCommand(false)
    .allowExcessArguments()
    .action((_flags, { args }: Command) => {
      const found = args[0] === undefined ? 'none' : JSON.stringify(args[0]);
      throw new Refusal(`caucus cert: expected ca, member or show, found ${found}`);
    });
  cert
    .command('ca')
    .summary('make a certificate authority: ca.pem and ca-key.pem')
    .description('Makes a certificate authority: ca.pem, which every member needs, and ca-key.pem.')
    .requiredOption('--dir <dir>', 'the folder for the two files')
    .option('--days <n>', 'how long it lasts (default: 3650)')
    .addHelpText('after', help('caucus cert ca --dir ca'))
    .action(async (flags: CaFlags) => {
      const { caCommand } = await import('./issue.ts');
      process.exitCode = await caCommand(flags);
    });
  cert
    .command('member')
    .summary('make the certificate of a member: member-ID.pem and member-ID-key.pem')
    .description('Makes the certificate of a member, and its key: member-ID.pem and member-ID-key.pem.')
    .requiredOption('--id <id>', 'the member')
    .requiredOption('--dir <dir>', 'the folder for the two files')
    .requiredOption('--host <name-or-address>', 'where clients reach the member; can be repeated', collect)
    .option('--cluster <name>', 'its cluster', 'caucus')
    .option('--ca <dir>', 'the folder of the CA (default: --dir)')
    .option('--days <n>', 'how long it lasts (default: 365)')
    .addHelpText(
      'after',
      help('caucus cert member --cluster shop --id a --host a.example.com --host 10.0.0.1 --dir ca'),
    )
    .action(async (flags: MemberCertFlags) => {
      const { memberCertCommand } = await import('./issue.ts');
      process.exitCode = await memberCertCommand(flags);
    });
  cert
    .command('show')
    .summary('print what is in a file of certificates')
    .description(
      'Prints of each certificate in a file which member it is for, its hosts, and how long it lasts.',
    )
    .argument('<FILE>', 'certificates in PEM')
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      '\nExit code: 0 if all are valid now, 1 if one is not, 2 for bad input.\n\nExample:\n  $ caucus cert show member-a.pem',
    )
    .action(async (file: string, flags: { readonly json?: boolean }) => {
      const { showCommand } = await import('./show.ts');
      process.exitCode = showCommand(file, flags);
    });
}

function help(example: string): string {
  return `\nExit code: 0, or 2 for bad input.\n\nExample:\n  $ ${example}`;
}
