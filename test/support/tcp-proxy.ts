import net, { type AddressInfo } from 'node:net';

/** A tunnel before a server, as side-cars and port-forwards are: it can close, refuse and stop to read. */
export interface TcpProxy {
  readonly url: string;
  readonly connections: number;
  /** How many connections were ever asked for. */
  readonly asked: number;
  /** How many requests were sent, each after the answer to the one before on its connection: round trips. */
  readonly requests: number;
  /** Closes all connections and every new one at once, while the server behind it lives on. */
  refuse(): void;
  /** Carries nothing on any connection, new or old, and closes none: a slow or frozen peer, as its kernel shows it. */
  freeze(): void;
  /** Reads nothing more and says that nothing more will come: half closed, as a dying tunnel can be. */
  hangUp(): void;
  /** Holds back all answers on connections over which one of these paths was asked for, and on no others any more. */
  hold(...paths: readonly string[]): void;
  /** Carries everything again, beginning with what was held back. */
  restore(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const pairs = new Set<readonly [net.Socket, net.Socket]>();
  let mode: 'carry' | 'refuse' | 'freeze' = 'carry';
  let asked = 0;
  let requests = 0;
  const held = new Map<net.Socket, { readonly paths: ReadonlySet<string>; readonly answers: Buffer[] }>();
  let holding: readonly string[] = [];

  const server = net.createServer((near) => {
    asked++;
    if (mode === 'refuse') {
      near.destroy();
      return;
    }
    const far = net.connect({ host: target.hostname, port: Number(target.port) });
    const pair = [near, far] as const;
    pairs.add(pair);
    const paths = new Set<string>();
    let isAnswered = true;
    near.on('data', () => {
      if (isAnswered) requests++;
      isAnswered = false;
    });
    far.on('data', () => {
      isAnswered = true;
    });
    near.on('data', (data) => {
      for (const [, each] of data.toString('latin1').matchAll(/^[A-Z]+ (\S+) HTTP\/1/gm)) paths.add(each!);
    });
    for (const [one, other] of [pair, [far, near] as const]) {
      one.setNoDelay(true);
      one.on('data', (data) => {
        if (one === far && holding.some((each) => paths.has(each))) {
          const { answers } = held.get(near) ?? { answers: [] };
          held.set(near, { paths, answers: [...answers, data] });
          return;
        }
        if (!other.write(data)) one.pause();
      });
      other.on('drain', () => {
        if (mode === 'carry') one.resume();
      });
      one.on('end', () => {
        if (mode !== 'freeze') other.end();
      });
      one.on('error', () => {});
      one.on('close', () => {
        if (mode === 'freeze') return; // Not even this is carried.
        other.destroy();
        pairs.delete(pair);
      });
      if (mode === 'freeze') one.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const closeAll = (): void => {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  const freeze = (): void => {
    mode = 'freeze';
    for (const [near, far] of pairs) {
      near.pause();
      far.pause();
    }
  };
  const release = (): void => {
    for (const [near, { paths, answers }] of held) {
      if (holding.some((each) => paths.has(each))) continue;
      held.delete(near);
      for (const answer of answers) near.write(answer);
    }
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return pairs.size;
    },
    get asked() {
      return asked;
    },
    get requests() {
      return requests;
    },
    refuse() {
      mode = 'refuse';
      closeAll();
    },
    freeze,
    hangUp() {
      freeze();
      for (const [near] of pairs) near.end();
    },
    hold(...paths) {
      holding = paths;
      release();
    },
    restore() {
      mode = 'carry';
      holding = [];
      release();
      for (const pair of pairs) {
        const isBroken = pair.some((socket) => socket.destroyed || socket.readableEnded);
        if (isBroken) pairs.delete(pair);
        for (const socket of pair) isBroken ? socket.destroy() : socket.resume();
      }
    },
    async close() {
      closeAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
