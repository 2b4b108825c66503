/** A customer's tickets on the account page in a real browser: opened, answered, read and found, without losing typed text. */
import { expect } from 'chai';
import {
  type AccountPageFixture,
  consoleErrorOf,
  createPageQueries,
  openKeyList,
  signIn,
  signInWithoutForm,
  useAccountPage,
  waitForCount,
  waitForValue,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { createKeyboard } from '../../support/keyboard.ts';
import { panelServer } from '../../support/panel/attributes.ts';

async function openTicket(at: AccountPageFixture, server = '') {
  await at.link('Tickets').click();
  await at.button('Open a ticket').click();
  await at.field('Subject').fill('Lag since noon');
  if (server) await at.field('Server (optional)').selectOption(server);
  await at.field('Message').fill('Players time out.');
  await at.inDialog('Open ticket').click();
  await at.heading('Lag since noon').waitFor();
}

describe('tickets on the account page', () => {
  const at = useAccountPage();

  it("lead from a question to an administrator's answer at the support desk, which customers cannot see", async () => {
    const staff = await at.service.addUser({ isAdmin: true, nickname: 'Robin' });
    await openKeyList(at);
    await openTicket(at);
    await waitForCount(at.link('Support desk'), 0);

    const visitor = await at.browser.newVisitor(at.service.url);
    await signInWithoutForm(visitor, staff);
    const page = await visitor.openTab('/account');
    const desk = createPageQueries({ page });
    await desk.link('Support desk').click();
    await desk
      .entry(at.user.email)
      .getByText(/^asked /)
      .waitFor();
    await desk.link('Lag since noon').first().click();
    await at.link('All tickets').click();
    await at.entry('Lag since noon').getByText('With support').waitFor();
    await page.getByLabel('Your answer').fill('We moved your server.');
    await desk.button('Send answer').click();
    await desk.see('Answer sent');

    await at.page.reload();
    await at.page.locator('[aria-description="1 with answers to read"]').waitFor();
    await at.entry('Lag since noon').getByText('New answer').waitFor();
    await at.link('Lag since noon').click();
    await at.entry('We moved your server.').getByText('Robin').waitFor();
    expect(await at.page.content()).not.to.include(staff.email);
    await at.page.getByText('Answered', { exact: true }).waitFor();
    await at.page.getByLabel('Your reply').fill('Thank you!');
    await at.button('Send reply').click();
    await at.entry('Thank you!').waitFor();
    await desk.see('Thank you!'); // without a reload
    await at.link('All tickets').click();
    await at.page.locator('[aria-description="1 with answers to read"]').waitFor({ state: 'detached' });
    await visitor.close();
  });

  it('are about the server that the customer chooses, or about none', async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    const survival = panelServer({ identifier: 'a1b2c3d4', name: 'Survival' });
    at.service.panel.servers.set(7, [survival, panelServer({ identifier: 'b1b2c3d4', name: 'Creative' })]);
    await openKeyList(at);
    await openTicket(at, 'Survival (a1b2c3d4)');
    await at.see('about Survival');
    await openTicket(at);
    const [second, first] = await at.service.models.tickets.search({ userId: at.user._id, limit: 2 });
    expect(first).to.include({ serviceName: 'Survival', serviceReference: 'a1b2c3d4' });
    expect(second).to.include({ serviceName: null, serviceReference: null });
  });

  it('show number, server and time, even on a phone, and are found by number and words', async () => {
    const about = { serviceName: 'Survival with friends' };
    const { _id: number } = await at.openTicket('Refund', { about });
    for (const subject of ['Cannot upload the world after the update of last night', 'مرحبا، الخادم بطيء'])
      await at.openTicket(subject, { about });
    await openKeyList(at);
    await at.link('Tickets').click();
    await at.entry('Refund').waitFor();
    for (const width of [360, 1280]) {
      await at.page.setViewportSize({ width, height: 760 });
      for (const part of ['number', 'about', 'time'])
        expect(await at.page.locator(`.ticket-${part}`).first().isVisible(), part).to.equal(true);
      await at.fitsWidth();
    }
    for (const [text, found] of [
      ['WORLD upload', 'Cannot upload'],
      [`#${number}`, 'Refund'],
    ] as const) {
      await at.searchFor(text);
      await at.entry(found).waitFor();
      await at.page.locator('.ticket:only-child').waitFor();
    }
    await at.searchFor('nothing like it');
    await at.see('No ticket matches');
  });

  it('read as a conversation: the own side at the right, support at the left, and a head for each group', async () => {
    const staff = await at.service.addUser({ isSupport: true, nickname: 'Robin' });
    const { _id: ticketId } = await at.openTicket('Lag since noon');
    const written = { ticketId, userId: at.user._id, keyId: '', now: new Date(at.service.clock.now()) };
    for (const [text, staffId] of [['It got worse.'], ['We moved it.', staff._id]] as const)
      await at.service.models.tickets.reply({ ...written, text, ...(staffId && { staffId }) });
    await at.arrive(`/account#tickets/${ticketId}`);
    const boxOf = (text: string) => at.page.getByText(text, { exact: true }).boundingBox();
    const group = at.entry('We moved it.');
    await group.getByText('Robin').waitFor();
    await group.getByText('Support').waitFor();
    for (const width of [360, 1280]) {
      await at.page.setViewportSize({ width, height: 760 });
      const [own, other] = [await boxOf('It got worse.'), await boxOf('We moved it.')];
      expect(own?.x).to.be.above(other?.x ?? Number.NaN);
      await at.fitsWidth();
    }
    await waitForCount(at.page.getByText('You', { exact: true }).and(at.page.locator('.message-head *')), 1);
    const [first] = await at.entries('Messages').all();
    await first?.getByText(/^\d+ \w+ \d{4}$|^Today$/).waitFor();
  });

  it('are announced as empty when there are none', async () => {
    await at.arrive('/account#tickets');
    await at.heading('No tickets yet').waitFor();
    await waitForCount(at.page.getByRole('listitem'), 0);
    await waitForCount(at.page.getByRole('searchbox'), 0);
  });

  it('show which keys send a reply, except on a touch screen', async () => {
    const { _id: id } = await at.openTicket('Lag since noon');
    await at.arrive(`/account#tickets/${id}`);
    await at.see('Ctrl+Enter sends it.');
    const phone = await at.browser.newVisitor(at.service.url, { hasTouch: true, isMobile: true });
    await signInWithoutForm(phone, at.user);
    const page = await phone.openTab(`/account#tickets/${id}`);
    await page.getByLabel('Your reply').waitFor();
    const hint = page.getByText('Ctrl+Enter sends it.');
    await eventually(async () => expect(await hint.isVisible()).to.equal(false));
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.getByText('Write a message.').waitFor();
    await phone.close();
  });

  describe('by keyboard alone', () => {
    const { hasFocus, press, write } = createKeyboard(at);
    const reply = () => at.page.getByLabel('Your reply');

    it('are opened, answered, closed and left, with the focus where the next action begins', async () => {
      await at.openTicket('An older one');
      await openKeyList(at);
      await press(at.link('Tickets'));
      await press(at.button('Open a ticket'));
      await hasFocus(at.field('Subject'));
      await at.page.keyboard.type('Lag since noon');
      await write(at.field('Message'), 'Players time out.');
      await press(at.button('Open ticket'));
      await hasFocus(at.heading('Lag since noon'));
      await write(reply(), 'On both worlds.');
      await press(at.button('Send reply'));
      await at.entry('On both worlds.').waitFor();
      await hasFocus(reply());
      await waitForValue(reply(), '');
      await press(at.button('Close ticket'));
      await hasFocus(at.button('Reopen ticket'));
      await at.page.getByRole('status').getByText('Ticket closed').waitFor();
      await at.page.keyboard.press('Enter');
      await hasFocus(at.button('Close ticket'));
      await press(at.link('All tickets'));
      await hasFocus(at.link('Lag since noon'));
      await press(at.link('An older one'));
      await hasFocus(at.heading('An older one'));
    });

    it('continue at the earliest added message, and at the first added ticket', async () => {
      const { _id: ticketId } = await at.openTicket('A long one', { text: 'Message 1' });
      const written = { ticketId, userId: at.user._id, keyId: '', now: new Date() };
      for (let number = 2; number <= 60; number += 1)
        await at.service.models.tickets.reply({ ...written, text: `Message ${number}` });
      for (let count = 0; count < 50; count += 1) await at.openTicket(`Ticket ${count}`);
      await openKeyList(at);
      await press(at.link('Tickets'));
      await press(at.button('Show older tickets'));
      await hasFocus(at.entry('A long one'));
      await press(at.link('A long one'));
      await hasFocus(at.heading('A long one'));
      await press(at.button('Show earlier messages'));
      await hasFocus(at.entry(/Message 1$/));
    });
  });

  describe('keep typed text', () => {
    const kept = (count: number) =>
      eventually(async () => expect(await at.page.evaluate('sessionStorage.length')).to.equal(count));
    const write = async () => {
      await at.button('Open a ticket').click();
      await at.field('Subject').fill('Lag since noon');
      await at.field('Message').fill('It lags.');
    };

    it('after Escape, Back and a reload', async () => {
      await at.arrive('/account#tickets');
      await write();
      await at.page.keyboard.press('Escape');
      await at.dialog().waitFor({ state: 'detached' });
      await at.button('Open a ticket').click();
      await waitForValue(at.field('Message'), 'It lags.');
      await at.page.goBack();
      await at.page.goForward();
      await at.page.reload();
      await at.button('Open a ticket').click();
      await waitForValue(at.field('Subject'), 'Lag since noon');
      await waitForValue(at.field('Message'), 'It lags.');
    });

    it('until it is sent or canceled, or its user signs out', async () => {
      await at.arrive('/account#tickets');
      await write();
      await at.inDialog('Cancel').click();
      await kept(0);
      await at.button('Open a ticket').click();
      await waitForValue(at.field('Message'), '');
      await at.field('Subject').fill('Lag');
      await at.field('Message').fill('It lags.');
      await at.inDialog('Open ticket').click();
      await at.heading('Lag').waitFor();
      await kept(0);
      await at.page.getByLabel('Your reply').fill('It still lags.');
      await kept(1);
      await at.button('Your account').click();
      await at.button('Sign out').click();
      await at.page.getByLabel('E-mail').waitFor();
      await kept(0);
    });

    it('for its user alone after a session has ended', async () => {
      at.expected = [consoleErrorOf(401, 'Unauthorized')];
      await at.arrive('/account#tickets');
      await write();
      const { sessions, transaction } = at.service.models;
      await transaction((session) => sessions.endOthers(at.user._id, 'none', session));
      await at.inDialog('Open ticket').click();
      await at.see('Your session has ended.');
      const { email } = await at.service.addUser();
      await signIn(at.page, email);
      await at.button('Open a ticket').click();
      await waitForValue(at.field('Message'), '');
      await at.visitor.context.clearCookies();
      await at.page.reload();
      await signIn(at.page, at.user.email);
      await at.button('Open a ticket').click();
      await waitForValue(at.field('Message'), 'It lags.');
    });
  });
});
