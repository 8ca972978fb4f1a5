import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A tunnel before a server whose answers come late by `delayMs`; requests pass at once. */
export async function slowAnswers(port: number): Promise<{
  readonly port: number;
  delayMs: number;
  close(): void;
}> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}));
    near.pipe(far);
    far.on('data', (data) => {
      void sleep(tunnel.delayMs).then(() => near.write(data));
    });
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const tunnel = {
    port: (server.address() as AddressInfo).port,
    delayMs: 0,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return tunnel;
}
