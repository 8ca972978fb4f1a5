import type { Command } from 'commander';
import { Refusal } from '../refusal.ts';
import { asJson, asNumber, collect, readPair, tooMany } from '../values.ts';
import type { Given, Source } from './sources.ts';

/** The flags of a member, as commander parses them. */
export interface MemberFlags {
  readonly id?: string;
  readonly cluster?: string;
  readonly listen?: string;
  readonly url?: string;
  readonly peer?: readonly string[];
  readonly peers?: string;
  readonly join?: string;
  readonly seedHost?: string;
  readonly protocol?: string;
  readonly election?: string;
  readonly data?: string;
  readonly priority?: string;
  readonly balance?: boolean;
  readonly deputies?: boolean;
  readonly insecure?: boolean;
  readonly trustConnections?: boolean;
  readonly trustWitness?: readonly string[];
  readonly record?: string;
  readonly tokensFile?: string;
  readonly closed?: boolean;
  readonly secretFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  readonly tlsName?: readonly string[];
  readonly timing?: readonly string[];
  readonly option?: readonly string[];
  readonly config?: string;
  readonly voterId?: string;
  readonly voterUrl?: string;
  readonly voterList?: string;
  readonly heartbeatInterval?: string;
  readonly missedHeartbeatTolerance?: string;
}

export function addMemberFlags(command: Command): Command {
  return command
    .option('--id <id>', 'its name, unique among the members (default: the host name and a random suffix)')
    .option('--listen <host:port>', 'where it listens (default: what its own URL says, or 127.0.0.1:0)')
    .option('--url <url>', 'where the others reach it (default: where it listens)')
    .option('--peer <id=url>', 'another member; can be repeated', collect)
    .option('--peers <id=url,…>', 'all members at once; may include this one')
    .option(
      '--join <url>',
      'any member of a running cluster, in place of --peers: it tells who the others are; an operator adds this one (caucus member add)',
    )
    .option('--seed-host <name>', 'a host name whose addresses are those of members')
    .option('--protocol <name>', 'which election (default: quorum)')
    .option('--election <name>', 'the name of the election (default: main)')
    .option(
      '--data <dir>',
      'the folder for what must survive a restart (default: none, so each start is that of a new disk)',
    )
    .option('--cluster <name>', 'members of another cluster are refused (default: caucus)')
    .option('--priority <n>', 'its priority as a candidate; with 0 it never leads (default: 1)')
    .option('--balance', 'spread the leaders of all elections but the main one evenly over the members')
    .option('--deputies', 'have the leader of the main election elect its successor in advance')
    .option('--timing <name=value>', 'a time of the protocol; can be repeated', collect)
    .option('--option <name=value>', 'an option of the protocol; can be repeated', collect)
    .option(
      '--trust-connections',
      'a closed connection means that the process is dead (no tunnels in between)',
    )
    .option(
      '--trust-witness <id>',
      'believe this witness (caucus witness, or a member) when it reports that a process of its host is dead; can be repeated; any: all that authenticate themselves',
      collect,
    )
    .option(
      '--secret-file <file>',
      'the secret of the cluster, by which members authenticate each other; mode 0600; two lines while one replaces the other',
    )
    .option('--tls-cert <file>', 'its certificate: members authenticate, and its port speaks https')
    .option('--tls-key <file>', 'the key of its certificate; mode 0600')
    .option('--tls-ca <file>', 'the CAs whose certificates it accepts')
    .option(
      '--tls-name <dns-name=id>',
      'the member of a certificate that has only a DNS name; can be repeated',
      collect,
    )
    .option('--insecure', 'may listen beyond the loopback, although nothing authenticates members')
    .option('--tokens-file <file>', 'the tokens of operators: NAME ROLE[,ROLE] TOKEN on each line; mode 0600')
    .option('--closed', 'questions need a token too; health checks do not')
    .option('--record <dir>', 'record all that happens in this folder, as caucus simulate --trace does')
    .option('--config <file>', 'read these settings from a YAML or JSON file; - is standard input')
    .option('--voter-id <id>', 'the same as --id')
    .option('--voter-url <url>', 'the same as --url')
    .option('--voter-list <list>', 'the same as --peers; also as JSON')
    .option('--heartbeat-interval <duration>', 'how often a heartbeat is sent: 30 (seconds), 30s, 500ms')
    .option(
      '--missed-heartbeat-tolerance <n>',
      'how many heartbeats may be missed before a voter is offline',
    );
}

export function fromFlags(flags: MemberFlags): Source {
  const source = new Map<string, Given>();
  const put = (field: string, flag: string, value: unknown): void => {
    if (value === undefined) return;
    const before = source.get(field);
    if (before !== undefined) throw new Refusal(tooMany(flag, before.from));
    source.set(field, { value, from: flag });
  };
  put('id', '--id', flags.id);
  put('cluster', '--cluster', flags.cluster);
  put('listen', '--listen', flags.listen);
  put('url', '--url', flags.url);
  put('peers', '--peer', flags.peer?.join(','));
  put('peers', '--peers', flags.peers);
  put('id', '--voter-id', flags.voterId);
  put('url', '--voter-url', flags.voterUrl);
  put('peers', '--voter-list', flags.voterList);
  put('heartbeatInterval', '--heartbeat-interval', flags.heartbeatInterval);
  put('missedHeartbeatTolerance', '--missed-heartbeat-tolerance', flags.missedHeartbeatTolerance);
  put('join', '--join', flags.join);
  put('seedHost', '--seed-host', flags.seedHost);
  put('protocol', '--protocol', flags.protocol);
  put('election', '--election', flags.election);
  put('data', '--data', flags.data);
  put('priority', '--priority', flags.priority === undefined ? undefined : asNumber(flags.priority));
  put('balance', '--balance', flags.balance);
  put('deputies', '--deputies', flags.deputies);
  put('insecure', '--insecure', flags.insecure);
  put('trustConnections', '--trust-connections', flags.trustConnections);
  put('trustWitnesses', '--trust-witness', flags.trustWitness?.join(','));
  put('record', '--record', flags.record);
  put('tokensFile', '--tokens-file', flags.tokensFile);
  put('closed', '--closed', flags.closed);
  put('secretFile', '--secret-file', flags.secretFile);
  put('tlsCert', '--tls-cert', flags.tlsCert);
  put('tlsKey', '--tls-key', flags.tlsKey);
  put('tlsCa', '--tls-ca', flags.tlsCa);
  put('tlsNames', '--tls-name', flags.tlsName?.join(','));
  for (const [group, flag, pairs] of [
    ['timing', '--timing', flags.timing],
    ['options', '--option', flags.option],
  ] as const) {
    for (const pair of pairs ?? []) {
      const [name, value] = readPair(pair, flag);
      put(`${group}.${name}`, `${flag} ${name}`, asJson(value));
    }
  }
  return source;
}
