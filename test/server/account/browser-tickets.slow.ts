/** Tickets on the account page in a real browser: a customer asks, an administrator answers, the customer reads it. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { enter, signIn, stageAccountPage } from '../../support/account-page.ts';

const openTicket = async (page: Page) => {
  await page.getByRole('link', { name: 'Tickets' }).click();
  await page.getByRole('button', { name: 'Open a ticket' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Subject').fill('Lag since noon');
  await dialog.getByLabel('Message').fill('Players time out.');
  await dialog.getByRole('button', { name: 'Open ticket' }).click();
  await page.getByRole('heading', { name: 'Lag since noon' }).waitFor();
};

describe('tickets on the account page', () => {
  const at = stageAccountPage();

  it('lead from a question to an answer by an administrator at the support desk, which no customer sees', async () => {
    const staff = await at.service.addUser({ isAdmin: true, nickname: 'Robin' });
    await enter(at);
    await openTicket(at.page);
    expect(await at.page.getByRole('link', { name: 'Support desk' }).count()).to.equal(0);

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
    await deskPage.getByLabel('Your answer').fill('We moved your server.');
    await deskPage.getByRole('button', { name: 'Send answer' }).click();
    await deskPage.getByText('Answer sent').waitFor();

    await at.page.getByRole('link', { name: 'All tickets' }).click();
    await at.page.getByText('Answered', { exact: true }).waitFor();
    await at.page.getByRole('link', { name: 'Lag since noon' }).click();
    const answer = at.page.getByRole('listitem').filter({ hasText: 'We moved your server.' });
    await answer.getByText('Robin').waitFor();
    expect(await at.page.content()).not.to.include(staff.email);
    await at.page.getByLabel('Your reply').fill('Thank you!');
    await at.page.getByRole('button', { name: 'Send reply' }).click();
    await at.page.getByRole('listitem').filter({ hasText: 'Thank you!' }).waitFor();
    await at.page.getByRole('button', { name: 'Close ticket' }).click();
    await at.page.getByRole('button', { name: 'Reopen ticket' }).waitFor();
    await desk.close();
  });
});
