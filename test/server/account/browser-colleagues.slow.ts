/** Several colleagues at the support desk in a browser: who works on a ticket, answers that cross, notes, saved answers. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import {
  dialogOf,
  enter,
  openSection,
  refusal,
  signIn,
  stageAccountPage,
  widthBeyond,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

describe('colleagues at the support desk', () => {
  const at = stageAccountPage();
  let customer: UserRecord;
  let kim: UserRecord;
  let id: number;
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });
  const answerField = () => at.page.getByLabel('Your answer');
  const message = (text: string) => at.page.getByRole('listitem').filter({ hasText: text });

  beforeEach(async () => {
    await at.service.connection.collection('tickets').deleteMany({});
    await at.service.connection.collection('staff_texts').deleteMany({});
    customer = await at.service.addUser({ nickname: 'dana' });
    kim = await at.service.addUser({ isSupport: true, nickname: 'Kim' });
    at.user = await at.service.addUser({ isSupport: true, nickname: 'Robin' });
    const opened = { userId: customer._id, keyId: '', subject: 'Lag since noon', text: 'It lags.' };
    const service = { serviceName: null, serviceReference: null, serviceType: null };
    const ticket = await at.service.models.tickets.open({ ...opened, ...service, now: new Date() });
    id = ticket._id;
  });

  async function enterTicket(width: number): Promise<void> {
    await at.page.setViewportSize({ width, height: 760 });
    await enter(at);
    await openSection(at.page, 'Support desk');
    await at.page.getByRole('link', { name: 'Lag since noon' }).click();
    await answerField().waitFor();
  }

  const answerAsKim = (text: string, close = false) =>
    at.service.models.tickets.reply({
      ...{ ticketId: id, userId: customer._id, staffId: kim._id, keyId: '', text, close, now: new Date() },
    });

  it('are warned of an answer that came before theirs, which is neither sent nor lost', async () => {
    at.expected = [refusal(409, 'Conflict')];
    await enterTicket(1280);
    // Nothing is asked of the service by itself from now on.
    await at.page.clock.install();
    await answerField().fill('We look into it.');
    await answerAsKim('It is a plugin.');
    await button('Send answer').click();
    await at.page.locator('.notice.is-danger').getByText('There are new messages').waitFor();
    await message('It is a plugin.').waitFor();
    await at.page.getByText('Kim has answered since you opened this ticket.').waitFor();
    await eventually(async () => expect(await answerField().inputValue()).to.equal('We look into it.'));
    await button('Send answer').click();
    await message('We look into it.').waitFor();
    await eventually(async () =>
      expect(await at.page.getByText('Kim has answered since').count()).to.equal(0),
    );
  });

  it('send the same again where the response was lost, so that it is stored once', async () => {
    at.expected = ['Failed to load resource: net::ERR_FAILED'];
    await enterTicket(1280);
    let count = 0;
    await at.page.route('**/trpc/admin.answerTicket*', async (route) => {
      count += 1;
      if (count > 1) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await answerField().fill('We look into it.');
    await button('Send answer').click();
    await message('We look into it.').waitFor();
    await eventually(async () => expect(await at.page.getByText('has answered since').count()).to.equal(0));
    await button('Send answer').click();
    await eventually(async () => expect(await answerField().inputValue()).to.equal(''));
    await eventually(async () => expect(await message('We look into it.').count()).to.equal(1));
  });

  it('keep what they write when another closes the ticket, and send it when it is open again', async () => {
    await enterTicket(1280);
    await answerField().fill('One more thing.');
    await answerAsKim('Done.', true);
    await at.page.getByText('This ticket was closed while you were writing.').waitFor();
    await eventually(async () => expect(await answerField().inputValue()).to.equal('One more thing.'));
    await button('Reopen ticket').click();
    await button('Close ticket').waitFor();
    await button('Send answer').click();
    await message('One more thing.').waitFor();
  });

  it('see who works on a ticket, take it, find it under Mine and release it', async () => {
    await enterTicket(360);
    await at.page.getByText('Nobody works on this ticket').waitFor();
    await button('Take').click();
    await at.page.getByText('You work on this ticket').waitFor();
    await at.page.getByRole('link', { name: 'All tickets' }).click();
    await button('Mine').click();
    await at.page.getByRole('link', { name: 'Lag since noon' }).click();
    await button('Release').click();
    await at.page.getByText('Nobody works on this ticket').waitFor();
    await at.service.models.tickets.assign({ ticketId: id, from: null, to: kim._id });
    await at.page.getByText('Kim works on this ticket').waitFor();
    await button('Take over').click();
    await at.page.getByText('You work on this ticket').waitFor();
    await eventually(async () => expect(await widthBeyond(at.page)).to.equal(0));
  });

  it('leave each other notes that the customer does not see', async () => {
    await enterTicket(360);
    await button('Internal note').click();
    await at.page.getByLabel('Note for colleagues').fill('A known cheat.');
    await at.page.keyboard.press('Control+Enter');
    await message('A known cheat.').getByText('Internal note').waitFor();
    await eventually(async () => expect(await widthBeyond(at.page)).to.equal(0));
    const other = await at.browser.newVisitor(at.service.url);
    const customerPage = await other.openTab('/account#tickets');
    await signIn(customerPage, customer.email);
    await customerPage.getByRole('link', { name: 'Lag since noon' }).click();
    await customerPage.getByText('It lags.').waitFor();
    expect(await customerPage.content()).not.to.match(/cheat|Internal note/);
    await other.close();
  });

  it('save an answer, begin with it where the cursor is, and delete it', async () => {
    await enterTicket(1280);
    await answerField().fill('Please send the log.');
    await button('Saved answers').click();
    await dialogOf(at.page).getByLabel('Save what you have written as').fill('Ask for the log');
    await at.page.keyboard.press('Enter');
    const saved = dialogOf(at.page).getByRole('button', { name: /^Ask for the log/ });
    await saved.waitFor();
    await at.page.keyboard.press('Escape');
    await answerField().fill('Hello! ');
    await button('Saved answers').click();
    await saved.click();
    await at.page.locator('textarea:focus').waitFor();
    await eventually(async () =>
      expect(await answerField().inputValue()).to.equal('Hello! Please send the log.'),
    );
    await at.page.reload();
    await eventually(async () =>
      expect(await answerField().inputValue()).to.equal('Hello! Please send the log.'),
    );
    await button('Saved answers').click();
    await button('Delete Ask for the log').click();
    await dialogOf(at.page).getByText('None yet.').waitFor();
  });

  it('delete an answer whose title is one long word, on a phone too', async () => {
    const word = 'x'.repeat(100);
    await enterTicket(360);
    await answerField().fill('Please send the log.');
    await button('Saved answers').click();
    await dialogOf(at.page).getByLabel('Save what you have written as').fill(word);
    await at.page.keyboard.press('Enter');
    const title = await dialogOf(at.page).getByText(word).boundingBox();
    const remove = await button(`Delete ${word}`).boundingBox();
    expect((title?.x ?? 0) + (title?.width ?? 0), 'the end of the title').to.be.at.most(remove?.x ?? 0);
  });
});
