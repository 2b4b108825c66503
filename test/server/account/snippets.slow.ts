/** The snippets shown with a new key work as pasted. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createKey, dialogOf, signIn } from '../../support/account-page.ts';
import { useBrowser } from '../../support/browser.ts';
import { useService } from '../../support/service.ts';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('../../../.cache/', import.meta.url));

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

  it('run in TypeScript with @trpc/client', async () => {
    await mkdir(cache, { recursive: true });
    const folder = await mkdtemp(`${cache}snippet-`);
    await writeFile(`${folder}/snippet.mts`, await snippet('TypeScript'));
    const { stdout } = await run(process.execPath, ['--import', 'tsx', `${folder}/snippet.mts`]);
    await rm(folder, { recursive: true });
    expect(stdout).to.include("name: 'Snippets'");
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
