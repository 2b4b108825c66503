/** Webhooks on the account page, in a browser, with a real receiver. */
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { dialogOf, putAway, refusal, shownSecret } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { stageWebhooks } from '../../support/webhook-page.ts';

describe('webhooks on the account page', () => {
  const { at, receiver, button, item, inDialog, focused, deliveries, open, create, createAndPutAway } =
    stageWebhooks();

  it('show a secret once, with which the requests of a test and of an event are verified', async () => {
    await open();
    const secret = await createAndPutAway();
    expect(secret).to.match(/^whsec_/);
    expect(await at.page.content()).not.to.include(secret);
    await button('Send a test to Status page').click();
    await deliveries().getByText('Delivered', { exact: true }).waitFor();
    await deliveries()
      .getByText(/delivered \(204\), after \d+ ms/)
      .waitFor();
    await item().getByText('just now').waitFor();
    const { secret: key } = await at.service.addKey({ user: at.user });
    await at.service.call('POST', '/tickets', { key, body: { title: 'Lag', message: 'Hi.' } });
    const requests = await receiver.waitFor(2);
    const types = requests.map(({ text, headers }) => {
      const verified = new Webhook(secret).verify(text, headers as Record<string, string>);
      return (verified as { type: string }).type;
    });
    expect(types).to.deep.equal(['webhook.test', 'ticket.created']);
  });

  it('keep what is typed as a draft without the address, which may be a secret', async () => {
    await open();
    await button('Create webhook').click();
    await dialogOf(at.page).getByLabel('Address').fill('https://discord.com/api/webhooks/1/very-secret');
    await dialogOf(at.page).getByLabel('Name').fill('Status page');
    await at.page.keyboard.press('Escape');
    await button('Create webhook').click();
    await eventually(async () =>
      expect(await dialogOf(at.page).getByLabel('Name').inputValue()).to.equal('Status page'),
    );
    expect(await dialogOf(at.page).getByLabel('Address').inputValue()).to.equal('');
    expect(await at.page.evaluate('JSON.stringify(sessionStorage)')).not.to.include('very-secret');
  });

  it('show that one works when its test was delivered before the list of deliveries was loaded', async () => {
    await open();
    await createAndPutAway();
    await at.page.route(/listDeliveries/, async (route) => {
      const webhooks = at.service.connection.collection('webhooks');
      const working = { userId: at.user._id, lastSuccessAt: { $ne: null } };
      await eventually(async () => expect(await webhooks.countDocuments(working)).to.equal(1));
      await route.continue();
    });
    await button('Send a test to Status page').click();
    await deliveries().getByText('Delivered', { exact: true }).waitFor();
    await item().getByText('just now').waitFor();
    await at.page.unrouteAll();
  });

  it('send a failed event again on request, with the same webhook-id and all attempts in sight', async () => {
    await open();
    await createAndPutAway();
    receiver.respondWith(503);
    await button('Send a test to Status page').click();
    await deliveries()
      .getByText(/refused \(503\)/)
      .waitFor();
    await item()
      .getByText(/^Next try (in less than a minute|now)$/)
      .waitFor();
    await item().getByText('Failing', { exact: true }).waitFor();
    await item()
      .getByText('Deliveries are failing, the first of them just now. Their list below says why.')
      .waitFor();
    receiver.respondWith(204);
    at.service.clock.advance(6000);
    await deliveries().getByText('Delivered', { exact: true }).waitFor();
    await item().getByText('On', { exact: true }).waitFor();
    await eventually(async () =>
      expect(await deliveries().getByRole('list', { name: 'Attempts' }).locator('li').count()).to.equal(2),
    );
    await button(/^Send again webhook.test/).click();
    const requests = await receiver.waitFor(3);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
    await at.page.getByText('The event is on its way again.').waitFor();
    await deliveries().nth(1).waitFor();
    await focused(/^Send again webhook.test/).waitFor();
  });

  it('list ten deliveries, and older ones on request', async () => {
    await open();
    await createAndPutAway();
    const { secret: key } = await at.service.addKey({ user: at.user });
    const { body } = await at.service.call('GET', '/webhooks', { key });
    const test = () => at.service.call('POST', `/webhooks/${body.webhooks[0].id}/test`, { key });
    for (let sent = 0; sent < 12; sent += 1) await test();
    await item().getByText('Deliveries').click();
    await deliveries().nth(9).waitFor();
    await eventually(async () => expect(await deliveries().count()).to.equal(10));
    await button('Show older deliveries to Status page').click();
    await deliveries().nth(10).and(at.page.locator(':focus')).waitFor();
    await eventually(async () => expect(await deliveries().count()).to.equal(12));
  });

  it('say why one was turned off, and turn it on again', async () => {
    await open();
    await createAndPutAway();
    receiver.respondWith(410);
    await button('Send a test to Status page').click();
    await item()
      .getByText(/It was turned off: .*410/)
      .waitFor();
    await item().getByText('Off', { exact: true }).waitFor();
    await button('Turn on Status page').click();
    await item().getByText('On', { exact: true }).waitFor();
    await eventually(async () => expect(await item().getByText('It was turned off').count()).to.equal(0));
    await focused('Turn off Status page').waitFor();
    await button('Turn off Status page').click();
    await item().getByText('Off', { exact: true }).waitFor();
    await eventually(async () => expect(await button('Send a test to Status page').count()).to.equal(0));
  });

  it('are edited, and keep the hidden part of their address', async () => {
    await open();
    await create({ url: `${receiver.url}?token=hidden` });
    await putAway(at.page);
    await item().getByText(`${receiver.url}?...`).waitFor();
    await button('Edit Status page').click();
    await dialogOf(at.page).getByLabel('Name').fill('Lobby');
    await dialogOf(at.page).getByRole('checkbox', { name: 'Everything' }).check();
    await inDialog('Save').click();
    await item().getByText('Everything that happens.').waitFor();
    await focused('Edit Lobby').waitFor();
    await button('Send a test to Lobby').click();
    const [request] = await receiver.waitFor(1);
    expect(request?.path).to.equal('/hook?token=hidden');
  });

  it('sign with the old and the new secret after a rotation', async () => {
    await open();
    const old = await createAndPutAway();
    await button('Rotate secret of Status page').click();
    await inDialog('Rotate secret').click();
    await inDialog('I have copied it').waitFor();
    const secret = await shownSecret(at.page, 'secret');
    await putAway(at.page);
    await button('Send a test to Status page').click();
    const [request] = await receiver.waitFor(1);
    for (const each of [old, secret])
      new Webhook(each).verify(request?.text ?? '', request?.headers as Record<string, string>);
    expect(secret).not.to.equal(old);
  });

  it('recognize the address of Discord, which has no secret and is shown without its own', async () => {
    await open();
    await button('Create webhook').click();
    await dialogOf(at.page)
      .getByLabel('Address')
      .fill(`${receiver.origin}/api/webhooks/123/token-of-discord`);
    await dialogOf(at.page).getByText('Recognized as a webhook of Discord.').waitFor();
    await dialogOf(at.page).getByRole('checkbox', { name: 'Everything' }).check();
    await inDialog('Create webhook').click();
    await item().getByText('/api/webhooks/123/...').waitFor();
    await eventually(async () => expect(await dialogOf(at.page).count()).to.equal(0));
    await eventually(async () => expect(await button(/^Rotate secret/).count()).to.equal(0));
    expect(await at.page.content()).not.to.include('token-of-discord');
  });

  it('are deleted after a confirmation that names one, and nothing more arrives', async () => {
    await open();
    await createAndPutAway();
    await button('Delete Status page').click();
    await at.page.getByRole('heading', { name: 'Delete Status page?' }).waitFor();
    await inDialog('Cancel').click();
    await focused('Delete Status page').waitFor();
    await button('Delete Status page').click();
    await inDialog('Delete webhook').click();
    await at.page.getByText('No webhooks').waitFor();
    await at.page.locator('h1:focus').waitFor();
  });

  it('say what is wrong at its field, the first of which gets the focus, and keep what is typed', async () => {
    at.expected = [refusal(400, 'Bad Request'), refusal(400, 'Bad Request')];
    await open();
    await button('Create webhook').click();
    await inDialog('Create webhook').click();
    await dialogOf(at.page).getByText('Enter an address').waitFor();
    await dialogOf(at.page).getByText('Choose at least one event.').waitFor();
    await at.page.locator('input[name=url]:focus').waitFor();
    await dialogOf(at.page).getByLabel('Address').fill('https://10.0.0.1/hook');
    await dialogOf(at.page).getByRole('checkbox', { name: 'An API key was created.' }).check();
    await inDialog('Create webhook').click();
    const field = dialogOf(at.page).getByLabel('Address');
    const note = '“Address” must be at an address of the public internet.';
    await dialogOf(at.page).getByText(note).waitFor();
    await at.page.locator('input[name=url]:focus').waitFor();
    await eventually(async () => expect(await field.getAttribute('aria-invalid')).to.equal('true'));
    await eventually(async () =>
      expect(
        await at.page.locator(`#${await field.getAttribute('aria-describedby')}`).textContent(),
      ).to.equal(note),
    );
    await field.pressSequentially('s');
    await eventually(async () => expect(await field.getAttribute('aria-invalid')).to.equal('false'));
    await field.fill('https://discord.com/api/webhooks/1/token');
    await dialogOf(at.page).getByLabel('Sent as').selectOption('standard');
    await inDialog('Create webhook').click();
    await dialogOf(at.page)
      .getByText('“Sent as” must be discord for the address of a Discord webhook.')
      .waitFor();
    await at.page.locator('select[name=format]:focus').waitFor();
    await field.fill('https://10.0.0.1/hook');
    await at.page.keyboard.press('Escape');
    await at.page.reload();
    await button('Create webhook').click();
    await eventually(async () =>
      expect(
        await dialogOf(at.page).getByRole('checkbox', { name: 'An API key was created.' }).isChecked(),
      ).to.equal(true),
    );
  });

  it('work by keyboard alone', async () => {
    await open();
    const press = async (...keys: string[]) => {
      for (const key of keys) await at.page.keyboard.press(key);
    };
    await button('Create webhook').focus();
    await press('Enter');
    await at.page.locator('input[name=url]:focus').waitFor();
    await at.page.keyboard.type(receiver.url);
    await press('Tab', 'Tab', 'Space', 'Shift+Tab', 'Shift+Tab', 'Enter');
    await inDialog('I have copied it').focus();
    await press('Enter');
    await focused('Create webhook').waitFor();
    await item().getByText('Everything that happens.').waitFor();
    const host = new URL(receiver.url).host;
    await button(`Send a test to ${host}`).focus();
    await press('Enter');
    await deliveries().getByText('Delivered', { exact: true }).waitFor();
    await focused(`Send a test to ${host}`).waitFor();
    await press('Tab', 'Tab', 'Tab', 'Tab', 'Enter');
    await at.page.getByRole('heading', { name: `Delete ${host}?` }).waitFor();
    await press('Escape');
    await focused(`Delete ${host}`).waitFor();
    await press('Tab', 'Enter');
    await deliveries().first().waitFor({ state: 'hidden' });
    await press('Enter', 'Tab');
    await focused(/^Send again webhook.test/).waitFor();
  });
});
