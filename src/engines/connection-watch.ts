import type { ClientRequest } from 'node:http';

/** Whether a request has got its connection. As long as it has none, it certainly had no effect. */
export function connectionOf(request: ClientRequest, connected: 'connect' | 'secureConnect'): () => boolean {
  let isConnected = false;
  request.on('socket', (socket) => {
    const onConnected = (): void => {
      isConnected = true;
    };
    if (request.reusedSocket) onConnected();
    else socket.once(connected, onConnected);
  });
  return () => isConnected;
}
