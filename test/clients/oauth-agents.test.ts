/** Unmodified agents that sign their users in: mcp-remote on the TypeScript SDK, FastMCP on the Python SDK. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { signIn } from '../support/account-page.ts';
import { useBrowser } from '../support/browser.ts';
import { type ClientFolder, installFromNpm, installFromPyPi, requireTool } from '../support/client-tools.ts';
import { useService } from '../support/service.ts';

const fastMcpProgram = `
import asyncio, json, os
from fastmcp import Client

async def main():
    async with Client(os.environ["BASE_URL"] + "/mcp", auth="oauth") as client:
        result = await client.call_tool("get_my_profile", {})
    print(json.dumps(result.structured_content))

asyncio.run(main())
`;

const remoteProgram = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const transport = new StdioClientTransport({
  command: 'node',
  args: ['node_modules/mcp-remote/dist/proxy.js', process.env.BASE_URL + '/mcp', '--allow-http'],
  env: process.env,
});
const client = new Client({ name: 'agent', version: '1.0.0' });
await client.connect(transport, { timeout: 120_000 });
const result = await client.callTool({ name: 'get_my_profile', arguments: {} });
await client.close();
console.log(JSON.stringify(result.structuredContent));
`;

/** Replaces the browser: passes the address to the test. */
const opener = `#!/usr/bin/env node
await fetch(process.env.OPENER + '?' + new URLSearchParams({ url: process.argv.at(-1) }));
`;

describe('agents without a key', () => {
  const service = useService({ hasApps: true });
  const browser = useBrowser();
  let desk: Server;
  let page: Page;
  let email: string;

  before(async function () {
    await requireTool(this, 'python3', ['-c', 'import ensurepip, venv']);
    ({ email } = await service.addUser());
    desk = createServer((req, res) => {
      res.end();
      const url = new URL(req.url ?? '/', service.url).searchParams.get('url');
      if (url) void decide(url);
    }).listen(0, '127.0.0.1');
    await once(desk, 'listening');
  });
  after(() => desk?.close());

  async function decide(url: string) {
    const visitor = await browser.newVisitor(service.url);
    // mcp-remote's last page closes itself; Chromium would print a refusal with its address, which holds the code.
    await visitor.context.addInitScript('window.close = () => {};');
    page = await visitor.openTab(url);
    await signIn(page, email);
    await page.getByRole('button', { name: 'Allow' }).click();
  }

  async function profileFrom(folder: ClientFolder, [file, program]: [string, string], command: string) {
    await folder.write(file, program);
    await folder.write('open.mjs', opener);
    const address = `http://127.0.0.1:${(desk.address() as AddressInfo).port}/`;
    const printed = await folder.run(command, [file], {
      ...{ BASE_URL: service.url, OPENER: address, BROWSER: `node ${folder.path}open.mjs %s` },
      ...{ MCP_REMOTE_CONFIG_DIR: `${folder.path}remote-${Date.now()}`, HOME: folder.path },
    });
    return JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  }

  it('sign in through FastMCP', async () => {
    const folder = await installFromPyPi('python-agents', ['fastmcp~=4.1', 'openai-agents~=0.24.0']);
    const profile = await profileFrom(folder, ['run_oauth.py', fastMcpProgram], 'python');
    expect(profile.user.email).to.equal(email);
  });

  it('sign in through mcp-remote', async () => {
    const folder = await installFromNpm('mcp-remote', ['mcp-remote@0.1', '@modelcontextprotocol/sdk@1']);
    const profile = await profileFrom(folder, ['remote.mjs', remoteProgram], 'node');
    expect(profile.user.email).to.equal(email);
  });
});
