/** The program as its own process, at a collector of traces and a stand-in panel, with a key whose user has one server. */
import { scopes } from '../../routers/scopes.ts';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import { openTestModels } from './models.ts';
import { startProgram } from './program.ts';
import { startStandInPanel } from './stand-in-panel.ts';
import { startTraceReceiver } from './trace-receiver.ts';

export const tracedServer = 'a1b2c3d4';

export async function startTracedProgram(settings: Record<string, string>) {
  const opened = [openTestModels(), startStandInPanel(), startTraceReceiver()] as const;
  const [database, panel, collector] = await Promise.all(opened);
  const program = await startProgram({
    ...{ MONGODB_URI: database.databaseUri, PANEL_URL: panel.url },
    ...{ PANEL_APPLICATION_KEY: panel.applicationKey, PANEL_CLIENT_KEY: panel.clientKey },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
    ...{ OTEL_BSP_SCHEDULE_DELAY: '50', ...settings },
  });
  const user = await database.models.users.add({ email: 'ada@example.com', panelUserId: 7 }, new Date());
  const newKey = { userId: user?._id ?? 0, name: 'test', scopes, expiresAt: null };
  const { secret: key } = await database.models.apiKeys.issue(newKey, new Date());
  panel.servers.set(7, [panelServer({ identifier: tracedServer })]);
  return {
    ...{ database, panel, collector, program, key },
    /** A POST where there is a body. */
    async send(path: string, { headers = {}, body }: { headers?: object; body?: object } = {}) {
      const response = await fetch(program.url + path, {
        method: body ? 'POST' : 'GET',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      const requestId = response.headers.get('X-Request-Id') ?? '';
      return { status: response.status, requestId, text: await response.text() };
    },
    async stop() {
      await program.stop();
      await Promise.all([collector.stop(), panel.stop(), database.stop()]);
    },
  };
}
