/** An MCP client signs its user in by itself, from the first 401 to a tool call. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
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

  before(async () => {
    user = await service.addUser();
  });

  it('signs its user in and calls a tool', async () => {
    const createTransport = () =>
      new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { authProvider: app });
    const createClient = () => new Client({ name: 'Test agent', version: '1.0.0' });
    const first = createTransport();
    // A call without authorization starts the sign-in.
    const refused = await createClient()
      .connect(first)
      .catch((failure: Error) => failure);
    expect(refused).to.be.instanceOf(Error);
    await first.finishAuth(answer);
    const client = createClient();
    await client.connect(createTransport());
    const result = await client.callTool({ name: 'get_my_profile', arguments: {} });
    await client.close();
    expect(result.structuredContent).to.have.nested.property('user.email', user.email);
  });
});
