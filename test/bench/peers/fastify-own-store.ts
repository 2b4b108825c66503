/** Peer: the same Fastify on our own store. */
import { readConfig } from '../../../server/config.ts';
import { createFastifyApp } from './fastify-app.ts';
import { openOwnModels } from './own-models.ts';
import { createOwnStore } from './own-store.ts';

const config = readConfig();
const app = await createFastifyApp(createOwnStore(await openOwnModels(config)), config);
await app.listen({ port: config.port, host: config.host });
