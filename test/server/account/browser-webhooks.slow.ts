/** Webhooks on the account page, in a browser, with a real receiver. */
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import {
  consoleErrorOf,
  dismissSecret,
  shownSecret,
  useAccountPage,
  waitForCount,
  waitForValue,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { useForEach } from '../../support/use-started.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import { startWebhookService } from '../../support/webhook-service.ts';

describe('webhooks on the account page', () => {
  const at = useAccountPage(startWebhookService);
  const receiver = useForEach(startReceiver);
  let key: string;
  const item = () => at.entries('Webhooks').first();
  const isShown = (text: string | RegExp) => item().getByText(text, { exact: true }).waitFor();
  const deliveries = () => at.page.getByRole('list', { name: /^Deliveries to/ }).locator('> li');
  const isDelivered = () => deliveries().getByText('Delivered', { exact: true }).waitFor();
  const test = (name = 'Status page') => at.button(`Send a test to ${name}`).click();

  beforeEach(async () => {
    key = (await at.service.addKey({ user: at.user })).secret;
  });

  const open = async () => {
    await at.arrive('/account#webhooks');
    await at.see('No webhooks');
  };

  /** Creates a webhook by the form, and leaves its secret in view. */
  async function create(): Promise<string> {
    await at.button('Create webhook').click();
    await at.field('Address').fill(receiver.url);
    await at.box('A ticket was opened.').check();
    await at.field('Name').fill('Status page');
    await at.inDialog('Create webhook').click();
    await at.inDialog('I have copied it').waitFor();
    return shownSecret(at.page, 'secret');
  }

  async function openWithOne(url = receiver.url): Promise<string> {
    const body = { url, events: ['ticket.created'], description: 'Status page' };
    const { id } = (await at.service.call('POST', '/webhooks', { key, body })).body.webhook;
    await at.arrive('/account#webhooks');
    await item().getByRole('heading', { name: 'Status page' }).waitFor();
    return id;
  }

  it('show a secret once, and it verifies a test event and a real one', async () => {
    await open();
    const secret = await create();
    await dismissSecret(at.page);
    expect(secret).to.match(/^whsec_/);
    expect(await at.page.content()).not.to.include(secret);
    await test();
    await isDelivered();
    await deliveries()
      .getByText(/delivered \(204\), after \d+ ms/)
      .waitFor();
    await isShown('just now');
    await at.service.call('POST', '/tickets', { key, body: { title: 'Lag', message: 'Hi.' } });
    const requests = await receiver.waitFor(2);
    const types = requests.map(({ text, headers }) => {
      const verified = new Webhook(secret).verify(text, headers as Record<string, string>);
      return (verified as { type: string }).type;
    });
    expect(types).to.deep.equal(['webhook.test', 'ticket.created']);
  });

  it('keep typed text as a draft, except the address, which may be a secret', async () => {
    await open();
    await at.button('Create webhook').click();
    await at.field('Address').fill('https://discord.com/api/webhooks/1/very-secret');
    await at.field('Name').fill('Status page');
    await at.page.keyboard.press('Escape');
    await at.button('Create webhook').click();
    await waitForValue(at.field('Name'), 'Status page');
    await waitForValue(at.field('Address'), '');
    expect(await at.page.evaluate('JSON.stringify(sessionStorage)')).not.to.include('very-secret');
  });

  it('show success when the test was delivered before the list of deliveries loaded', async () => {
    await openWithOne();
    await at.page.route(/listDeliveries/, async (route) => {
      const webhooks = at.service.connection.collection('webhooks');
      const working = { userId: at.user._id, lastSuccessAt: { $ne: null } };
      await eventually(async () => expect(await webhooks.countDocuments(working)).to.equal(1));
      await route.continue();
    });
    await test();
    await isDelivered();
    await isShown('just now');
    await at.page.unrouteAll();
  });

  it('resend a failed event on request, with the same webhook-id and all attempts in view', async () => {
    await openWithOne();
    receiver.respondWith(503);
    await test();
    await deliveries()
      .getByText(/refused \(503\)/)
      .waitFor();
    await isShown(/^Next try (in less than a minute|now)$/);
    await isShown('Failing');
    await isShown('Deliveries are failing, the first of them just now. The list below shows why.');
    receiver.respondWith(204);
    at.service.clock.advance(6000);
    await isDelivered();
    await isShown('On');
    await waitForCount(deliveries().getByRole('list', { name: 'Attempts' }).locator('li'), 2);
    await at.button(/^Send again webhook.test/).click();
    const requests = await receiver.waitFor(3);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
    await at.see('The event is being sent again.');
    await deliveries().nth(1).waitFor();
    await at.hasFocus(at.button(/^Send again webhook.test/));
  });

  it('list ten deliveries, and older ones on request', async () => {
    const id = await openWithOne();
    for (let sent = 0; sent < 12; sent += 1) await at.service.call('POST', `/webhooks/${id}/test`, { key });
    await item().getByText('Deliveries').click();
    await waitForCount(deliveries(), 10);
    await at.button('Show older deliveries to Status page').click();
    await at.hasFocus(deliveries().nth(10));
    await waitForCount(deliveries(), 12);
  });

  it('explain why one was turned off, and let the user turn it on again', async () => {
    await openWithOne();
    receiver.respondWith(410);
    await test();
    await isShown(/It was turned off: .*410/);
    await isShown('Off');
    await at.button('Turn on Status page').click();
    await isShown('On');
    await waitForCount(item().getByText('It was turned off'), 0);
    await at.hasFocus(at.button('Turn off Status page'));
    await at.button('Turn off Status page').click();
    await isShown('Off');
    await waitForCount(at.button('Send a test to Status page'), 0);
  });

  it('can be edited, and keep the hidden part of their address', async () => {
    await openWithOne(`${receiver.url}?token=hidden`);
    await isShown(`${receiver.url}?...`);
    await at.button('Edit Status page').click();
    await at.field('Name').fill('Lobby');
    await at.box('Everything').check();
    await at.inDialog('Save').click();
    await isShown('Everything that happens.');
    await at.hasFocus(at.button('Edit Lobby'));
    await test('Lobby');
    const [request] = await receiver.waitFor(1);
    expect(request?.path).to.equal('/hook?token=hidden');
  });

  it('sign with both the old and the new secret after a rotation', async () => {
    await open();
    const old = await create();
    await dismissSecret(at.page);
    await at.button('Rotate secret of Status page').click();
    await at.inDialog('Rotate secret').click();
    await at.inDialog('I have copied it').waitFor();
    const secret = await shownSecret(at.page, 'secret');
    await dismissSecret(at.page);
    await test();
    const [request] = await receiver.waitFor(1);
    for (const each of [old, secret])
      new Webhook(each).verify(request?.text ?? '', request?.headers as Record<string, string>);
    expect(secret).not.to.equal(old);
  });

  it('recognize a Discord address, which needs no secret and is shown without its own secret part', async () => {
    await open();
    await at.button('Create webhook').click();
    await at.field('Address').fill(`${receiver.origin}/api/webhooks/123/token-of-discord`);
    await at.see('Recognized as a Discord webhook.');
    await at.box('Everything').check();
    await at.inDialog('Create webhook').click();
    await item().getByText('/api/webhooks/123/...').waitFor();
    await waitForCount(at.dialog(), 0);
    await waitForCount(at.button(/^Rotate secret/), 0);
    expect(await at.page.content()).not.to.include('token-of-discord');
  });

  it('are deleted after a confirmation that names one, and nothing more arrives', async () => {
    await openWithOne();
    await at.button('Delete Status page').click();
    await at.heading('Delete Status page?').waitFor();
    await at.inDialog('Cancel').click();
    await at.hasFocus(at.button('Delete Status page'));
    await at.button('Delete Status page').click();
    await at.inDialog('Delete webhook').click();
    await at.see('No webhooks');
    await at.page.locator('h1:focus').waitFor();
  });

  it('show errors at their fields, focus the first one, and keep typed text', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request'), consoleErrorOf(400, 'Bad Request')];
    await open();
    const address = at.field('Address');
    const isInvalid = (isInvalid: boolean) =>
      eventually(async () => expect(await address.getAttribute('aria-invalid')).to.equal(String(isInvalid)));
    await at.button('Create webhook').click();
    await at.inDialog('Create webhook').click();
    await at.see('Enter an address');
    await at.see('Choose at least one event.');
    await at.hasFocus(address);
    await address.fill('https://10.0.0.1/hook');
    await at.box('An API key was created.').check();
    await at.inDialog('Create webhook').click();
    const note = '“Address” must be at a public internet address.';
    await at.see(note);
    await at.hasFocus(address);
    await isInvalid(true);
    const described = at.page.locator(`#${await address.getAttribute('aria-describedby')}`);
    expect(await described.textContent()).to.equal(note);
    await address.pressSequentially('s');
    await isInvalid(false);
    await address.fill('https://discord.com/api/webhooks/1/token');
    await at.field('Sent as').selectOption('standard');
    await at.inDialog('Create webhook').click();
    await at.see('“Sent as” must be discord for the address of a Discord webhook.');
    await at.hasFocus(at.field('Sent as'));
    await address.fill('https://10.0.0.1/hook');
    await at.page.keyboard.press('Escape');
    await at.page.reload();
    await at.button('Create webhook').click();
    const box = at.box('An API key was created.');
    await eventually(async () => expect(await box.isChecked()).to.equal(true));
  });

  it('work by keyboard alone', async () => {
    await open();
    const press = async (...keys: string[]) => {
      for (const each of keys) await at.page.keyboard.press(each);
    };
    await at.button('Create webhook').press('Enter');
    await at.hasFocus(at.field('Address'));
    await at.page.keyboard.type(receiver.url);
    await press('Tab', 'Tab', 'Space', 'Shift+Tab', 'Shift+Tab', 'Enter');
    await at.inDialog('I have copied it').press('Enter');
    await at.hasFocus(at.button('Create webhook'));
    await isShown('Everything that happens.');
    const host = new URL(receiver.url).host;
    await at.button(`Send a test to ${host}`).press('Enter');
    await isDelivered();
    await at.hasFocus(at.button(`Send a test to ${host}`));
    await press('Tab', 'Tab', 'Tab', 'Tab', 'Enter');
    await at.heading(`Delete ${host}?`).waitFor();
    await press('Escape');
    await at.hasFocus(at.button(`Delete ${host}`));
    await press('Tab', 'Enter');
    await deliveries().first().waitFor({ state: 'hidden' });
    await press('Enter', 'Tab');
    await at.hasFocus(at.button(/^Send again webhook.test/));
  });
});
