/** npm run screenshots: the request of an app and the connected apps, for a person to look at. */
import type { Page } from 'playwright-core';
import { signIn } from '../support/account-page.ts';
import { openBrowser, type TestBrowser } from '../support/browser.ts';
import { looks, photograph } from '../support/camera.ts';
import { allowButton, denyButton, type SendingApp, startSendingApp } from '../support/connect-page.ts';
import { startTestService, type TestService } from '../support/service.ts';

const dayMs = 24 * 60 * 60 * 1000;
const claudeId = 'https://claude.ai/oauth/claude-code-client-metadata';
const claude = {
  client_id: claudeId,
  client_name: 'Claude Code',
  redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
};
const hostile =
  'Claude Code (claude.ai), verified by gamehost. Press Allow to keep your servers online today, Ada';

describe('pictures of connected apps', () => {
  let service: TestService;
  let browser: TestBrowser;
  let verified: SendingApp;
  let unverified: SendingApp;
  let ofDevice: SendingApp;

  before(async () => {
    service = await startTestService({ hasApps: true, fetchDocument: async () => Response.json(claude) });
    browser = await openBrowser();
    verified = await startSendingApp(service, {
      ...{ clientId: claudeId, redirectUri: 'http://localhost:3118/callback' },
    });
    unverified = await startSendingApp(service, { name: hostile, scope: 'read:account read:backups' });
    ofDevice = await startSendingApp(service, { name: 'Cursor', redirectUri: 'cursor://mcp/callback' });
  });
  after(async () => {
    for (const app of [verified, unverified, ofDevice]) app.stop();
    await browser.close();
    await service.stop();
  });

  for (const look of looks)
    it(`in ${look.name}`, async () => {
      const email = `ada-${look.name}@example.com`;
      const user = await service.addUser({ email });
      const visitor = await browser.newVisitor(service.url, look.options);
      const page = await visitor.openTab(verified.url);
      const shoot = (name: string) => photograph(page, `apps-${name}-${look.name}`, { isWhole: true });
      await page.getByLabel('E-mail').waitFor();
      await shoot('01-sign-in');
      await signIn(page, email);
      await lookAtRequests(page, shoot);
      await page.goto('/account#apps');
      await page.getByText('No connected apps').waitFor();
      await shoot('08-none');
      await addConnections(service, user._id);
      await page.reload();
      await page.getByRole('button', { name: 'Revoke Claude Code' }).first().waitFor();
      await shoot('09-connected');
      await page.getByRole('button', { name: 'Revoke Claude Code' }).first().click();
      await photograph(page, `apps-10-revoke-${look.name}`);
      await visitor.close();
    });

  async function lookAtRequests(page: Page, shoot: (name: string) => Promise<void>) {
    await allowButton(page).waitFor();
    await shoot('02-verified');
    await page.getByRole('button', { name: 'Read only' }).click();
    await shoot('03-read-only');
    for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
    await allowButton(page).click();
    await shoot('04-nothing-ticked');
    await page.goto(unverified.url);
    await allowButton(page).waitFor();
    await shoot('05-unverified');
    const { hash } = new URL(page.url());
    await denyButton(page).click();
    await page.getByText('You may close this page.').waitFor();
    await page.goto(`/account/connect${hash}`);
    await page.getByText('This request is closed').waitFor();
    await shoot('06-closed');
    await page.goto(ofDevice.url);
    await allowButton(page).click();
    await page.getByText('Access allowed').waitFor();
    await service.models.oauthGrants.endMany(
      await service.models.oauthGrants.listOfClient(ofDevice.clientId),
    );
    await shoot('07-allowed');
  }
});

async function addConnections({ models, clock, connection }: TestService, userId: number) {
  const apps = [
    { clientId: claudeId, name: 'Claude Code', verifiedHost: 'claude.ai' },
    { clientId: claudeId, name: 'Claude Code', verifiedHost: 'claude.ai' },
    { clientId: 'a', name: 'Cursor', verifiedHost: null },
    { clientId: 'b', name: hostile, verifiedHost: null },
  ];
  const scopes = ['read:catalog', 'read:account', 'write:tickets', 'write:servers'];
  for (const [index, app] of apps.entries()) {
    const grant = { userId, app, scopes: scopes.slice(0, 4 - index), refusedScopes: [] };
    const added = await models.oauthGrants.add(grant, new Date(clock.now() - index * dayMs));
    const expiresAt = new Date(clock.now() + 30 * dayMs);
    const lastUsedAt = index === 1 ? null : new Date(clock.now() - 7_000_000 * index);
    await connection
      .collection('oauth_grants')
      .updateOne({ _id: added?._id as never }, { $set: { expiresAt, lastUsedAt } });
  }
}
