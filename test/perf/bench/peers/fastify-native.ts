/** Peer: hand-written Fastify 5 with the native driver. */
import { readConfig } from '../../../../server/config.ts';
import { createFastifyApp } from './fastify-app.ts';
import { createNativeStore } from './native-store.ts';
import { createPanelClient } from './panel-client.ts';
import { databaseUri } from './settings.ts';

const config = readConfig();
const store = await createNativeStore(databaseUri(config));
const app = await createFastifyApp({ store, panel: createPanelClient(config.panel) }, config);
await app.listen({ port: config.port, host: config.host });
