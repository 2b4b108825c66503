/** An app that sends its user's browser to the service, and the consent page, operated by its visible texts. */
import type { Page } from 'playwright-core';
import {
  type AccountPageFixture as AccountScene,
  signInWithoutForm,
  useAccountPage,
} from './account-page.ts';
import { startBrowserApp } from './browser-app.ts';
import { authorizeUrl, register } from './oauth-app.ts';
import { startTestService } from './service.ts';

interface Sender {
  name?: string;
  scope?: string;
  /** The client id of an app with a metadata document. */
  clientId?: string;
  /** Replaces the app's own local address. */
  redirectUri?: string;
}

const allScopes = 'read:catalog read:account write:tickets write:servers';

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
  return {
    url,
    clientId: client,
    stop: app.stop,
    async answer(page: Page): Promise<URLSearchParams> {
      await page.getByText('You may close this page.').waitFor();
      return app.arrived();
    },
  };
}

export const allowButton = (page: Page) => page.getByRole('button', { name: 'Allow' });
export const denyButton = (page: Page) => page.getByRole('button', { name: 'Deny' });
export const presetRadio = (page: Page, name: string) => page.getByRole('radio', { name });
export const scopeBox = (page: Page, scope: string) => page.getByRole('checkbox', { name: scope });

/** Includes the single scopes that are folded away. */
export const ticked = async (page: Page): Promise<string[]> =>
  page
    .locator('[type=checkbox]:checked')
    .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('value') ?? ''));

/** The page's visible text, on one line. */
export const shownText = async (page: Page): Promise<string> =>
  String(await page.evaluate('document.body.innerText')).replace(/\s+/g, ' ');

export const hostedApp = { clientId: 'https://app.example/client', name: 'Hosted agent' };

/** The metadata document that app.example serves for its app. */
const fetchDocument = async () =>
  Response.json({
    client_id: hostedApp.clientId,
    client_name: hostedApp.name,
    redirect_uris: ['http://127.0.0.1/callback'],
  });

interface ConnectPageFixture extends AccountScene {
  send(sender?: Sender): Promise<SendingApp>;
  /** Like `send`, for a signed-in user. */
  sendSignedIn(sender?: Sender): Promise<SendingApp>;
}

type Options = NonNullable<Parameters<typeof startTestService>[0]>;

/** A new visitor for each test, whose browser an app sends to the service. */
export function useConnectPage(
  configure: () => NonNullable<Options['config']> = () => ({}),
): ConnectPageFixture {
  const apps: SendingApp[] = [];
  let testCount = 0;
  afterEach(() => {
    for (const app of apps.splice(0)) app.stop();
    scene.visitor.strayRequests.length = 0; // to apps, and to an identity provider
  });
  const start = () => startTestService({ hasApps: true, fetchDocument, config: configure() });
  const scene = useAccountPage(start) as ConnectPageFixture;
  beforeEach(() => {
    testCount += 1;
    // An address may register ten apps an hour, and a test registers two at most.
    if (testCount % 5 === 0) scene.service.clock.advance(60 * 60_000);
  });
  scene.send = async (sender) => {
    const app = await startSendingApp(scene.service, sender);
    apps.push(app);
    await scene.page.goto(app.url);
    return app;
  };
  scene.sendSignedIn = async (sender) => {
    await signInWithoutForm(scene.visitor, scene.user);
    const app = await scene.send(sender);
    await allowButton(scene.page).waitFor();
    return app;
  };
  return scene;
}

export const connectionsOf = ({ service, user }: Pick<ConnectPageFixture, 'service' | 'user'>) =>
  service.models.oauthGrants.list(user._id, new Date(service.clock.now()));
