/** Our own service on a stubbed store. */
import { createApp } from '../../../../server/app.ts';
import { readConfig } from '../../../../server/config.ts';
import { createHttpServer } from '../../../../server/http/server.ts';
import { Readiness } from '../../../../server/observability/health/readiness.ts';
import { createLog } from '../../../../server/observability/log.ts';
import { openPanel } from '../../../../server/panel/open.ts';
import { createStubModels } from './stub-models.ts';

const config = readConfig();
const surroundings = { clock: Date.now, log: createLog(config.logLevel) };
const { panel } = await openPanel(config.panel, surroundings);
const parts = { ...surroundings, panel, config, models: createStubModels(), readiness: new Readiness({}) };
const { app } = createApp(parts);
createHttpServer(app.callback()).listen(config.port, config.host);
