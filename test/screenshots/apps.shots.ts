/** npm run screenshots: the consent page of an app and the connected apps, for a person to look at. */
import type { Page } from 'playwright-core';
import { openScopes, signIn } from '../support/account-page.ts';
import { allowButton, denyButton, type SendingApp, startSendingApp } from '../support/connect-page.ts';
import { describeAppearances, type TakeScreenshot } from '../support/page-appearances.ts';
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

let apps: Record<'verified' | 'unverified' | 'ofDevice' | 'long', SendingApp>;

describeAppearances({
  name: 'apps',
  shows: 'the consent page of an app, its results and the connected apps',
  start: () => startTestService({ hasApps: true, fetchDocument: async () => Response.json(claude) }),
  async prepare(service) {
    const redirectUri = 'http://localhost:3118/callback';
    apps = {
      verified: await startSendingApp(service, { clientId: claudeId, redirectUri }),
      unverified: await startSendingApp(service, { name: hostile, scope: 'read:account read:backups' }),
      ofDevice: await startSendingApp(service, { name: 'Cursor', redirectUri: 'cursor://mcp/callback' }),
      long: await startSendingApp(service, { name: 'x'.repeat(100) }),
    };
  },
  stop() {
    for (const app of Object.values(apps)) app.stop();
  },
  async visit({ service, look, open }) {
    const email = `ada-${look.name}@example.com`;
    const user = await service.addUser({ email });
    const { page, shoot } = await open(apps.verified.url);
    await page.getByLabel('E-mail').waitFor();
    await shoot('01-sign-in', { isWhole: true });
    await signIn(page, email);
    await lookAtRequests(service, page, shoot);
    await page.goto('/account#apps');
    await page.getByText('No connected apps').waitFor();
    await shoot('08-none', { isWhole: true });
    await addConnections(service, user._id);
    await page.reload();
    await page.getByRole('button', { name: 'Revoke Claude Code' }).first().waitFor();
    await shoot('09-connected', { isWhole: true });
    await page.getByRole('button', { name: 'Revoke xxx' }).first().click();
    await shoot('10-revoke');
  },
});

async function lookAtRequests({ models }: TestService, page: Page, shoot: TakeScreenshot) {
  await allowButton(page).waitFor();
  await shoot('02-verified', { isWhole: true });
  await page.getByRole('radio', { name: 'Read only' }).check();
  await shoot('03-read-only', { isWhole: true });
  await openScopes(page);
  for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
  await allowButton(page).click();
  await shoot('04-nothing-ticked', { isWhole: true });
  await page.goto(apps.unverified.url);
  await allowButton(page).waitFor();
  await shoot('05-unverified', { isWhole: true });
  const { hash } = new URL(page.url());
  await denyButton(page).click();
  await page.getByText('You may close this page.').waitFor();
  await page.goto(`/account/connect${hash}`);
  await page.getByText('This request is closed').waitFor();
  await shoot('06-closed', { isWhole: true });
  await page.goto(apps.long.url);
  await allowButton(page).waitFor();
  await shoot('06-long-name', { isWhole: true });
  await page.goto(apps.ofDevice.url);
  await allowButton(page).click();
  await page.getByText('Access allowed').waitFor();
  await models.credentials.endGrants(
    await models.oauthGrants.listOfClient(apps.ofDevice.clientId),
    'disconnected',
  );
  await shoot('07-allowed', { isWhole: true });
}

async function addConnections({ models, clock, connection }: TestService, userId: number) {
  const apps = [
    { clientId: claudeId, name: 'Claude Code', verifiedHost: 'claude.ai' },
    { clientId: claudeId, name: 'Claude Code', verifiedHost: 'claude.ai' },
    { clientId: 'a', name: 'Cursor', verifiedHost: null },
    { clientId: 'b', name: 'x'.repeat(100), verifiedHost: `${'a'.repeat(60)}.example` },
  ];
  const scopes = ['read:catalog', 'read:account', 'write:tickets', 'write:servers'];
  for (const [index, app] of apps.entries()) {
    const grant = { userId, app, scopes: scopes.slice(0, 4 - index), refusedScopes: [] };
    const at = new Date(clock.now() - index * dayMs);
    const added = await models.transaction((session) => models.oauthGrants.add(grant, at, session));
    const expiresAt = new Date(clock.now() + 30 * dayMs);
    const lastUsedAt = index === 1 ? null : new Date(clock.now() - 7_000_000 * index);
    await connection
      .collection('oauth_grants')
      .updateOne({ _id: added?._id as never }, { $set: { expiresAt, lastUsedAt } });
  }
}
