/** A proxy in front of the panel at a fixed address: it can refuse connections, or accept them and answer without HTTP. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenLocally } from '../../support/local-server.ts';

export type PanelGate = Awaited<ReturnType<typeof openPanelGate>>;

export async function openPanelGate(panelUrl: string) {
  const { hostname, port: panelPort } = new URL(panelUrl);
  const sockets = new Set<Socket>();
  let nonsense: string | null = null;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    if (nonsense !== null) return void socket.resume().end(nonsense);
    const onward = connect(Number(panelPort), hostname).on('error', () => socket.destroy());
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  const { port, url } = await listenLocally(server);
  return {
    url,
    connections: () => sockets.size,
    /** Sends these bytes to every connection from now on. */
    talk(bytes: string) {
      nonsense = bytes;
      for (const socket of sockets) socket.destroy();
    },
    async shut() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async open() {
      nonsense = null;
      if (server.listening) return;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
