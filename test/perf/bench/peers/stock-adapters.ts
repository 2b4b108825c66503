/** Peers: stock trpc-to-openapi under Koa, and tRPC's own node handler, both on our router and store. */
import { readConfig } from '../../../../server/config.ts';
import { openOwnModels } from './own-models.ts';
import { createHandlers, createStockApp } from './stock-app.ts';

const config = readConfig();
const app = await createStockApp(config, await openOwnModels(config));
app.use(createHandlers());
app.listen(config.port, config.host);
