/** The support desk of the account page in a browser: a queue, a search, and what an answer needs beside it. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { panelServer } from '../../../server/panel/demo/attributes.ts';
import { dialogOf, enter, signIn, stageAccountPage } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

describe('the support desk', () => {
  const at = stageAccountPage();
  let customer: UserRecord;
  const link = (name: string) => at.page.getByRole('link', { name, exact: true });
  const subjects = () =>
    at.page.getByRole('list', { name: 'Support desk' }).getByRole('link').allTextContents();

  beforeEach(async () => {
    await at.service.connection.collection('tickets').deleteMany({});
    customer = await at.service.addUser({ panelUserId: 7, nickname: 'dana' });
    at.user = await at.service.addUser({ isSupport: true, nickname: 'Robin' });
  });

  const open = (subject: string, { text = 'Players time out.', about = '' } = {}) => {
    at.service.clock.advance(60_000);
    return at.service.models.tickets.open({
      ...{ userId: customer._id, keyId: '', subject, text, now: new Date(at.service.clock.now()) },
      ...{ serviceName: null, serviceReference: about || null, serviceType: null },
    });
  };

  const write = (ticketId: number, text: string) =>
    at.service.models.tickets.reply({
      ...{ ticketId, userId: customer._id, keyId: '', text, now: new Date(at.service.clock.now()) },
    });

  async function enterDesk(): Promise<void> {
    await at.page.setViewportSize({ width: 1280, height: 740 });
    await enter(at);
    await link('Support desk').click();
    await at.page.getByRole('heading', { name: 'Support desk' }).waitFor();
  }

  it('lists the longest waiting first and finds numbers, subjects and customers', async () => {
    const { _id: lag } = await open('Lag since noon');
    await open('Crash at start');
    await enterDesk();
    await link('Lag since noon').waitFor();
    expect(await subjects()).to.deep.equal(['Lag since noon', 'Crash at start']);
    const search = at.page.getByRole('searchbox');
    await search.fill('CRASH');
    await search.press('Enter');
    await link('Lag since noon').waitFor({ state: 'detached' });
    expect(await subjects()).to.deep.equal(['Crash at start']);
    await search.fill(`#${lag}`);
    await search.press('Enter');
    await link('Lag since noon').waitFor();
    expect(await subjects()).to.deep.equal(['Lag since noon']);
    await search.fill('start crash');
    await search.press('Enter');
    await link('Crash at start').waitFor();
    await search.fill(customer.email);
    await search.press('Enter');
    await link('Lag since noon').waitFor();
    expect(await subjects()).to.deep.equal(['Crash at start', 'Lag since noon']);
  });

  it('sends an answer by Ctrl+Enter and leads to the next ticket by Enter', async () => {
    for (const subject of ['First', 'Second']) await open(subject);
    await enterDesk();
    await link('First').click();
    await at.page.getByLabel('Your answer').fill('We moved your server.');
    await at.page.keyboard.press('Control+Enter');
    await link('Second').and(at.page.locator('.notice a:focus')).waitFor();
    await at.page.keyboard.press('Enter');
    await at.page.getByRole('heading', { name: 'Second' }).waitFor();
  });

  it('shows beside a ticket ten servers, or all, with their states, subscriptions and other tickets of its customer', async () => {
    const others = Array.from({ length: 11 }, (_, index) => {
      const identifier = `other${index}`;
      return panelServer({ identifier, uuid: identifier, name: `World ${index}` });
    });
    const meant = panelServer({ identifier: 'a1b2c3d4', name: 'Survival' });
    at.service.panel.servers.set(7, [...others, meant]);
    at.service.panel.runStates.set('other10', 'starting');
    const { subscriptions, transaction } = at.service.models;
    const wanted = { providerId: 'sub', userId: customer._id, status: 'active' };
    await transaction((session) => subscriptions.put(wanted, new Date(), session));
    for (const subject of ['Older', 'Lag']) await open(subject, { about: 'a1b2c3d4' });
    await enterDesk();
    await link('Lag').click();
    const aside = at.page.getByRole('complementary', { name: 'Customer' });
    const server = aside.getByRole('listitem').filter({ hasText: 'Survival' });
    await server.getByText('running').waitFor();
    await server.getByText('this ticket').waitFor();
    await eventually(async () =>
      expect(await aside.getByText(/^(Survival|World \d+)$/).allTextContents()).to.have.lengthOf(10),
    );
    await aside.getByRole('button', { name: 'Show all 12 servers' }).click();
    await aside.getByRole('listitem').filter({ hasText: 'World 10' }).getByText('starting').waitFor();
    await eventually(async () =>
      expect(await aside.getByRole('button', { name: /^Show all/ }).count()).to.equal(0),
    );
    await server.getByRole('button', { name: 'Survival' }).click();
    await dialogOf(at.page).getByText('Memory').waitFor();
    await dialogOf(at.page).getByText('running').waitFor();
    await at.page.keyboard.press('Escape');
    await aside.getByText('active', { exact: true }).waitFor();
    await aside.getByRole('link', { name: 'Older' }).click();
    await at.page.getByRole('heading', { name: 'Older' }).waitFor();
  });

  it('opens a long conversation at its newest message, and makes links of addresses alone', async () => {
    const { _id: id } = await open('Long', { text: 'Message 1' });
    for (let number = 2; number <= 119; number += 1) await write(id, `Message ${number}`);
    await write(id, 'See https://example.com/log?a=1. <b>javascript:alert(1)</b>');
    await enterDesk();
    await link('Long').click();
    const newest = at.page.getByRole('list', { name: 'Messages' }).getByRole('listitem').last();
    await newest.getByText('See').waitFor();
    const below = `document.querySelector('.messages').lastElementChild.getBoundingClientRect().bottom - innerHeight`;
    await eventually(async () => expect(await at.page.evaluate(below)).to.be.at.most(0));
    const links = newest.getByRole('link');
    await eventually(async () => expect(await links.count()).to.equal(1));
    await eventually(async () =>
      expect(await links.getAttribute('href')).to.equal('https://example.com/log?a=1'),
    );
    await newest.getByText('<b>javascript:alert(1)</b>').waitFor();
    await at.page.getByRole('button', { name: 'Show earlier messages' }).click();
    await at.page.getByText('Message 21', { exact: true }).waitFor();
  });

  it('shows every message of a conversation that takes several responses', async () => {
    const { _id: id } = await open('Full', { text: 'Message 1' });
    // JSON writes two bytes for each of them: 32 messages fit into a response.
    for (let number = 2; number <= 60; number += 1) await write(id, `Message ${number} ${'"'.repeat(8000)}`);
    await enterDesk();
    await link('Full').click();
    const messages = at.page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    await messages.filter({ hasText: 'Message 60 ' }).waitFor();
    await eventually(async () => expect(await messages.count()).to.equal(50));
    await at.page.getByRole('button', { name: 'Show earlier messages' }).click();
    await messages.filter({ hasText: /Message 1$/ }).waitFor();
    await eventually(async () => expect(await messages.count()).to.equal(60));
  });

  it('shows new messages on both sides without a reload', async () => {
    await open('Lag');
    await enterDesk();
    await link('Lag').click();
    await at.page.getByLabel('Your answer').waitFor();
    const other = await at.browser.newVisitor(at.service.url);
    const customerPage = await other.openTab('/account#tickets');
    await signIn(customerPage, customer.email);
    await customerPage.getByRole('link', { name: 'Lag', exact: true }).click();
    await at.page.getByLabel('Your answer').fill('We look into it.');
    await at.page.getByRole('button', { name: 'Send answer' }).click();
    await customerPage.getByText('We look into it.').waitFor();
    await customerPage.getByLabel('Your reply').fill('Thank you!');
    await customerPage.getByRole('button', { name: 'Send reply' }).click();
    await at.page.getByText('Thank you!').waitFor();
    await other.close();
  });

  it('asks a hidden page seldom, and at once when it is shown again', async () => {
    const { _id: id } = await open('Lag');
    await enterDesk();
    await link('Lag').click();
    await at.page.getByLabel('Your answer').waitFor();
    await at.page.clock.install();
    const hide = (isHidden: boolean) =>
      at.page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await hide(true);
    let reads = 0;
    at.page.on('request', (request) => {
      if (request.url().includes('admin.getTicket')) reads += 1;
    });
    await write(id, 'Still there?');
    await at.page.clock.runFor(4 * 60_000);
    expect(reads).to.equal(0);
    await hide(false);
    await at.page.getByText('Still there?').waitFor();
  });
});
