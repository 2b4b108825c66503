/** The snippets shown with a new key work as pasted. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createKey, dialogOf, signIn } from '../../support/account-page.ts';
import { useBrowser } from '../../support/browser.ts';
import { installedClient } from '../../support/client.ts';
import { useService } from '../../support/service.ts';

const run = promisify(execFile);

describe('the snippets of a new key', () => {
  const service = useService();
  const browser = useBrowser();
  let page: Page;

  before(async () => {
    const { email } = await service.addUser();
    page = await (await browser.newVisitor(service.url)).openTab('/account#keys');
    await signIn(page, email);
    await createKey(page, 'Snippets');
  });

  const snippet = async (tab: string) => {
    await dialogOf(page).getByRole('tab', { name: tab }).click();
    return (
      (await dialogOf(page)
        .getByRole('group', { name: `${tab} snippet` })
        .textContent()) ?? ''
    );
  };
  /** Splits a command as a shell does. */
  const wordsOf = (command: string) =>
    [...command.replaceAll('\\\n', ' ').matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, bare]) => quoted ?? bare ?? '',
    );
  const headersOf = (line: string) => Object.fromEntries([line.split(': ') as [string, string]]);

  it('read the servers from the API with curl', async () => {
    const [command, flag, header = '', url = ''] = wordsOf(await snippet('curl'));
    expect([command, flag]).to.deep.equal(['curl', '-H']);
    const answer = await fetch(url, { headers: headersOf(header) });
    expect(await answer.json()).to.have.property('servers');
  });

  it('read the servers in TypeScript with the client', async () => {
    const running = run(process.execPath, ['--input-type=module'], { cwd: await installedClient() });
    running.child.stdin?.end(await snippet('TypeScript'));
    expect((await running).stdout).to.include('servers: []');
  });

  it("sign the command in at the host's own address, without the key", async () => {
    expect((await snippet('Command')).split('\n')).to.deep.equal([
      'npm install --global gamehost',
      `gamehost login --url ${service.url} --key -`,
    ]);
  });

  it("fill the key and the host's own address into a program in Python", async () => {
    expect(await snippet('Python'))
      .to.match(/^from gamehost import Gamehost\n/)
      .and.include(`Gamehost(base_url="${service.url}", key="gamehost_live_`)
      .and.include('gamehost.servers.list_my_servers()');
  });

  /** Lists the tools, as an MCP client does after the handshake. */
  const listTools = async (url: string, headers: Record<string, string>) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    return answer.json();
  };

  it('give Claude Code the right URL and header', async () => {
    const words = wordsOf(await snippet('Claude Code'));
    expect(words.slice(0, 6).join(' ')).to.equal('claude mcp add --transport http gamehost');
    const [url = '', flag, header = ''] = words.slice(6);
    expect(flag).to.equal('--header');
    expect(await listTools(url, headersOf(header))).to.have.nested.property('result.tools');
  });

  it('include a working configuration for MCP', async () => {
    const { type, url, headers } = JSON.parse(await snippet('MCP')).mcpServers.gamehost;
    expect(type).to.equal('http');
    expect(await listTools(url, headers)).to.have.nested.property('result.tools');
  });
});
