/** A line to MongoDB that can be made to break at a call, which then never arrives, or to hold back the reply to one. */
import { connect, createServer } from 'node:net';
import { listenLocally } from './local-server.ts';

export type FlakyProxy = Awaited<ReturnType<typeof openFlakyProxy>>;

interface Hold {
  word: string;
  onReply: () => void;
  released: Promise<void>;
}

/** @param uri of one MongoDB; `close()` the line in `after` */
export async function openFlakyProxy(uri: string) {
  const target = new URL(uri);
  const { hostname, port } = target;
  let breaks = { word: '', times: 0 };
  let holds: Hold | null = null;
  const server = createServer((client) => {
    const mongod = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      mongod.destroy();
    };
    let held: Hold | null = null;
    client.on('data', (bytes) => {
      if (holds && bytes.includes(holds.word)) [held, holds] = [holds, null];
      if (breaks.times === 0 || !bytes.includes(breaks.word)) return void mongod.write(bytes);
      breaks.times -= 1;
      end();
    });
    mongod.on('data', async (bytes) => {
      held?.onReply();
      await held?.released;
      client.write(bytes);
    });
    for (const socket of [client, mongod]) socket.on('error', end).on('close', end);
  });
  target.port = String((await listenLocally(server)).port);
  target.searchParams.delete('replicaSet');
  target.searchParams.set('directConnection', 'true');
  return {
    uri: target.href,
    /** Breaks at the next so many calls that hold a word. */
    breakAt(word: string, times: number) {
      breaks = { word, times };
    },
    /** Holds back the reply to the next call that holds a word; resolves, once there is one, to what releases it. */
    holdReply: (word: string) =>
      new Promise<() => void>((onReply) => {
        let release = () => {};
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        holds = { word, onReply: () => onReply(release), released };
      }),
    /** How many breaks are still to come. */
    breaksLeft: () => breaks.times,
    close: () => server.close(),
  };
}
