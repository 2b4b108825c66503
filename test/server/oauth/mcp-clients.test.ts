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

const info = { name: 'Test agent', version: '1.0.0' };

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

  const mcpUrl = () => new URL(`${service.url}/mcp`);

  it('connects with SDK v1', async () => {
    const transport = () => new StreamableHTTPClientTransport(mcpUrl(), { authProvider: app });
    const first = transport();
    await expectUnauthorized(new Client(info).connect(first as never));
    await first.finishAuth(answer.get('code') ?? '');
    const client = new Client(info);
    await client.connect(transport() as never);
    const result = await client.callTool({ name: 'get_my_profile', arguments: {} });
    await client.close();
    expect(result.structuredContent).to.have.nested.property('user.email', user.email);
  });

  it('connects with SDK v2', async () => {
    const transport = () => new ModernTransport(mcpUrl(), { authProvider: app });
    const first = transport();
    await expectUnauthorized(new ModernClient(info).connect(first));
    await first.finishAuth(answer);
    const client = new ModernClient(info);
    await client.connect(transport());
    const result = await client.callTool({ name: 'get_my_profile', arguments: {} });
    await client.close();
    expect(result.structuredContent).to.have.nested.property('user.email', user.email);
  });

  /** A try that lacks authorization sends the user off. */
  const expectUnauthorized = async (tried: Promise<void>) =>
    expect(await tried.catch((failure: Error) => failure)).to.be.instanceOf(Error);
});
