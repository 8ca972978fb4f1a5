/**
 * A process that joins a running cluster asks one of its members who the others are, and proves itself as in every
 * other request between members. It asks until it is answered, and says what it waits for.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Membership, membership } from '../api/wire/index.ts';
import { BadInput, type Definition, type MemberId, show } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import type { Store } from './data-folder.ts';
import type { AnyJoinOptions } from './join-options.ts';
import type { Peer } from './links/links.ts';
import { resolveLinkOptions } from './links/options.ts';
import { type Posted, Poster } from './links/post.ts';
import type { Settled } from './options.ts';
import { normalUrl } from './voters.ts';

const AGAIN_MS = 1000;

/** Only where members are added and removed by operators is there a cluster to join. */
export function readJoin({ join, peers = [], tls }: AnyJoinOptions, definition: Definition): string | null {
  if (join === undefined) return null;
  const isAble = definition.registration === undefined && definition.commands.includes('add');
  if (!isAble)
    throw new BadInput('join', `peers, since members of ${definition.name} are not added`, show(join));
  if (peers.length > 0) throw new BadInput('join', 'it or peers', 'both');
  if (tls !== undefined && !/^https:/i.test(join))
    throw new BadInput(
      'join',
      'a URL that begins with https://, since members have certificates',
      show(join),
    );
  return join;
}

/** The same settings with the other members as peers. A member that was one before knows them from its data folder. */
export async function learnPeers(settled: Settled, store: Store): Promise<Settled> {
  const { id, cluster, join, log } = settled;
  const known = store.member.members.filter((peer) => peer.id !== id);
  if (known.length > 0) return { ...settled, peers: known };
  const options = resolveLinkOptions({ secrets: settled.secret.secrets, tls: settled.tls });
  const own = { id, cluster, incarnation: 0, life: '', url: settled.url ?? '', process: null };
  const poster = new Poster(own, { ...options, mainElection: settled.election });
  let told = '';
  try {
    for (;;) {
      const answer = await ask(poster, join!, settled.election);
      const found = readMembers(answer, cluster);
      if (typeof found === 'object') return { ...settled, peers: othersIn(found, id, join!) };
      const message = `waits for a member of the cluster at ${join}: ${found}`;
      if (message !== told) log({ level: 'warning', message });
      told = message;
      await wait(AGAIN_MS);
    }
  } finally {
    poster.close();
  }
}

function ask(poster: Poster, url: string, election: string): Promise<Posted> {
  return new Promise((resolve) =>
    poster.post(url, null, { election, message: { type: 'members' } }, resolve),
  );
}

/** The document; or why there is none, which may pass. */
export function readMembers(answer: Posted, cluster: string): Membership | string {
  if (answer.type === 'failed') return answer.reason;
  let found: Membership;
  try {
    found = membership.read({ voterId: answer.voterId, ...answer.answer }, '');
  } catch (error) {
    if (error instanceof BadInput)
      return `what answers there is not a member of this version (${error.message})`;
    throw error;
  }
  if (found.cluster !== cluster)
    throw new CaucusError(
      'E_REFUSED',
      `cannot join: the member there belongs to the cluster ${found.cluster}, and this one is to join ${cluster}`,
    );
  return found.members.length === 0
    ? 'its cluster has not been founded yet: start all of its first members'
    : found;
}

/** The member that was asked is reached where it was asked, whatever it says of itself. */
export function othersIn({ members, voterId }: Membership, id: MemberId, asked: string): readonly Peer[] {
  return members.flatMap(({ voterId: member, voterUrl }): Peer[] => {
    const url = member === voterId ? asked : voterUrl === null ? null : normalUrl(voterUrl);
    return member === id || url === null ? [] : [{ id: member, url }];
  });
}
