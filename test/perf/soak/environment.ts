/** Sets up a soak: its own MongoDB and panel, customers, and the service as npm starts it. */
import { connectMongoose } from '../../../server/database.ts';
import { panelServer } from '../../../server/panel/demo/attributes.ts';
import { startProgram } from '../../support/program.ts';
import { startStandInPanel } from '../../support/stand-in-panel.ts';
import { readStartArguments } from '../../support/start-command.ts';
import { type Customer, serverIdentifierOf } from '../bench/customers.ts';
import { closeNewTickets, fillDatabase, startDatabase } from '../bench/data.ts';
import type { Options } from './options.ts';
import { collectingArguments } from './readings.ts';

export type SoakEnvironment = Awaited<ReturnType<typeof openEnvironment>>;

const fromSource = ['--import', 'tsx', 'server/main.ts'];

export async function openEnvironment(options: Options, say: (line: string) => void) {
  const database = await startDatabase(say);
  const uri = database.uriOf('soak');
  const customers = await fillDatabase(uri, { inPlay: options.keys, idle: 0 });
  await forgetUse(uri);
  const panel = await startPanel([...customers.readers, ...customers.writers]);
  const program = await startProgram(
    // All customers have one address here.
    {
      MONGODB_URI: uri,
      METRICS_PORT: '0',
      ADDRESS_LIMIT_PER_MINUTE: '1000000',
      TICKETS_PER_DAY: '0',
      ...panel.settings,
    },
    ['exec node', collectingArguments, ...(options.fromSource ? fromSource : readStartArguments())].join(' '),
  );
  return {
    customers,
    program,
    /** What the panel remembers is of no use, and grows; a customer may have a hundred open tickets. */
    async tidy() {
      panel.forget();
      await closeNewTickets(uri);
    },
    async close() {
      await program.stop();
      await panel.stop();
      await database.stop();
    },
  };
}

/** The benchmark's keys are never noted as used; here that is part of the work. */
async function forgetUse(uri: string): Promise<void> {
  const connection = await connectMongoose(uri);
  await connection.collection('api_keys').updateMany({}, { $set: { lastUsedAt: null } });
  await connection.close();
}

/** As many nodes as a host has for so many servers: few calls are made to one node at once. */
const nodeCount = 20;

/** A panel in which each of these customers owns one server. */
export async function startPanel(owners: readonly Customer[]) {
  const panel = await startStandInPanel();
  for (const { userId: user } of owners) {
    const server = { identifier: serverIdentifierOf(user), user, node: user % nodeCount };
    panel.servers.set(user, [panelServer(server)]);
  }
  const keys = { PANEL_APPLICATION_KEY: panel.applicationKey, PANEL_CLIENT_KEY: panel.clientKey };
  return { ...panel, settings: { PANEL_URL: panel.url, ...keys } };
}
