/** A connection to MongoDB that a test can break at a call, which then never arrives. */
import { connect, createServer } from 'node:net';
import { listenLocally } from './local-server.ts';

export type FlakyProxy = Awaited<ReturnType<typeof openFlakyProxy>>;

/** @param uri of one MongoDB; `close()` the line in `after` */
export async function openFlakyProxy(uri: string) {
  const target = new URL(uri);
  const { hostname, port } = target;
  let breaks = { word: '', times: 0 };
  const ends = new Set<() => void>();
  const server = createServer((client) => {
    const mongod = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      mongod.destroy();
      ends.delete(end);
    };
    ends.add(end);
    client.on('data', (bytes) => {
      if (breaks.times === 0 || !bytes.includes(breaks.word)) return void mongod.write(bytes);
      breaks.times -= 1;
      end();
    });
    mongod.on('data', (bytes) => client.write(bytes));
    for (const socket of [client, mongod]) socket.on('error', end).on('close', end);
  });
  target.port = String((await listenLocally(server)).port);
  target.searchParams.delete('replicaSet');
  target.searchParams.set('directConnection', 'true');
  return {
    uri: target.href,
    /** Breaks at each of the next calls that contain a word. */
    breakAt(word: string, times: number) {
      breaks = { word, times };
    },
    /** Breaks now, even during a call. */
    breakNow() {
      for (const end of ends) end();
    },
    breaksLeft: () => breaks.times,
    close: () => server.close(),
  };
}
