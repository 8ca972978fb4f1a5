import type { IsolatedJoinOptions, JoinOptions } from '../member/index.ts';
import type { DefaultProtocol, ProtocolName } from '../protocols/index.ts';
import type { IsolatedMember, Member } from './member.ts';

/**
 * Starts a member. From now on it votes in the elections of its cluster; a program that wants to lead uses one of its
 * elections. With `isolate: true` it runs in a thread of its own. Rejects with BadInput for invalid options, and with
 * CaucusError for errors of the system. The code of members is loaded at the first call, since a program whose elections
 * are on a store needs none of it.
 */
export async function join<P extends ProtocolName = DefaultProtocol>(
  options: IsolatedJoinOptions<P>,
): Promise<IsolatedMember>;
export async function join<P extends ProtocolName = DefaultProtocol>(
  options: JoinOptions<P>,
): Promise<Member>;
export async function join<P extends ProtocolName>(
  options: JoinOptions<P> | IsolatedJoinOptions<P>,
): Promise<Member | IsolatedMember> {
  const member = await import('../member/index.ts');
  return member.join(options);
}
