/** MCP clients sign a user in through a real browser: both generations of the SDK, from the first 401 to a tool call. */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { UserRecord } from '../../../models/user.ts';
import { signIn } from '../../support/account-page.ts';
import { openBrowser, type TestBrowser } from '../../support/browser.ts';
import { allow, type BrowserApp, startBrowserApp } from '../../support/browser-app.ts';
import { useService } from '../../support/service.ts';

const info = { name: 'Test agent', version: '1.0.0' };

describe('an MCP client without a key', () => {
  const service = useService({ hasApps: true });
  let browser: TestBrowser;
  let user: UserRecord;
  let page: Page;
  let app: BrowserApp;

  before(async () => {
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
  });
  beforeEach(async () => {
    user = await service.addUser();
    page = await (await browser.newVisitor(service.url)).openTab('/account');
    app = await startBrowserApp((url) => page.goto(url));
  });
  afterEach(() => app.stop());

  const mcpUrl = () => new URL(`${service.url}/mcp`);

  /** Each try that lacks authorization sends the browser off. */
  async function connect(open: () => Promise<unknown>, finish: (answer: URLSearchParams) => Promise<void>) {
    const refusal = await open().catch((failure: Error) => failure);
    expect(refusal).to.be.instanceOf(Error);
    await signIn(page, user.email);
    await page.getByText('wants to use your gamehost account').waitFor();
    await allow(page);
    await finish(app.arrived());
  }

  it('connects with SDK v1', async () => {
    const transport = () => new StreamableHTTPClientTransport(mcpUrl(), { authProvider: app });
    const first = transport();
    await connect(
      () => new Client(info).connect(first as never),
      (answer) => first.finishAuth(answer.get('code') ?? ''),
    );
    const client = new Client(info);
    await client.connect(transport() as never);
    const result = await client.callTool({ name: 'get_my_profile', arguments: {} });
    await client.close();
    expect(result.structuredContent).to.have.nested.property('user.email', user.email);
  });

  it('connects with SDK v2', async () => {
    const transport = () => new ModernTransport(mcpUrl(), { authProvider: app });
    const first = transport();
    await connect(
      () => new ModernClient(info).connect(first),
      (answer) => first.finishAuth(answer),
    );
    const client = new ModernClient(info);
    await client.connect(transport());
    const result = await client.callTool({ name: 'get_my_profile', arguments: {} });
    await client.close();
    expect(result.structuredContent).to.have.nested.property('user.email', user.email);
  });
});
