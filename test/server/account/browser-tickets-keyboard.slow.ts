/** Tickets on the account page by keyboard alone: after each act the focus is where the next one begins. */
import { expect } from 'chai';
import { enter, stageAccountPage } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { createKeyboard } from '../../support/keyboard.ts';

describe('tickets on the account page by keyboard alone', () => {
  const at = stageAccountPage();
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });
  const link = (name: string) => at.page.getByRole('link', { name, exact: true });
  const heading = (name: string) => at.page.getByRole('heading', { name, exact: true });
  const field = (name: string) => at.page.getByLabel(name);

  const { hasFocus, press, write } = createKeyboard(at);

  const open = (subject: string, text = 'Players time out.') =>
    at.service.models.tickets.open({
      ...{ userId: at.user._id, keyId: '', subject, text, now: new Date() },
      ...{ serviceName: null, serviceReference: null, serviceType: null },
    });

  it('opens a ticket, replies, closes it and returns to it in the list', async () => {
    await open('An older one');
    await enter(at);
    await press(link('Tickets'));
    await press(button('Open a ticket'));
    await hasFocus(field('Subject'));
    await at.page.keyboard.type('Lag since noon');
    await write(field('Message'), 'Players time out.');
    await press(button('Open ticket'));
    await hasFocus(heading('Lag since noon'));

    await write(field('Your reply'), 'On both worlds.');
    await press(button('Send reply'));
    await at.page.getByRole('listitem').filter({ hasText: 'On both worlds.' }).waitFor();
    await hasFocus(field('Your reply'));
    await eventually(async () => expect(await field('Your reply').inputValue()).to.equal(''));

    await press(button('Close ticket'));
    await hasFocus(button('Reopen ticket'));
    await at.page.getByRole('status').getByText('Ticket closed').waitFor();
    await at.page.keyboard.press('Enter');
    await hasFocus(button('Close ticket'));

    await press(link('All tickets'));
    await hasFocus(link('Lag since noon'));
    await press(link('An older one'));
    await hasFocus(heading('An older one'));
  });

  it('goes on at the earliest message, and the first ticket, that was added to a list', async () => {
    const { _id: ticketId } = await open('A long one', 'Message 1');
    const reply = { ticketId, userId: at.user._id, keyId: '', now: new Date() };
    for (let number = 2; number <= 60; number += 1)
      await at.service.models.tickets.reply({ ...reply, text: `Message ${number}` });
    for (let count = 0; count < 50; count += 1) await open(`Ticket ${count}`);
    await enter(at);
    await press(link('Tickets'));
    await press(button('Show older tickets'));
    await hasFocus(at.page.getByRole('listitem').filter({ hasText: 'A long one' }));
    await press(link('A long one'));
    await hasFocus(heading('A long one'));
    await press(button('Show earlier messages'));
    await hasFocus(at.page.getByRole('listitem').filter({ hasText: /Message 1$/ }));
  });

  it("answers and closes a customer's ticket at the support desk, and is told so", async () => {
    const customer = at.user;
    await open('Lag since noon');
    at.user = await at.service.addUser({ isAdmin: true, nickname: 'Robin' });
    await enter(at);
    await press(link('Support desk'));
    const item = at.page.getByRole('listitem').filter({ hasText: customer.email });
    await press(item.getByRole('link', { name: 'Lag since noon' }));
    await hasFocus(heading('Lag since noon'));
    await write(field('Your answer'), 'We moved your server.');
    await press(field('Close the ticket with this answer'), 'Space');
    await press(button('Send answer'));
    await at.page.getByRole('status').getByText('Answer sent').waitFor();
    await button('Reopen ticket').waitFor();
    // Which ticket is next depends on those that the tests above left open.
    await hasFocus(at.page.getByRole('status').getByRole('link'));
  });
});
