/** From the start of the process to the first answer to a customer, on a MongoDB that is there and has its data. */
import { type Bench, databaseName } from './bench.ts';
import { commandOf } from './build-peers.ts';
import { spreadOf } from './statistics.ts';
import { markdownTable, showSpread, showWhole } from './table.ts';

const aimMs = 1000;

export async function startUpTable(bench: Bench): Promise<string> {
  const plans = [
    { title: 'ours, npm start', command: ['npm', 'start', '--silent'] },
    { title: 'ours, node', command: commandOf('ours') },
    { title: 'Fastify, native driver, node', command: commandOf('fastify-native') },
  ];
  const times = plans.map(() => [] as number[]);
  for (let round = 0; round < bench.effort.rounds; round += 1) {
    for (const [index, { command }] of plans.entries()) times[index]?.push(await timeStart(bench, command));
  }
  const rows = plans.map(({ title }, index) => {
    const spread = spreadOf(times[index] ?? []);
    const isOurs = title.startsWith('ours');
    const aim = isOurs ? `${aimMs} ${spread.median < aimMs ? 'reached' : 'MISSED'}` : '';
    return [title, showSpread(spread, showWhole), aim];
  });
  return markdownTable(['start', 'ms to the first answer (min to max)', 'aim'], rows);
}

async function timeStart({ stage, customers }: Bench, command: string[]): Promise<number> {
  const [reader] = customers.readers;
  const knock = { path: '/api/v1/me', headers: { authorization: `Bearer ${reader?.secret}` } };
  const server = await stage.run(command, { databaseName, knock });
  await server.stop();
  if (server.firstStatus !== 200) throw new Error(`The first answer was a ${server.firstStatus}`);
  return server.startMs;
}
