import type { Server } from 'node:http';
import { closeServer, listen } from '../api/index.ts';
import { CaucusError } from '../election/index.ts';
import { forgetfulStore, openStore } from './data-folder.ts';
import type { AnyIsolatedJoinOptions, AnyJoinOptions } from './join-options.ts';
import { learnPeers } from './joining.ts';
import { Member } from './member.ts';
import { warningsOf } from './option-warnings.ts';
import { readOptions, type Settled } from './options.ts';
import { PeerAddresses } from './peer-addresses.ts';
import { findPlace } from './place.ts';
import { rehearse } from './rehearsal.ts';
import { type IsolatedMember, joinIsolated } from './thread/isolated-member.ts';

/** Starts a member. Rejects with BadInput for invalid options, and with CaucusError for errors of the system. */
export async function join(options: AnyIsolatedJoinOptions): Promise<IsolatedMember>;
export async function join(options: AnyJoinOptions): Promise<Member>;
export async function join(
  options: AnyJoinOptions | AnyIsolatedJoinOptions,
): Promise<Member | IsolatedMember>;
export async function join(
  options: AnyJoinOptions | AnyIsolatedJoinOptions,
): Promise<Member | IsolatedMember> {
  if (options?.isolate === true) return joinIsolated(options);
  let settled = await findPlace(await readOptions(options));
  refuseBun(settled);
  for (const message of warningsOf(options, settled)) settled.log({ level: 'warning', message });
  await rehearse(settled);
  const { data, cluster, id, election } = settled;
  const store = data === null ? forgetfulStore(election) : await openStore(data, cluster, id, election);
  let server: Server | null = null;
  try {
    if (settled.join !== null) settled = await learnPeers(settled, store);
    let member: Member | null = null;
    if (settled.listen !== null) {
      const { listen: where, tls, peers } = settled;
      const addresses = new PeerAddresses(() => (member?.voters ?? peers).map(({ url }) => url));
      server = await listen(
        where.host,
        where.port,
        settled.limits.connections,
        (request, response) => member?.handler(request, response),
        {
          tls: tls === null ? null : { tls, tell: (from, message) => member?.refusedTls(from, message) },
          isPeerAddress: (address) => addresses.has(address),
        },
      );
      server.once('close', () => addresses.close());
      void addresses.look();
    }
    member = new Member(settled, store, server);
    return member;
  } catch (error) {
    if (server !== null) await closeServer(server);
    store.close();
    throw error;
  }
}

/** Bun has a WebSocket server of its own in the place of `ws`, to which members do not get connected. */
function refuseBun({ peers, join: joins, seed }: Settled): void {
  const isAlone = joins === null && seed === null && peers.length === 0;
  if (process.versions.bun === undefined || isAlone) return;
  const message =
    'members cannot connect to each other under Bun: run them with Node.js or Deno, or use an engine';
  throw new CaucusError('E_UNSUPPORTED', message);
}
