import type { Command } from 'commander';
import type { MemberFlags } from '../../input/config/member-flags.ts';
import { collect } from '../../input/values.ts';

export interface WitnessFlags
  extends Pick<
    MemberFlags,
    'id' | 'cluster' | 'peer' | 'peers' | 'secretFile' | 'tlsCert' | 'tlsKey' | 'tlsCa' | 'tlsName' | 'config'
  > {
  readonly json?: boolean;
}

/** `caucus witness`: its flags and its help. */
export function addWitness(program: Command): void {
  program
    .command('witness')
    .summary('tell the members of other hosts when a member of this host dies')
    .description(
      'Watches the members that run on this host, and when the process of one is gone tells all others, which need not wait for its lease then. They believe it only if they trust it: caucus node --trust-witness. It has no vote and keeps nothing.',
    )
    .option(
      '--id <id>',
      'its name, by which members trust it (default: witness-ID with the id of the member in the file, or else the name of the host; with certificates, that id)',
    )
    .option('--peer <id=url>', 'a member; can be repeated', collect)
    .option('--peers <id=url,…>', 'all members at once')
    .option('--cluster <name>', 'the cluster of the members (default: caucus)')
    .option('--secret-file <file>', 'the secret of the cluster; mode 0600')
    .option('--tls-cert <file>', 'its certificate, if members have certificates')
    .option('--tls-key <file>', 'the key of its certificate; mode 0600')
    .option('--tls-ca <file>', 'the CAs whose certificates it accepts')
    .option(
      '--tls-name <dns-name=id>',
      'the member of a certificate that has only a DNS name; can be repeated',
      collect,
    )
    .option(
      '--config <file>',
      'read these settings from the file of the member that it watches; - is standard input',
    )
    .option('--json', 'one JSON object a line in place of text')
    .addHelpText(
      'after',
      `
It has to run in the namespaces of the member: on the host, or in its container or pod (Kubernetes: shareProcessNamespace).
A member is watched once both have shown each other, over a socket of this kernel, that they run on it.
A process that is stopped (SIGSTOP) or hangs is alive, and is not reported.

Exit code: 0 after SIGINT or SIGTERM, 1 if it could not start, 2 for bad input.

Examples:
  $ caucus witness --config /etc/caucus/member.json --secret-file /etc/caucus/secret
  $ caucus witness --id witness-a --peers a=http://10.0.0.1:7101,b=http://10.0.0.2:7101 --secret-file secret`,
    )
    .action(async (flags: WitnessFlags) => {
      const { witnessCommand } = await import('./witness.ts');
      process.exitCode = await witnessCommand(flags);
    });
}
