/** Peer: hand-written Fastify 5 with the native driver. */
import { readConfig } from '../../../server/config.ts';
import { createFastifyApp } from './fastify-app.ts';
import { createNativeStore } from './native-store.ts';
import { databaseUri } from './settings.ts';

const config = readConfig();
const app = await createFastifyApp(await createNativeStore(databaseUri(config)), config);
await app.listen({ port: config.port, host: config.host });
