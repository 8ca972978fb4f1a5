import { type ActStore, type Api, createApi } from '../api/index.ts';
import { hostNames } from './access.ts';
import type { Links } from './links/links.ts';
import type { Member } from './member.ts';
import type { Settled } from './options.ts';
import { voterCheck } from './voter-proofs.ts';
import { witnessPort } from './witness-port.ts';

/** The HTTP API of a member, with the rules that its options set. */
export function memberApi(member: Member, settled: Settled, acts: ActStore, links: Links): Api {
  return createApi(member, {
    hosts: hostNames(settled, member.url),
    allow: settled.allow,
    access: () => settled.access.now,
    voters: voterCheck(member, settled.secret.secrets, settled.tls),
    note: (message) => settled.log({ level: 'info', message }),
    acts,
    witnesses: witnessPort(settled, links),
  });
}
