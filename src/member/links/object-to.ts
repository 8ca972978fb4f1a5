import { removedWords } from '../../api/index.ts';
import type { MemberId } from '../../core/index.ts';
import type { Identity, Refused } from '../../peers/index.ts';
import type { Connection } from './connection.ts';

/** What speaks against a greeting, whatever the state of the connections is; null if nothing does. */
export function objectTo(
  connection: Connection,
  identity: Identity,
  own: MemberId,
  removed: readonly MemberId[],
): Refused | null {
  const reason = falseIdentity(connection, identity);
  if (reason !== null) return { kind: 'unauthenticated', reason };
  const { id } = identity;
  return removed.includes(id) ? { kind: 'removed', reason: removedWords(own, id) } : null;
}

/** Why the other side is not the member that it says it is; null if nothing speaks against it. */
function falseIdentity({ provenId, certifiedId }: Connection, { id }: Identity): string | null {
  if (provenId !== null && provenId !== id)
    return `it has proven that it is member ${provenId}, and says that it is ${id}`;
  if (certifiedId !== null && String(certifiedId) !== String(id))
    return `it says that it is member ${id}, and its certificate is that of member ${certifiedId}; give it the certificate of ${id}`;
  return null;
}
