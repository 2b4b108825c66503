/** The program as its own process with a stand-in panel and a key whose user has one server. */
import { scopes } from '../../routers/scopes.ts';
import { openTestModels } from './models.ts';
import { panelServer } from './panel/attributes.ts';
import { startProgram } from './program.ts';
import { startStandInPanel } from './stand-in-panel.ts';

export const ownedServer = 'a1b2c3d4';

/** @param command runs in a shell; without it, the built service runs */
export async function startOwnedProgram(settings: Record<string, string> = {}, command?: string) {
  const [database, panel] = await Promise.all([openTestModels(), startStandInPanel()]);
  const ofPanel = {
    PANEL_URL: panel.url,
    PANEL_APPLICATION_KEY: panel.applicationKey,
    PANEL_CLIENT_KEY: panel.clientKey,
  };
  const program = await startProgram({ MONGODB_URI: database.databaseUri, ...ofPanel, ...settings }, command);
  const user = await database.models.users.add({ email: 'ada@example.com', panelUserId: 7 }, new Date());
  const newKey = { userId: user?._id ?? 0, name: 'test', scopes, expiresAt: null };
  const { secret: key } = await database.models.apiKeys.issue(newKey, new Date());
  panel.servers.set(7, [panelServer({ identifier: ownedServer })]);
  return {
    ...{ database, panel, program, key },
    /** Sends a POST when there is a body. */
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
      await Promise.all([panel.stop(), database.stop()]);
    },
  };
}
