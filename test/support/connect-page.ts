/** An app that sends its user's browser to the service, and the page that then asks the user, by its visible texts. */
import type { Page } from 'playwright-core';
import { dialogOf } from './account-page.ts';
import { startBrowserApp } from './browser-app.ts';
import { authorizeUrl, register } from './oauth-app.ts';

export const allScopes = 'read:catalog read:account write:tickets write:servers';

interface Sender {
  name?: string;
  scope?: string;
  /** Of an app with a metadata document. */
  clientId?: string;
  /** In place of the app's own local address. */
  redirectUri?: string;
}

export type SendingApp = Awaited<ReturnType<typeof startSendingApp>>;

/** An app on the user's device; `url` is where it sends the browser. */
export async function startSendingApp(
  service: { url: string },
  { name = 'Test agent', scope = allScopes, clientId, redirectUri }: Sender = {},
) {
  const app = await startBrowserApp(async () => {});
  const redirect_uri = redirectUri ?? app.redirectUrl;
  const metadata = { ...app.clientMetadata, client_name: name, redirect_uris: [redirect_uri] };
  const client = clientId ?? (await register(service, metadata)).body.client_id;
  const url = authorizeUrl(service, { clientId: client, params: { scope, redirect_uri } }, 'v'.repeat(43));
  return { url, clientId: client, arrived: app.arrived, stop: app.stop };
}

export const allowButton = (page: Page) => page.getByRole('button', { name: 'Allow' });
export const denyButton = (page: Page) => page.getByRole('button', { name: 'Deny' });
export const scopeBox = (page: Page, scope: string) => page.getByRole('checkbox', { name: scope });

/** The scopes that are ticked. */
export const ticked = async (page: Page): Promise<string[]> =>
  page
    .getByRole('checkbox', { checked: true })
    .evaluateAll((boxes) => boxes.map((box) => (box as unknown as { value: string }).value));

/** What the app is told in the end. */
export async function landing(page: Page, app: SendingApp): Promise<URLSearchParams> {
  await page.getByText('You may close this page.').waitFor();
  return app.arrived();
}

/** The entry of an app in the list of connected apps. */
export const appOf = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'Connected apps' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name }) });

/** Presses Revoke for the connection made last, and confirms. */
export async function revoke(page: Page, name: string): Promise<void> {
  await page
    .getByRole('button', { name: `Revoke ${name}` })
    .first()
    .click();
  await dialogOf(page).getByRole('button', { name: 'Revoke' }).click();
}
