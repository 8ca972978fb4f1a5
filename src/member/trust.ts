/** What a member takes for proof that another process is dead: the options `trustConnections` and `trustWitnesses`. */
import { hostOf, isLoopback } from '../api/index.ts';
import { BadInput, memberId, type Shape, show } from '../core/index.ts';
import type { TrustedWitnesses } from '../peers/index.ts';
import type { AnyJoinOptions } from './join-options.ts';
import type { Settled } from './options.ts';

export const trustWitnesses: Shape<AnyJoinOptions['trustWitnesses']> = {
  expected: 'true, false, or a list of the ids of witnesses',
  isOptional: true,
  read(value, path) {
    if (value === undefined || typeof value === 'boolean') return value;
    if (!Array.isArray(value) || value.length === 0 || value.length > 1000)
      throw new BadInput(path, this.expected, show(value));
    return value.map((id, i) => memberId.read(id, `${path}[${i}]`));
  },
};

/** A report is as good as its sender: one that any process could send would end promises to a leader that lives. */
export function readWitnesses(
  given: AnyJoinOptions['trustWitnesses'],
  isAuthenticated: boolean,
): TrustedWitnesses {
  if (given === undefined || given === false) return false;
  if (isAuthenticated) return given;
  const expected =
    'certificates (tls) or a secret (secretFile) for all members beside it, since reports of witnesses are believed';
  throw new BadInput('trustWitnesses', expected, 'neither');
}

/**
 * Does a closed connection say anything? Where any process of the network can open connections in the name of a member,
 * it can close them too.
 */
export function mayTrust(
  { url }: AnyJoinOptions,
  listen: Settled['listen'],
  isAuthenticated: boolean,
): boolean {
  return isAuthenticated || isLoopback(listen === null ? hostOf(url!) : listen.host);
}
