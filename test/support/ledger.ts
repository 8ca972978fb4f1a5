import { createServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';

export interface Write {
  readonly token: bigint;
  readonly by: string;
  /** Just before its writer asked whether it may. */
  readonly begunAt: bigint;
}

/** What the leaders of each election wrote (writer-process.ts), in the order in which it arrived. */
export class Ledger {
  readonly writes: Map<string, Write[]> = new Map();
  readonly server: Server = createServer((socket) => {
    socket.on('error', () => {}); // Its writer was killed.
    createInterface({ input: socket }).on('line', (line) => {
      const [token, by, begunAt, election] = line.split(' ');
      const writes = this.writes.get(election!) ?? [];
      this.writes.set(election!, writes);
      writes.push({ token: BigInt(token!), by: by!, begunAt: BigInt(begunAt!) });
    });
  });

  /** Writes that were begun after one with a later token: two were acting. */
  get overlaps(): readonly Write[] {
    return [...this.writes.values()].flatMap((writes) => {
      const sorted = [...writes].sort((a, b) => (a.begunAt < b.begunAt ? -1 : 1));
      let newest = 0n;
      return sorted.filter(({ token }) => {
        if (token < newest) return true;
        newest = token;
        return false;
      });
    });
  }

  /** How many leaderships of an election have written. */
  leaderships(election: string): number {
    return new Set((this.writes.get(election) ?? []).map(({ token }) => token)).size;
  }
}
