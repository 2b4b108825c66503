/** The official conformance scenarios for authorization servers, with a user in a real browser. */
import { expect } from 'chai';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { signIn } from '../support/account-page.ts';
import { useBrowser } from '../support/browser.ts';
import { register, registration } from '../support/oauth-app.ts';
import { useService } from '../support/service.ts';
import { runSuite } from './run-suite.ts';

const suite = { package: '@modelcontextprotocol/conformance@0.2.0-alpha.12', program: 'conformance' };

describe('conformance scenarios of the authorization server', () => {
  const service = useService({ hasApps: true });
  const browser = useBrowser();

  it('all pass', async () => {
    const { email } = await service.addUser();
    const port = await findFreePort();
    const redirects = { redirect_uris: [`http://127.0.0.1:${port}/callback`] };
    const clientId: string = (await register(service, { ...registration, ...redirects })).body.client_id;
    const isOpened = new Set<string>();
    const onOutput = (text: string) => {
      const [url] = /http:\S+\/oauth\/authorize\?\S+/.exec(text) ?? [];
      if (!url || isOpened.has(url)) return;
      isOpened.add(url);
      void allow(url, email);
    };
    const args = ['authorization', '--url', service.url, '--client-id', clientId, '-p', String(port)];
    const { exitCode, output, errors } = await runSuite(
      suite,
      [...args, '--resource', `${service.url}/mcp`],
      onOutput,
    );
    process.stdout.write(output.slice(output.indexOf('=== SUMMARY')));
    expect(exitCode, output + errors).to.equal(0);
  });

  async function allow(url: string, email: string) {
    const page = await (await browser.newVisitor(service.url)).openTab(url);
    await signIn(page, email);
    await page.getByRole('button', { name: 'Allow' }).click();
  }
});
