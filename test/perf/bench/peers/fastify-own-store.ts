/** Peer: the same Fastify on our own store and client of the panel, so that only what is above them differs. */
import { readConfig } from '../../../../server/config.ts';
import { createFastifyApp } from './fastify-app.ts';
import { createOwnStore, openOwnModels, openOwnPanel } from './own-store.ts';

const config = readConfig();
const store = createOwnStore(await openOwnModels(config));
const app = await createFastifyApp({ store, panel: await openOwnPanel(config) }, config);
await app.listen({ port: config.port, host: config.host });
