import type { Command } from 'commander';
import { addMemberFlags, type MemberFlags } from '../../input/config/member-flags.ts';
import { addEngineFlags, ENGINE_HELP, type EngineFlags } from '../../input/engine-flags.ts';

export interface NodeFlags extends MemberFlags, EngineFlags {
  readonly elections?: string;
  readonly new?: boolean;
  readonly printConfig?: boolean;
  readonly json?: boolean;
}

/** `caucus node`: its flags and its help. */
export function addNode(program: Command): void {
  const command = program
    .command('node')
    .summary('run one member of a cluster')
    .description(
      'Runs one member of a cluster until it is told to stop. It has an HTTP API: the leader, health checks for load balancers, metrics, an event stream.',
    );
  addEngineFlags(addMemberFlags(command))
    .option(
      '--elections <n>',
      'take part in n more elections, job-0001 and so on, to try and to measure many (1 to 9999)',
    )
    .option('--new', 'ignored, kept for old scripts')
    .option('--print-config', 'print every setting and where it comes from, and exit')
    .option('--json', 'one JSON object a line in place of text')
    .addHelpText(
      'after',
      `
Flags take precedence over the environment, and that over the file. The environment:
  VOTER_ID, VOTER_URL, VOTER_LIST (JSON, or ID=URL,ID=URL), SEED_HOST,
  HEARTBEAT_INTERVAL (30, 30s or 500ms), MISSED_HEARTBEAT_TOLERANCE, CAUCUS_TOKENS_FILE, CAUCUS_TOKENS,
  CAUCUS_TLS_CERT, CAUCUS_TLS_KEY, CAUCUS_TLS_CA, CAUCUS_TLS_NAMES

A file is YAML or JSON. It looks like this, and every field may be left out; voter-id, voter-url, voter-list,
heartbeat-interval and missed-heartbeat-tolerance are fields too, and \${NAME:default} is a variable:
  { "id": "a", "listen": "127.0.0.1:7101", "data": "/var/lib/caucus/a",
    "peers": { "a": "http://127.0.0.1:7101", "b": "http://127.0.0.1:7102", "c": "http://127.0.0.1:7103" },
    "protocol": "quorum", "options": { "preset": "steady" } }

The first start of a cluster needs 3 of its 3 members, or 4 of 5. Without --data a member keeps nothing
when it stops: it comes back with a new disk, and the leader gives that disk a seat. If several do so at
once, or a data folder is lost while another member is down, the cluster needs as many members again as at
its first start.
${ENGINE_HELP}

With --tls-cert, SIGHUP reads the certificates again, unless it comes from a terminal that was closed.

Exit code: 0 after SIGINT or SIGTERM, 1 if it could not start or continue, 2 for bad input.

Examples:
  $ caucus node --id a --listen 127.0.0.1:7101 --peer b=http://127.0.0.1:7102 --peer c=http://127.0.0.1:7103
  $ VOTER_ID=a VOTER_URL=http://127.0.0.1:7101 VOTER_LIST=b=http://127.0.0.1:7102 caucus node --protocol draw
  $ caucus node --config member.json --print-config
  $ caucus node --engine redis://127.0.0.1 --election nightly --listen 127.0.0.1:7101`,
    )
    .action(async (flags: NodeFlags) => {
      const { nodeCommand } = await import('./node.ts');
      process.exitCode = await nodeCommand(flags);
    });
}
