import { BadInput, show } from '../core/index.ts';
import type { Peer } from './links/links.ts';

/** Two peers with one id are a mistake in the configuration. */
export function refuseTwice(peers: readonly Peer[]): void {
  peers.forEach(({ id }, i) => {
    if (peers.findIndex((peer) => peer.id === id) === i) return;
    throw new BadInput(`peers[${i}].id`, 'an id that no other peer has', show(id));
  });
}
