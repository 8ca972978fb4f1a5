import type { Command } from 'commander';
import type { DoctorFlags } from './doctor.ts';

/** `caucus doctor`: its flags and its help. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('say what is wrong with a cluster or a configuration, and what to do')
    .description(
      'Asks all members of a cluster, and says what is wrong: members that do not answer, elections without a leader, settings, versions and secrets that differ, links, clocks, disks, event loops, certificates, and members that are configured otherwise than they vote. Each finding has a next step. With --config it checks what a member would be started with, before it is.',
    )
    .argument(
      '[URL...]',
      'members to ask; those that they have configured are asked too (default: CAUCUS_URL, or http://127.0.0.1:7101; with --tls-ca https)',
    )
    .option(
      '--config <file>',
      'check this file of caucus node in place of a running cluster; - is standard input',
    )
    .option('--json', 'print it as JSON')
    .option(
      '--token-file <file>',
      'the token for members that need one (default: CAUCUS_API_TOKEN, or the file CAUCUS_API_TOKEN_FILE)',
    )
    .option('--tls-ca <file>', 'the CA of members with certificates (default: CAUCUS_TLS_CA)')
    .addHelpText(
      'after',
      `
Problems come first, then warnings: what works now, and ends with one more fault. With --json, findings have a
kind, a word for scripts that never changes.

Exit code: 0 if there is no problem (warnings are none), 1 if there is one or no member answers; 2 for bad input.

Examples:
  $ caucus doctor
  $ caucus doctor http://10.0.0.1:7101 http://10.0.0.2:7101 --json
  $ caucus doctor --config member.json && caucus node --config member.json`,
    )
    .action(async (urls: readonly string[], flags: DoctorFlags) => {
      const { doctorCommand } = await import('./doctor.ts');
      process.exitCode = await doctorCommand(urls, flags);
    });
}
