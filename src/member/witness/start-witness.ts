import { BadInput, type MemberId } from '../../core/index.ts';
import { CaucusError } from '../../election/index.ts';
import { ownProcess } from '../evidence.ts';
import type { AnyJoinOptions, LogEntry } from '../join-options.ts';
import { readSecretOptions } from '../member-secret.ts';
import { refuseTwice } from '../refuse-twice.ts';
import { readTls } from '../tls-options.ts';
import { TlsWatch } from '../tls-watch.ts';
import { Witness } from './witness.ts';

export interface StartWitnessOptions
  extends Required<Pick<AnyJoinOptions, 'peers'>>,
    Pick<AnyJoinOptions, 'secret' | 'secretFile' | 'tls'> {
  /** How members know it: they name it in `trustWitnesses`. With certificates, the id in its own. */
  readonly id: MemberId;
  readonly cluster: string;
  readonly log: (entry: LogEntry) => void;
}

export interface RunningWitness {
  /** Reads the files of the secret and the certificates again now. */
  reload(): void;
  close(): void;
}

/** Throws BadInput for options that cannot be used, and CaucusError where the system does not show processes. */
export function startWitness(options: StartWitnessOptions): RunningWitness {
  const { id, cluster, peers: members = [], log } = options;
  if (members.length === 0) throw new BadInput('peers', 'the members to report to (--peers)', 'none');
  refuseTwice(members);
  const secret = readSecretOptions(options);
  const tls = readTls(options.tls, { id, cluster }, { url: undefined, peers: members });
  if (secret.secrets === null && tls === null) {
    const expected =
      'the secret of the cluster (secretFile, --secret-file) or a certificate (tls, --tls-cert)';
    throw new BadInput(
      'secretFile',
      `${expected}, since members believe only a witness that authenticates itself`,
      'neither',
    );
  }
  const host = ownProcess();
  if (host === null)
    throw new CaucusError(
      'E_UNSUPPORTED',
      'this system does not show which processes run (/proc of Linux does)',
    );
  secret.watch(log);
  const tlsWatch = tls === null ? null : new TlsWatch(tls, log);
  const witness = new Witness({ id, cluster, members, secrets: secret.secrets, tls, host, log });
  return {
    reload() {
      secret.reload();
      tlsWatch?.reload();
    },
    close() {
      witness.close();
      secret.close();
      tlsWatch?.close();
    },
  };
}
