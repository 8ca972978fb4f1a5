/** What a member logs at its start because it may not be meant. */
import { describe, expect, it } from 'vitest';
import { join } from '../../src/index.ts';

describe('a member without peers', () => {
  it('says that it is the only voter, unless its list of peers says so', async () => {
    const log: string[] = [];
    const note = ({ message }: { readonly message: string }) => void log.push(message);
    await (await join({ id: 'a', log: note })).close();
    expect(log.filter((line) => line.includes('no peers'))).toEqual([
      'no peers are configured: a is the only voter of its cluster and elects itself; give it the other members (peers, --peers)',
    ]);
    log.length = 0;
    await (
      await join({ id: 'a', listen: { port: 0 }, peers: [{ id: 'a', url: 'http://127.0.0.1:1' }], log: note })
    ).close();
    await (await join({ id: 'a', protocol: 'draw', log: note })).close();
    expect(log.filter((line) => line.includes('no peers'))).toEqual([]);
  });
});
