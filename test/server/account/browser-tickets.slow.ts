/** Tickets on the account page in a real browser: a customer asks, an administrator answers, the customer reads it. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { panelServer } from '../../../server/panel/demo/attributes.ts';
import { enter, signIn, stageAccountPage, widthBeyond } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

const openTicket = async (page: Page, server = '') => {
  await page.getByRole('link', { name: 'Tickets', exact: true }).click();
  await page.getByRole('button', { name: 'Open a ticket' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Subject').fill('Lag since noon');
  if (server) await dialog.getByLabel('Server').selectOption(server);
  await dialog.getByLabel('Message').fill('Players time out.');
  await dialog.getByRole('button', { name: 'Open ticket' }).click();
  await page.getByRole('heading', { name: 'Lag since noon' }).waitFor();
};

describe('tickets on the account page', () => {
  const at = stageAccountPage();
  const row = (subject: string) => at.page.getByRole('listitem').filter({ hasText: subject });

  it('lead from a question to an answer by an administrator at the support desk, which no customer sees', async () => {
    const staff = await at.service.addUser({ isAdmin: true, nickname: 'Robin' });
    await enter(at);
    await openTicket(at.page);
    await eventually(async () =>
      expect(await at.page.getByRole('link', { name: 'Support desk' }).count()).to.equal(0),
    );

    const desk = await at.browser.newVisitor(at.service.url);
    const deskPage = await desk.openTab('/account');
    await signIn(deskPage, staff.email);
    await deskPage.getByRole('link', { name: 'Support desk' }).click();
    await deskPage
      .getByRole('listitem')
      .filter({ hasText: at.user.email })
      .getByText(/^asked /)
      .waitFor();
    await deskPage.getByRole('link', { name: 'Lag since noon' }).first().click();
    await at.page.getByRole('link', { name: 'All tickets' }).click();
    await row('Lag since noon').getByText('With support').waitFor();
    await deskPage.getByLabel('Your answer').fill('We moved your server.');
    await deskPage.getByRole('button', { name: 'Send answer' }).click();
    await deskPage.getByText('Answer sent').waitFor();

    await at.page.reload();
    await row('Lag since noon').getByText('New answer').waitFor();
    await at.page.getByRole('link', { name: 'Lag since noon' }).click();
    const answer = at.page.getByRole('listitem').filter({ hasText: 'We moved your server.' });
    await answer.getByText('Robin').waitFor();
    expect(await at.page.content()).not.to.include(staff.email);
    await at.page.getByText('Answered', { exact: true }).waitFor();
    await at.page.getByLabel('Your reply').fill('Thank you!');
    await at.page.getByRole('button', { name: 'Send reply' }).click();
    await at.page.getByRole('listitem').filter({ hasText: 'Thank you!' }).waitFor();
    await at.page.getByRole('button', { name: 'Close ticket' }).click();
    await at.page.getByRole('button', { name: 'Reopen ticket' }).waitFor();
    await at.page.getByRole('link', { name: 'All tickets' }).click();
    await row('Lag since noon').getByText('Closed').waitFor();
    await desk.close();
  });

  it('are about the server that their customer has chosen, or about none', async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    const survival = panelServer({ identifier: 'a1b2c3d4', name: 'Survival' });
    at.service.panel.servers.set(7, [survival, panelServer({ identifier: 'b1b2c3d4', name: 'Creative' })]);
    await enter(at);
    await openTicket(at.page, 'Survival (a1b2c3d4)');
    await at.page.getByText('about Survival').waitFor();
    await openTicket(at.page);
    const [second, first] = await at.service.models.tickets.search({ userId: at.user._id, limit: 2 });
    expect(first).to.include({ serviceName: 'Survival', serviceReference: 'a1b2c3d4' });
    expect(second).to.include({ serviceName: null, serviceReference: null });
  });

  it('take a line each at 1280 pixels and three on a phone, with number, server and time, and are found by number and words', async () => {
    const subjects = [
      'Refund',
      'Cannot upload the world after the update of last night',
      'مرحبا، الخادم بطيء',
    ];
    for (const subject of subjects)
      await at.service.models.tickets.open({
        ...{ userId: at.user._id, keyId: '', subject, text: 'Help.', now: new Date() },
        ...{ serviceName: 'Survival with friends', serviceReference: null, serviceType: null },
      });
    await enter(at);
    await at.page.getByRole('link', { name: 'Tickets' }).click();
    await row('Refund').waitFor();
    for (const width of [360, 1280]) {
      await at.page.setViewportSize({ width, height: 760 });
      const heights = await at.page.evaluate(
        `[...document.querySelectorAll('.ticket')].map((item) => Math.round(item.getBoundingClientRect().height))`,
      );
      expect(new Set(heights as number[]).size, 'heights').to.equal(1);
      for (const part of ['number', 'about', 'time'])
        expect(await at.page.locator(`.ticket-${part}`).first().isVisible(), part).to.equal(true);
      await eventually(async () => expect(await widthBeyond(at.page)).to.equal(0));
    }
    const number = (await at.service.models.tickets.list(at.user._id)).at(-1)?._id;
    const search = at.page.getByRole('searchbox');
    for (const [text, found] of [
      ['WORLD upload', 'Cannot upload'],
      [`#${number}`, 'Refund'],
    ] as const) {
      await search.fill(text);
      await search.press('Enter');
      await row(found).waitFor();
      await at.page.locator('.ticket:only-child').waitFor();
    }
    await search.fill('nothing like it');
    await search.press('Enter');
    await at.page.getByText('No ticket matches').waitFor();
  });

  it('are told to be none where there are none, and nothing else', async () => {
    await enter(at);
    await at.page.getByRole('link', { name: 'Tickets' }).click();
    await at.page.getByText('No tickets yet').waitFor();
    await eventually(async () =>
      expect(await at.page.getByRole('main').textContent()).to.equal(
        'TicketsAsk support and read the replies.Open a ticketNo tickets yetOpen one, and the answer appears here. Programs can do it, too',
      ),
    );
  });

  it('tell the keys that send a reply, except on a touch screen', async () => {
    await enter(at);
    await openTicket(at.page);
    await at.page.getByText('Ctrl+Enter sends it.').waitFor();
    const phone = await at.browser.newVisitor(at.service.url, { hasTouch: true, isMobile: true });
    const page = await phone.openTab('/account#tickets');
    await signIn(page, at.user.email);
    await page.getByRole('link', { name: 'Lag since noon' }).click();
    await page.getByLabel('Your reply').waitFor();
    await eventually(async () =>
      expect(await page.getByText('Ctrl+Enter sends it.').isVisible()).to.equal(false),
    );
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.getByText('Write a message.').waitFor();
    await phone.close();
  });
});
