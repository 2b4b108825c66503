/** Peer: hand-written Fastify 5 with the native driver. */
import { readConfig } from '../../../../server/config.ts';
import { databaseUri } from './common.ts';
import { createFastifyApp } from './fastify-app.ts';
import { createNativeStore } from './native-store.ts';
import { createPanelClient } from './panel-client.ts';

const config = readConfig();
const store = await createNativeStore(databaseUri(config));
const app = await createFastifyApp({ store, panel: createPanelClient(config.panel) }, config);
// Running requests end first, as a careful author has it.
process.once('SIGTERM', () => void app.close().then(() => process.exit()));
await app.listen({ port: config.port, host: config.host });
