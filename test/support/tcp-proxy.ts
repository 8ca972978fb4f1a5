import net, { type AddressInfo } from 'node:net';

/** A tunnel before a server, as side-cars and port-forwards are: it can close, refuse and stop to read. */
export interface TcpProxy {
  readonly url: string;
  readonly connections: number;
  /** How many connections were ever asked for. */
  readonly asked: number;
  /** Closes all connections and every new one at once, while the server behind it lives on. */
  refuse(): void;
  /** Carries nothing on any connection, new or old, and closes none: a slow or frozen peer, as its kernel shows it. */
  freeze(): void;
  /** Reads nothing more and says that nothing more will come: half closed, as a dying tunnel can be. */
  hangUp(): void;
  /** Carries everything again, beginning with what was held back. */
  restore(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const pairs = new Set<readonly [net.Socket, net.Socket]>();
  let mode: 'carry' | 'refuse' | 'freeze' = 'carry';
  let asked = 0;

  const server = net.createServer((near) => {
    asked++;
    if (mode === 'refuse') {
      near.destroy();
      return;
    }
    const far = net.connect({ host: target.hostname, port: Number(target.port) });
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [one, other] of [pair, [far, near] as const]) {
      one.setNoDelay(true);
      one.on('data', (data) => {
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
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return pairs.size;
    },
    get asked() {
      return asked;
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
    restore() {
      mode = 'carry';
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
