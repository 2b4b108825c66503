/** Peer: hand-written Fastify 5 on a stubbed store. */
import { readConfig } from '../../../server/config.ts';
import { createFastifyApp } from './fastify-app.ts';
import { createOwnStore } from './own-store.ts';
import { createStubModels } from './stub-models.ts';

const config = readConfig();
const app = await createFastifyApp(createOwnStore(createStubModels()), config);
await app.listen({ port: config.port, host: config.host });
