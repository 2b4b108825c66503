/** What goes wrong between the browser and the service, and what the account page then says and does. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  dialogOf,
  enter,
  putAway,
  shownSecret,
  signIn,
  stageAccountPage,
  statusWith,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

/** The service does what is asked, and its answer never arrives. */
const loseAnswers = (page: Page, procedure: string) =>
  page.route(`**/trpc/${procedure}*`, async (route) => {
    await route.fetch();
    await route.abort();
  });

describe('a mishap on the account page', () => {
  const at = stageAccountPage();
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) => dialogOf(at.page).getByRole('button', { name, exact: true });
  const failed = () => at.page.getByText('The service did not answer. Check your connection and try again.');
  const openTab = (name: string) => at.page.getByRole('link', { name, exact: true }).click();

  it('that loses the answer to a press makes one ticket and one key when the user presses again', async () => {
    const lost = 'Failed to load resource: net::ERR_FAILED';
    at.expected = [lost, lost, lost];
    await enter(at);
    await button('Create key').click();
    await dialogOf(at.page).getByLabel('Name').fill('Laptop');
    await dialogOf(at.page).getByRole('checkbox', { name: 'read:account' }).check();
    await loseAnswers(at.page, 'keys.create');
    await inDialog('Create key').click();
    await failed().waitFor();
    await inDialog('Create key').click();
    await failed().waitFor();
    await at.page.unroute('**/trpc/keys.create*');
    await inDialog('Create key').click();
    expect(await statusWith(at, await shownSecret(at.page))).to.equal(200);
    await putAway(at.page);
    expect(await at.service.models.apiKeys.listLive(at.user._id, new Date())).to.have.length(1);
    await openTab('Tickets');
    await button('Open a ticket').click();
    await dialogOf(at.page).getByLabel('Subject').fill('Lag');
    await dialogOf(at.page).getByLabel('Message').fill('Players time out.');
    await loseAnswers(at.page, 'tickets.create');
    await inDialog('Open ticket').click();
    await failed().waitFor();
    await at.page.unroute('**/trpc/tickets.create*');
    await inDialog('Open ticket').click();
    await at.page.getByRole('heading', { name: 'Lag' }).waitFor();
    const tickets = await at.service.models.tickets.searchDetails({ userId: at.user._id, limit: 5 });
    expect(tickets).to.have.length(1);
  });

  it('in a date names the field, and one of the page itself blames no connection', async () => {
    await enter(at);
    await button('Create key').click();
    await dialogOf(at.page).getByLabel('Name').fill('Laptop');
    await dialogOf(at.page).getByRole('checkbox', { name: 'read:account' }).check();
    await dialogOf(at.page).getByLabel('Expires').selectOption('On a date');
    const date = dialogOf(at.page).getByLabel('Date');
    await date.evaluate((field: { max: string; value: string }) => {
      field.max = '';
      field.value = '123456-01-01';
    });
    await inDialog('Create key').click();
    await at.page.getByText('Choose a date in the future, with a year of four digits.').waitFor();
    await date.fill('2999-01-01');
    await at.page.evaluate('FormData.prototype.getAll = () => { throw new Error("a mistake"); }');
    await inDialog('Create key').click();
    await at.page.getByText('This page made a mistake. Reload it and try again.').waitFor();
    await eventually(async () => expect(await failed().count()).to.equal(0));
    at.expected = ['Error: a mistake'];
  });

  it('with a storage that throws leaves all sections usable', async () => {
    await at.visitor.context.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(globalThis, name, { get() { throw new DOMException('denied', 'SecurityError'); } });`);
    await at.page.reload();
    await signIn(at.page, at.user.email);
    await at.page.getByRole('heading', { name: 'API keys' }).waitFor();
    for (const tab of await at.page.getByRole('navigation', { name: 'Account' }).getByRole('link').all()) {
      await tab.click();
      await at.page.getByRole('heading', { level: 1, name: (await tab.textContent()) ?? '' }).waitFor();
    }
    await openTab('Tickets');
    await button('Open a ticket').click();
    await dialogOf(at.page).getByLabel('Subject').fill('Lag');
    await dialogOf(at.page).getByLabel('Message').fill('Players time out.');
    await inDialog('Open ticket').click();
    await at.page.getByRole('heading', { name: 'Lag' }).waitFor();
    await button('Your account').click();
    await button('Sign out').click();
    await at.page.getByLabel('E-mail').waitFor();
  });
});
