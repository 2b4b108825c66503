/** Peer: the same Fastify on our own store. */
import { readConfig } from '../../../server/config.ts';
import { createFastifyApp } from './fastify-app.ts';
import { createOwnStore } from './own-store.ts';
import { databaseUri } from './settings.ts';

const config = readConfig();
const app = await createFastifyApp(await createOwnStore(databaseUri(config)), config);
await app.listen({ port: config.port, host: config.host });
