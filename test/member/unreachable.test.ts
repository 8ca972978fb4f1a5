/** What the log says of a peer that cannot be reached. */
import { describe, expect, it } from 'vitest';
import { Unreachable } from '../../src/member/unreachable.ts';

const PEER = { id: 'b', url: 'http://10.0.0.2:7101' };
const refused = 'connect ECONNREFUSED 10.0.0.2:7101';
const words = (reason: string): string => `cannot reach b at http://10.0.0.2:7101: ${reason}; retrying`;

function tried(...reasons: (string | null)[]): string[] {
  const told: string[] = [];
  const unreachable = new Unreachable((message) => told.push(message));
  for (const reason of reasons) {
    if (reason === null) unreachable.reached(PEER);
    else unreachable.failed(PEER, reason);
  }
  return told;
}

describe('a peer that cannot be reached', () => {
  it('is not told of before members that start together had the time to', () => {
    expect(tried(refused, refused)).toEqual([]);
  });

  it('is told of once, and again when the reason changes', () => {
    const many = Array.from({ length: 10 }, () => refused);
    expect(tried(...many)).toEqual([words('nothing listens there (ECONNREFUSED)')]);
    expect(tried(...many, 'getaddrinfo ENOTFOUND b', 'the handshake timed out', ...many)).toEqual([
      words('nothing listens there (ECONNREFUSED)'),
      words('there is no host of that name (ENOTFOUND)'),
      words('it does not answer'),
      words('nothing listens there (ECONNREFUSED)'),
    ]);
  });

  it('is told of again after it was reached', () => {
    const three = [refused, refused, refused];
    expect(tried(...three, null, ...three)).toHaveLength(2);
  });
});
