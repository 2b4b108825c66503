/** The support desk of the account page in a browser: queue, search, context of a ticket, and several colleagues. */
import { expect } from 'chai';
import type { Route } from 'playwright-core';
import type { UserRecord } from '../../../models/user.ts';
import {
  consoleErrorOf,
  openKeyList,
  openSection,
  signInWithoutForm,
  useAccountPage,
  waitForCount,
  waitForTexts,
  waitForValue,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { panelServer } from '../../support/panel/attributes.ts';

describe('the support desk', () => {
  const at = useAccountPage();
  let customer: UserRecord;
  const subjects = () => at.page.getByRole('list', { name: 'Support desk' }).getByRole('link');
  const answerField = () => at.page.getByLabel('Your answer');
  const messages = () => at.entries('Messages');

  beforeEach(async () => {
    for (const name of ['tickets', 'staff_texts'])
      await at.service.connection.collection(name).deleteMany({});
    customer = await at.service.addUser({ panelUserId: 7, nickname: 'dana' });
    at.user = await at.service.addUser({ isSupport: true, nickname: 'Robin' });
  });

  const open = (subject: string, { text = 'It lags.', about = '' } = {}) => {
    at.service.clock.advance(60_000);
    return at.openTicket(subject, {
      user: customer,
      text,
      ...(about && { about: { serviceReference: about } }),
    });
  };

  const write = (ticketId: number, text: string, answer: { staffId?: number; close?: boolean } = {}) =>
    at.service.models.tickets.reply({
      ...{ ticketId, userId: customer._id, keyId: '', text, now: new Date(at.service.clock.now()) },
      ...answer,
    });

  async function enterDesk(width = 1280): Promise<void> {
    await at.page.setViewportSize({ width, height: 760 });
    await openKeyList(at);
    await openSection(at.page, 'Support desk');
    await at.heading('Support desk').waitFor();
  }

  it('lists the longest waiting ticket first and finds numbers, subjects and customers', async () => {
    const { _id: lag } = await open('Lag since noon');
    await open('Crash at start');
    await enterDesk();
    await waitForTexts(subjects(), ['Lag since noon', 'Crash at start']);
    const numbers = await at.page.locator('.ticket-number').all();
    const columns = await Promise.all(numbers.map((number) => number.boundingBox()));
    expect(new Set(columns.map((box) => box?.x)).size).to.equal(1);
    for (const [search, found] of [
      ['CRASH', ['Crash at start']],
      [`#${lag}`, ['Lag since noon']],
      ['start crash', ['Crash at start']],
      [customer.email, ['Crash at start', 'Lag since noon']],
    ] as const) {
      await at.searchFor(search);
      await waitForTexts(subjects(), [...found]);
    }
    await at.searchFor(customer.email.replace(/@.*/, ''));
    await at.see('A word with @');
  });

  it('sends an answer that closes the ticket, and goes to the next ticket by Enter', async () => {
    for (const subject of ['First', 'Second']) await open(subject);
    await enterDesk();
    await at.link('First').click();
    await at.button('Close ticket').waitFor();
    expect(
      await at.page.locator('.answer-area').evaluate((area) => area.scrollHeight - area.clientHeight),
    ).to.equal(0);
    await answerField().fill('We moved your server.');
    await at.button('Send and close').click();
    await at.page.getByRole('status').getByText('Answer sent').waitFor();
    await at.button('Reopen ticket').waitFor();
    await at.link('Second').and(at.page.locator('.notice a:focus')).waitFor();
    await at.page.keyboard.press('Enter');
    await at.heading('Second').waitFor();
  });

  it('shows the customer next to a ticket: suspended, ten or all servers with states, keys, subscriptions and other tickets', async () => {
    const others = Array.from({ length: 11 }, (_, index) => {
      const identifier = `other${index}`;
      return panelServer({ identifier, uuid: identifier, name: `World ${index}` });
    });
    const meant = panelServer({ identifier: 'a1b2c3d4', name: 'Survival' });
    at.service.panel.servers.set(7, [...others, meant]);
    at.service.panel.runStates.set('other10', 'starting');
    const { subscriptions, transaction } = at.service.models;
    const wanted = { providerId: 'sub', userId: customer._id, name: 'Iron 8 GB', status: 'past_due' };
    await at.service.addKey({ user: customer });
    const users = at.service.connection.collection<{ _id: number }>('users');
    await users.updateOne({ _id: customer._id }, { $set: { isActive: false } });
    await transaction((session) => subscriptions.put([wanted], new Date(), session));
    for (const subject of ['Older', 'Lag']) await open(subject, { about: 'a1b2c3d4' });
    await enterDesk();
    await at.link('Lag').click();
    const aside = at.page.getByRole('complementary', { name: 'Customer' });
    const server = aside.getByRole('listitem').filter({ hasText: 'Survival' });
    await server.getByText('running').waitFor();
    await server.getByText('this ticket').waitFor();
    await waitForCount(aside.getByText(/^(Survival|World \d+)$/), 10);
    await aside.getByRole('button', { name: 'Show all 12 servers' }).click();
    await aside.getByRole('listitem').filter({ hasText: 'World 10' }).getByText('starting').waitFor();
    await waitForCount(aside.getByRole('button', { name: /^Show all/ }), 0);
    await server.getByRole('button', { name: 'Survival' }).click();
    await at.dialog().getByText('Memory').waitFor();
    await at.dialog().getByText('running').waitFor();
    await at.page.keyboard.press('Escape');
    await aside.getByText('Suspended', { exact: true }).waitFor();
    await aside.getByRole('listitem').filter({ hasText: 'Iron 8 GB' }).getByText('Payment is late').waitFor();
    const key = aside.getByRole('listitem').filter({ hasText: 'never used' });
    await key.getByText('read:catalog, read:account').waitFor();
    await aside.getByRole('link', { name: 'Older' }).click();
    await at.heading('Older').waitFor();
  });

  it('opens a long conversation at its newest message, and turns only addresses into links', async () => {
    const { _id: id } = await open('Long', { text: 'Message 1' });
    for (let number = 2; number <= 119; number += 1) await write(id, `Message ${number}`);
    await write(id, 'See https://example.com/log?a=1. <b>javascript:alert(1)</b>');
    await enterDesk();
    await at.link('Long').click();
    await messages().last().getByText('See').waitFor();
    const below = `document.querySelector('.messages').lastElementChild.getBoundingClientRect().bottom - innerHeight`;
    await eventually(async () => expect(await at.page.evaluate(below)).to.be.at.most(0));
    const link = messages().last().getByRole('link');
    expect(await link.getAttribute('href')).to.equal('https://example.com/log?a=1'); // Only this address becomes a link.
    await messages().last().getByText('<b>javascript:alert(1)</b>').waitFor();
    await at.button('Show earlier messages').click();
    await at.page.getByText('Message 21', { exact: true }).waitFor();
  });

  it('shows every message of a conversation that takes several responses', async () => {
    const { _id: id } = await open('Full', { text: 'Message 1' });
    // JSON writes two bytes for each of these characters, so one response holds 32 messages.
    for (let number = 2; number <= 60; number += 1) await write(id, `Message ${number} ${'"'.repeat(8000)}`);
    await enterDesk();
    await at.link('Full').click();
    await messages().filter({ hasText: 'Message 60 ' }).waitFor();
    await waitForCount(messages(), 50);
    await at.button('Show earlier messages').click();
    await messages()
      .filter({ hasText: /Message 1$/ })
      .waitFor();
    await waitForCount(messages(), 60);
  });

  it('goes through the tickets by j and k and writes by r, unless the keys belong to a field or are turned off', async () => {
    for (const subject of ['First', 'Second', 'Third']) await open(subject);
    await enterDesk();
    await at.link('Third').waitFor();
    const { keyboard } = at.page;
    for (const key of ['j', 'j', 'j', 'k']) await keyboard.press(key);
    await at.hasFocus(at.link('Second'));
    await keyboard.press('Enter');
    await at.hasFocus(at.heading('Second'));
    await keyboard.press('j');
    await at.hasFocus(at.heading('Third'));
    await keyboard.press('k');
    await at.hasFocus(at.heading('Second'));
    await keyboard.press('Control+j');
    await keyboard.press('r');
    await keyboard.type('just kidding?');
    await waitForValue(answerField(), 'just kidding?');
    await at.heading('Second').focus();
    await keyboard.press('?');
    await at.dialog().getByText('Next ticket').waitFor();
    await at.dialog().getByRole('checkbox', { name: 'Use these shortcuts' }).uncheck();
    await keyboard.press('Escape');
    await at.page.reload();
    await at.heading('Second').focus();
    await keyboard.press('j');
    await keyboard.press('?');
    await at.button('? for shortcuts').click(); // The dialog stays in reach.
    await at.dialog().getByRole('checkbox', { name: 'Use these shortcuts' }).check();
    await keyboard.press('Escape');
    await at.heading('Second').focus();
    await keyboard.press('k');
    await at.hasFocus(at.heading('First'));
  });

  it('polls rarely while its page is hidden, and at once when it is shown again', async () => {
    const { _id: id } = await open('Lag');
    await enterDesk();
    await at.link('Lag').click();
    await answerField().waitFor();
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
    await at.see('Still there?');
  });

  describe('used with colleagues', () => {
    let kim: UserRecord;
    let id: number;

    beforeEach(async () => {
      kim = await at.service.addUser({ isSupport: true, nickname: 'Kim' });
      id = (await open('Lag since noon'))._id;
    });

    async function enterTicket(width = 1280): Promise<void> {
      await enterDesk(width);
      await at.link('Lag since noon').click();
      await answerField().waitFor();
    }

    it('warns when a colleague answered first, and neither sends nor loses the second answer', async () => {
      at.expected = [consoleErrorOf(409, 'Conflict')];
      await enterTicket();
      // The page sends no more requests by itself from now on.
      await at.page.clock.install();
      await answerField().fill('We look into it.');
      await write(id, 'It is a plugin.', { staffId: kim._id });
      await at.button('Send answer').click();
      await at.page.locator('.notice.is-danger').getByText('There are new messages').waitFor();
      await at.entry('It is a plugin.').waitFor();
      await at.see('Kim has answered since you opened this ticket.');
      await waitForValue(answerField(), 'We look into it.');
      await at.button('Send answer').click();
      await at.entry('We look into it.').waitFor();
      await waitForCount(at.page.getByText('Kim has answered since'), 0);
    });

    it('resends an answer whose response was lost, and it is stored once', async () => {
      at.expected = ['Failed to load resource: net::ERR_FAILED'];
      await enterTicket();
      const lose = async (route: Route) => {
        await route.fetch();
        await route.abort();
      };
      await at.page.route('**/trpc/admin.answerTicket*', lose, { times: 1 });
      await answerField().fill('We look into it.');
      await at.button('Send answer').click();
      await at.entry('We look into it.').waitFor();
      await waitForCount(at.page.getByText('has answered since'), 0);
      await at.button('Send answer').click();
      await waitForValue(answerField(), '');
      await waitForCount(at.entry('We look into it.'), 1);
    });

    it('keeps a draft when a colleague closes the ticket, and sends it once the ticket is open again', async () => {
      await enterTicket();
      await answerField().fill('One more thing.');
      await write(id, 'Done.', { staffId: kim._id, close: true });
      await at.see('This ticket was closed while you were writing.');
      await waitForValue(answerField(), 'One more thing.');
      await at.button('Reopen ticket').click();
      await at.button('Send and close').waitFor();
      await answerField().press('Control+Enter');
      await at.entry('One more thing.').waitFor();
    });

    it('counts the same waiting tickets after an answer as in the navigation, with those that colleagues took', async () => {
      const { _id: taken } = await open('Crash at start');
      await at.service.models.tickets.assign({ ticketId: taken, from: null, to: kim._id });
      const counted = (count: number) =>
        at.page.locator(`[aria-description="${count} tickets waiting"]`).waitFor();
      await enterTicket();
      await counted(2);
      // The page asks for nothing by itself from now on.
      await at.page.clock.install();
      await answerField().fill('We look into it.');
      await at.button('Send answer').click();
      await at.see('Answer sent. Colleagues are working on the ticket still waiting.');
      await counted(1);
    });

    it('shows who works on a ticket, and lets staff take it, find it under Mine and release it', async () => {
      await enterTicket(360);
      await at.see('Not taken');
      await at.button('Take').click();
      await at.see('Taken by you');
      await at.link('All tickets').click();
      await at.button('Mine').click();
      await at.link('Lag since noon').click();
      await at.button('Release').click();
      await at.see('Not taken');
      await at.service.models.tickets.assign({ ticketId: id, from: null, to: kim._id });
      await at.see('Taken by Kim');
      await at.button('Take over').click();
      await at.see('Taken by you');
      await at.fitsWidth();
    });

    it('keeps notes that the customer does not see', async () => {
      await enterTicket(360);
      await at.button('Internal note').click();
      await at.page.getByLabel('Note for colleagues').fill('A known cheat.');
      await at.page.keyboard.press('Control+Enter');
      await at.entry('A known cheat.').getByText('Internal note').waitFor();
      await at.fitsWidth();
      const other = await at.browser.newVisitor(at.service.url);
      await signInWithoutForm(other, customer);
      const page = await other.openTab(`/account#tickets/${id}`);
      await page.getByText('It lags.').waitFor();
      expect(await page.content()).not.to.match(/cheat|Internal note/);
      await other.close();
    });

    it('saves an answer, inserts it at the cursor, and deletes it, even on a phone', async () => {
      const title = `Ask ${'x'.repeat(96)}`;
      await enterTicket(360);
      await answerField().fill('Please send the log.');
      await at.button('Saved answers').click();
      await at.field('Save what you have written as').fill(title);
      await at.page.keyboard.press('Enter');
      const saved = at.inDialog(/^Ask x/);
      await saved.waitFor();
      await at.page.keyboard.press('Escape');
      await answerField().fill('Hello! ');
      await at.button('Saved answers').click();
      await saved.click();
      await at.page.locator('textarea:focus').waitFor();
      await waitForValue(answerField(), 'Hello! Please send the log.');
      await at.page.reload();
      await waitForValue(answerField(), 'Hello! Please send the log.');
      await at.button('Saved answers').click();
      await at.button(`Delete ${title}`).click();
      await at.see('None yet.');
    });
  });
});
