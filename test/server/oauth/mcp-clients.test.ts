/** MCP clients sign their user in by themselves: both generations of the SDK, from the first 401 to a tool call. */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { startBrowserApp } from '../../support/browser-app.ts';
import { allow, sendUser } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';
import { useStarted } from '../../support/use-started.ts';

describe('an MCP client without a key', () => {
  const service = useService({ hasApps: true });
  let user: UserRecord;
  let answer: URLSearchParams;
  const app = useStarted(() =>
    startBrowserApp(async (url) => {
      answer = (await allow(service, await sendUser(url), user)).params;
    }),
  );

  beforeEach(async () => {
    user = await service.addUser();
    for (const name of Object.keys(app.saved)) delete app.saved[name as keyof typeof app.saved];
  });

  for (const [version, SdkClient, Transport] of [
    ['v1', Client, StreamableHTTPClientTransport],
    ['v2', ModernClient, ModernTransport],
  ] as const)
    it(`connects with SDK ${version}`, async () => {
      const createTransport = () =>
        new Transport(new URL(`${service.url}/mcp`), { authProvider: app }) as ModernTransport;
      const createClient = () => new SdkClient({ name: 'Test agent', version: '1.0.0' }) as ModernClient;
      const first = createTransport();
      // A try that lacks authorization sends the user off.
      const refused = await createClient()
        .connect(first)
        .catch((failure: Error) => failure);
      expect(refused).to.be.instanceOf(Error);
      await first.finishAuth(version === 'v1' ? (answer.get('code') as never) : answer);
      const client = createClient();
      await client.connect(createTransport());
      const result = await client.callTool({ name: 'get_my_profile', arguments: {} });
      await client.close();
      expect(result.structuredContent).to.have.nested.property('user.email', user.email);
    });
});
