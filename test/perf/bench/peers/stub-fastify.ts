/** Peer: hand-written Fastify 5 on a stubbed store. */
import { readConfig } from '../../../../server/config.ts';
import { createFastifyApp } from './fastify-app.ts';
import { createOwnStore } from './own-store.ts';
import { createPanelClient } from './panel-client.ts';
import { createStubModels } from './stub-models.ts';

const config = readConfig();
const store = createOwnStore(createStubModels());
const app = await createFastifyApp({ store, panel: createPanelClient(config.panel) }, config);
await app.listen({ port: config.port, host: config.host });
