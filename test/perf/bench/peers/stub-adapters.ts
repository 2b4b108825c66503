/** Peer: stock trpc-to-openapi under Koa, on our router and a stubbed store. */
import { readConfig } from '../../../../server/config.ts';
import { createHandlers, createStockApp } from './stock-app.ts';
import { createStubModels } from './stub-models.ts';

const config = readConfig();
const app = await createStockApp(config, createStubModels());
app.use(createHandlers());
app.listen(config.port, config.host);
