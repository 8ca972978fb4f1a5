import { hostname } from 'node:os';
import { CaucusError } from '../../../election/index.ts';
import { startWitness } from '../../../member/index.ts';
import { type MemberConfig, readMemberConfig } from '../../input/config/member-config.ts';
import { tlsOf } from '../../input/config/tls.ts';
import { Refusal } from '../../input/refusal.ts';
import { paintFor } from '../../terminal/colours.ts';
import { openLog } from '../../terminal/log.ts';
import { untilStopped } from '../../terminal/until-stopped.ts';
import type { WitnessFlags } from './command.ts';

/** Watches until a signal ends it. */
export async function witnessCommand(flags: WitnessFlags): Promise<number> {
  const config = await readMemberConfig(flags, process.env);
  const { settings, secret } = config;
  const tls = tlsOf(config);
  const log = openLog(
    (line) => process.stdout.write(line),
    flags.json ?? false,
    paintFor(process.stdout, process.env),
  );
  if (settings.peers === undefined)
    throw new Refusal(
      '--peers: expected the members to report to, there or in a file (--config), found none',
    );
  if (secret === null && tls === undefined)
    throw new Refusal(
      '--secret-file: expected the secret of the cluster, or certificates (--tls-cert), since members believe only a witness that authenticates itself, found neither',
    );
  const id = flags.id === undefined ? usualId(settings.id, tls !== undefined) : settings.id!;
  const reloading = { reload: (): void => {} };
  const stopped = untilStopped(() => reloading.reload());
  try {
    const witness = startWitness({
      id,
      cluster: settings.cluster ?? 'caucus',
      peers: settings.peers,
      ...secret?.options,
      ...(tls === undefined ? {} : { tls }),
      log: ({ level, message }) =>
        log({ level: level === 'warning' ? 'warn' : level, event: 'note', text: message }),
    });
    reloading.reload = () => witness.reload();
    log({ level: 'info', event: 'ready', text: `${id} is a witness`, id, pid: process.pid });
    log({ level: 'info', event: 'stopping', text: `${await stopped}: stopping` });
    witness.close();
    return 0;
  } catch (error) {
    if (!(error instanceof CaucusError)) throw error;
    log({ level: 'error', event: 'failed', text: error.message, code: error.code });
    return 1;
  }
}

/** A certificate names its owner. Without one, the name tells the witness from the member whose file it shares. */
function usualId(
  member: MemberConfig['settings']['id'],
  hasCertificate: boolean,
): NonNullable<MemberConfig['settings']['id']> {
  if (hasCertificate && member !== undefined) return member;
  return `witness-${member ?? hostname()}`;
}
