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
    if (reason === null) unreachable.reached(PEER, [PEER]);
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

describe('a peer that connects', () => {
  it('under an URL that the configuration has for another one is a warning', () => {
    const unreachable = new Unreachable(() => {});
    const [b, c] = [
      { id: 'b', url: 'http://b' },
      { id: 'c', url: 'http://c' },
    ];
    expect(unreachable.reached(b, [b, c])).toEqual({ level: 'info', message: 'connected to b at http://b' });
    expect(unreachable.reached({ id: 'b', url: 'http://c' }, [b, c])).toEqual({
      level: 'warning',
      message: 'connected to b at http://c, which the peers of this member have as c: correct them',
    });
    expect(unreachable.reached({ id: 'b', url: 'http://proxy' }, [b, c]).level).toBe('info');
  });
});
