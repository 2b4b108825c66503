/** The account page in other languages: texts that are written from right to left, and the browser's own translation. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { panelServer } from '../../../server/panel/demo/attributes.ts';
import {
  dialogOf,
  enter,
  openSection,
  putAway,
  signIn,
  stageAccountPage,
  widthBeyond,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { translate } from '../../support/translate.ts';
import { startWebhookService } from '../../support/webhook-service.ts';

const id = 'a1b2c3d4';

/** "Hello, world" in Hebrew, and after it a bracket, which a wrong direction would move. */
const greeting = 'שלום עולם (2)';

/** Texts that take the direction of the page, or stand in one element with words of ours; and fields that do so. */
const wronglyDirected = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const rightToLeft = /[\\u0590-\\u05ff]/;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const wrong = [];
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      if (!rightToLeft.test(data)) continue;
      if (parentElement.closest('.visually-hidden')) continue;
      const isolated = parentElement.closest('bdi, [dir="auto"]');
      if (!isolated || /^[^\\u0590-\\u05ff]*[a-z]/i.test(isolated.textContent)) wrong.push(parentElement.outerHTML);
    }
    const typed = 'input:not([type=checkbox], [type=radio]), textarea';
    return [...wrong, ...[...document.querySelectorAll(typed)].filter((field) => field.dir !== 'auto').map((field) => field.outerHTML)];
  })()`);

describe('the account page in other languages', () => {
  const at = stageAccountPage(startWebhookService);
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });
  const openTab = (name: string) => openSection(at.page, name);
  const check = async () => {
    expect(await wronglyDirected(at.page)).to.deep.equal([]);
    await eventually(async () => expect(await widthBeyond(at.page)).to.equal(0));
  };

  beforeEach(async () => {
    await at.service.connection.collection('tickets').deleteMany({});
    at.user = await at.service.addUser({ panelUserId: 7, nickname: greeting });
    at.service.panel.servers.set(7, [panelServer({ identifier: id, name: greeting })]);
    at.service.panel.runStates.set(id, 'running');
  });

  const openTicket = () =>
    at.service.models.tickets.open({
      ...{ userId: at.user._id, keyId: '', subject: greeting, text: greeting, now: new Date() },
      ...{ serviceName: greeting, serviceReference: id, serviceType: null },
    });

  it('shows texts from right to left in their own direction, beside words of the page', async () => {
    await openTicket();
    await at.page.setViewportSize({ width: 360, height: 780 });
    await enter(at);
    await button('Your account').click();
    await check();
    await button('Your account').click();
    await button('Create key').click();
    await dialogOf(at.page).getByLabel('Name').fill(greeting);
    await dialogOf(at.page).getByText('Restrict it to servers or addresses').click();
    await dialogOf(at.page).getByLabel(greeting).waitFor();
    await dialogOf(at.page).getByRole('checkbox', { name: 'read:account' }).check();
    await check();
    await dialogOf(at.page).getByRole('button', { name: 'Create key' }).click();
    await dialogOf(at.page).getByRole('button', { name: 'I have copied it' }).waitFor();
    await check();
    await putAway(at.page);
    for (const action of ['Rotate', 'Revoke']) {
      await button(`${action} ${greeting}`).click();
      await check();
      await dialogOf(at.page).getByRole('button', { name: 'Cancel' }).click();
    }
    await openTab('Servers');
    await button(`Stop ${greeting}`).click();
    await check();
    await dialogOf(at.page).getByRole('button', { name: 'Stop server' }).click();
    await at.page.getByText('is stopping').waitFor();
    await check();
    await openTab(greeting);
    await button(`Stop ${greeting}`)
      .or(button(`Start ${greeting}`))
      .first()
      .waitFor();
    await check();
    await openTab('Backups');
    await button(`Create a backup of ${greeting}`).click();
    await dialogOf(at.page).getByLabel('Name').fill(greeting);
    await dialogOf(at.page).getByRole('button', { name: 'Create backup' }).click();
    await at.page.getByText('in progress').waitFor();
    await check();
    await openTab('Files');
    await button('New file').click();
    await dialogOf(at.page).getByLabel('Name').fill(greeting);
    await check();
    await dialogOf(at.page).getByRole('button', { name: 'Create file' }).click();
    await at.page.getByLabel('Text').fill(greeting);
    await check();
    await button('Save').click();
    await at.page.getByText('Saved', { exact: true }).waitFor();
    await at.page.getByRole('link', { name: 'Files' }).last().click();
    await at.page.getByRole('link', { name: greeting, exact: true }).waitFor();
    await check();
    await button(`Open a ticket about ${greeting}`).click();
    await check();
    await dialogOf(at.page).getByRole('button', { name: 'Cancel' }).click();
    await at.page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Tickets' }).click();
    await at.page.getByRole('link', { name: greeting, exact: true }).waitFor();
    await check();
    await at.page.getByRole('link', { name: greeting, exact: true }).click();
    await at.page.getByLabel('Your reply').waitFor();
    await check();
    await openTab('Webhooks');
    await button('Create webhook').click();
    await dialogOf(at.page).getByLabel('Name').fill(greeting);
    await dialogOf(at.page).getByLabel('Address').fill('http://127.0.0.1:9/hook');
    await dialogOf(at.page).getByRole('checkbox', { name: 'A ticket was opened.' }).check();
    await dialogOf(at.page).getByRole('button', { name: 'Create webhook' }).click();
    await putAway(at.page);
    await at.page.getByRole('heading', { name: greeting }).waitFor();
    await check();
    await openTab('Activity');
    await at.page.getByRole('list', { name: 'Calls', exact: true }).getByRole('listitem').first().waitFor();
    await check();
  });

  it('shows those of customers so at the support desk too', async () => {
    await openTicket();
    const { email } = await at.service.addUser({ isSupport: true });
    await signIn(at.page, email);
    await openTab('Support desk');
    await at.page.getByRole('link', { name: greeting, exact: true }).click();
    await at.page.getByRole('complementary').getByText(greeting).waitFor();
    await check();
  });

  it('goes on when the browser translates it, and what changes then is translated anew', async () => {
    at.service.panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    at.service.clock.advance(60_000); // past every cache
    await enter(at);
    await openTab('Servers');
    await at.page.getByText('running').waitFor();
    await translate(at.page);
    await at.page.getByText('«running»').waitFor();
    at.service.panel.runStates.set(id, 'stopping');
    await button('Stop Survival').click();
    await dialogOf(at.page).getByRole('button', { name: 'Stop server' }).click();
    await at.page.getByText('«stopping»').waitFor();
    at.service.panel.runStates.set(id, 'offline');
    await at.page.getByText('«offline»').waitFor();
    await button('Start Survival').waitFor();
    await eventually(async () => expect(await at.page.getByText(/«(running|stopping)»/).count()).to.equal(0));
    for (const tab of ['Tickets', 'Activity', 'API keys']) await openTab(`«${tab}»`);
    await at.page.getByRole('button', { name: '«Create key»' }).click();
    await dialogOf(at.page).getByLabel('Name').fill('Laptop');
    await dialogOf(at.page).getByRole('checkbox', { name: 'read:account' }).check();
    await dialogOf(at.page).getByRole('button', { name: 'Create key' }).click();
    await dialogOf(at.page).getByText('«I have copied it»').click();
    await at.page.getByRole('heading', { name: '«Laptop»' }).waitFor();
  });
});
