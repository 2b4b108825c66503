/** Peer: hand-written Koa with Mongoose. */
import { readConfig } from '../../../../server/config.ts';
import { createKoaApp } from './koa-app.ts';
import { createMongooseStore } from './mongoose-store.ts';
import { databaseUri } from './settings.ts';

const config = readConfig();
const app = createKoaApp(await createMongooseStore(databaseUri(config)), config);
app.listen(config.port, config.host);
