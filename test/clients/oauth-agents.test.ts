/** Agents that sign their users in by themselves, as they are installed: mcp-remote, Python's MCP SDK and FastMCP. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { signIn } from '../support/account-page.ts';
import { useBrowser } from '../support/browser.ts';
import { type ClientFolder, installFromNpm, installFromPyPi, requireTool } from '../support/client-tools.ts';
import { useService } from '../support/service.ts';

const pythonSdkProgram = `
import asyncio, json, os, urllib.parse, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
import httpx2

class Storage:
    tokens = None
    client = None
    async def get_tokens(self): return self.tokens
    async def set_tokens(self, tokens): self.tokens = tokens
    async def get_client_info(self): return self.client
    async def set_client_info(self, client): self.client = client

answer = {}
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        answer.update(urllib.parse.parse_qsl(urllib.parse.urlparse(self.path).query))
        self.send_response(200); self.end_headers(); self.wfile.write(b"You may close this page.")
    def log_message(self, *words): pass

server = HTTPServer(("127.0.0.1", 0), Handler)
redirect = "http://127.0.0.1:%d/callback" % server.server_port

async def on_redirect(url):
    await asyncio.to_thread(urllib.request.urlopen, os.environ["OPENER"] + "?" + urllib.parse.urlencode({"url": url}))

async def on_callback():
    while "code" not in answer:
        await asyncio.to_thread(server.handle_request)
    return AuthorizationCodeResult(**answer)

async def main():
    metadata = OAuthClientMetadata(client_name="Python agent", redirect_uris=[redirect])
    auth = OAuthClientProvider(os.environ["BASE_URL"] + "/mcp", metadata, Storage(), on_redirect, on_callback)
    async with httpx2.AsyncClient(auth=auth) as http:
        async with streamable_http_client(os.environ["BASE_URL"] + "/mcp", http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                result = await session.call_tool("get_my_profile", {})
                print(json.dumps(json.loads(result.content[0].text)))

asyncio.run(main())
`;

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

/** What the agents call in place of a browser: it hands the address to the test. */
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

  it("Python's MCP SDK connects", async () => {
    const folder = await installFromPyPi('python-oauth', ['mcp~=2.3']);
    const profile = await profileFrom(folder, ['run_sdk.py', pythonSdkProgram], 'python');
    expect(profile.user.email).to.equal(email);
  });

  it('FastMCP connects', async () => {
    const folder = await installFromPyPi('python-agents', ['fastmcp~=4.1', 'openai-agents~=0.24.0']);
    const profile = await profileFrom(folder, ['run_oauth.py', fastMcpProgram], 'python');
    expect(profile.user.email).to.equal(email);
  });

  it('mcp-remote connects', async () => {
    const folder = await installFromNpm('mcp-remote', ['mcp-remote@0.1', '@modelcontextprotocol/sdk@1']);
    const profile = await profileFrom(folder, ['remote.mjs', remoteProgram], 'node');
    expect(profile.user.email).to.equal(email);
  });
});
