/** npm run screenshots: servers, tickets and the support desk, for a person to look at. */
import type { Page } from 'playwright-core';
import { savedAnswersId } from '../../models/staff-texts.ts';
import type { UserRecord } from '../../models/user.ts';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import { openSection, signIn } from '../support/account-page.ts';
import { describeLooks, type Shoot } from '../support/camera.ts';
import type { TestService } from '../support/service.ts';

const hourMs = 60 * 60 * 1000;

const questions = [
  ['Lag since noon', 'Players time out every few minutes. Log: https://paste.example/abc123'],
  ['Cannot upload the world after the update of last night, the panel says 413', 'It is 3 GiB.'],
  ['Refund', 'I ordered twice.'],
] as const;

let customer: UserRecord;

describeLooks({
  name: 'desk',
  shows: 'the pages of servers and tickets, and the support desk,',
  async prepare({ addUser, panel }) {
    customer = await addUser({ email: 'dana@example.com', nickname: 'dana', panelUserId: 7 });
    panel.servers.set(7, [
      panelServer({ identifier: 'a1b2c3d4', name: 'Survival with friends' }),
      panelServer({ identifier: 'b1b2c3d4', name: 'Creative', suspended: true }),
      panelServer({ identifier: 'c1b2c3d4', name: 'Modded (Fabric)' }),
    ]);
    panel.runStates.set('c1b2c3d4', 'offline');
  },
  async visit({ service, open }) {
    await service.connection.collection('tickets').deleteMany({});
    await addTickets(service, customer);
    const staff = await service.addUser({ isSupport: true, nickname: 'Robin' });
    await workOn(service, customer, staff);
    const asCustomer = await open('/account#servers');
    await signIn(asCustomer.page, customer.email);
    await lookAsCustomer(asCustomer.page, asCustomer.shoot);
    const asStaff = await open('/account#support');
    await signIn(asStaff.page, staff.email);
    await lookAsStaff(asStaff.page, asStaff.shoot);
  },
});

async function addTickets({ models, clock }: TestService, { _id: userId }: UserRecord) {
  for (const [index, [subject, text]] of questions.entries())
    await models.tickets.open({
      ...{ userId, keyId: '', subject, text, now: new Date(clock.now() - (9 - 3 * index) * hourMs) },
      ...{ serviceName: 'Survival with friends', serviceReference: 'a1b2c3d4', serviceType: 'pterodactyl' },
    });
  const order = { providerId: 'sub', userId, status: 'active' };
  const at = new Date(clock.now() - 900 * hourMs);
  await models.transaction((session) => models.subscriptions.put(order, at, session));
}

/** One ticket is answered, one closed, and one taken with a note on it; some answers are saved. */
async function workOn(
  { models, clock }: TestService,
  { _id: userId }: UserRecord,
  { _id: staffId }: UserRecord,
) {
  const [refund, upload, lag] = await models.tickets.list(userId);
  const now = new Date(clock.now() - hourMs);
  const reply = { userId, staffId, keyId: '', now };
  await models.tickets.reply({ ...reply, ticketId: upload?._id ?? 0, text: 'Please try it again.' });
  await models.tickets.open({
    ...{ userId, keyId: '', subject: 'Which Java version?', text: '21?', now },
    ...{ serviceName: null, serviceReference: null, serviceType: null },
  });
  const [java] = await models.tickets.list(userId);
  await models.tickets.reply({ ...reply, ticketId: java?._id ?? 0, text: '21.', close: true });
  models.tickets.markRead({ ticketId: java?._id ?? 0, number: 2 });
  await models.tickets.assign({ ticketId: refund?._id ?? 0, from: null, to: staffId });
  const text = { userId: staffId, createdAt: now };
  const note = {
    ...text,
    id: 'note',
    title: '',
    text: 'The second order came five minutes after the first.',
  };
  await models.staffTexts.add({ id: refund?._id ?? 0, userId }, note);
  const saved = {
    ...text,
    id: `saved-${lag?._id}`,
    title: 'Refund',
    text: 'We have refunded it. It takes five days.',
  };
  await models.staffTexts.add({ id: savedAnswersId, userId: null }, saved);
  await models.staffTexts.add(
    { id: savedAnswersId, userId: null },
    { ...saved, id: 'log', title: 'Ask for the log', text: 'Please send the file logs/latest.log.' },
  );
}

async function lookAsCustomer(page: Page, shoot: Shoot) {
  await page.getByText('running').waitFor();
  await page.getByRole('heading', { name: 'Modded (Fabric)' }).scrollIntoViewIfNeeded();
  await page.getByText('offline').waitFor();
  await page.evaluate('scrollTo(0, 0)');
  await shoot('01-servers', { isWhole: true });
  await page.getByRole('button', { name: 'Restart Survival with friends' }).click();
  await page.getByRole('dialog').waitFor();
  await shoot('02-restart');
  await page.keyboard.press('Escape');
  await openSection(page, 'Tickets');
  await page.getByText('Refund').waitFor();
  await shoot('03-tickets', { isWhole: true });
  await page.getByRole('button', { name: 'Open a ticket' }).click();
  await page.getByRole('button', { name: 'Open ticket', exact: true }).click();
  await page.getByText('Give the ticket a subject.').waitFor();
  await shoot('04-open-incomplete');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Lag since noon' }).click();
  await page.getByLabel('Your reply').waitFor();
  await shoot('05-conversation', { isWhole: true });
}

async function lookAsStaff(page: Page, shoot: Shoot) {
  await page.getByText('Refund').waitFor();
  await shoot('06-queue', { isWhole: true });
  await page.getByRole('button', { name: 'All' }).click();
  await page.getByText('Answered').first().waitFor();
  await shoot('07-all', { isWhole: true });
  await page.getByRole('searchbox').fill('dana@');
  await page.getByRole('searchbox').press('Enter');
  await page.getByRole('link', { name: 'Refund' }).click();
  await page.getByText('active', { exact: true }).waitFor();
  await page.getByText('running').waitFor();
  await shoot('08-ticket', { isWhole: true });
  await page.getByRole('button', { name: 'Survival with friends' }).click();
  await page.getByText('Measured').or(page.getByText('Started')).waitFor();
  await shoot('09-server');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Internal note' }).click();
  await page.getByLabel('Note for colleagues').fill('Refund approved.');
  await shoot('10-note', { isWhole: true });
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByLabel('Your answer').fill('The second order is refunded.');
  await page.getByRole('button', { name: 'Saved answers' }).click();
  await page.getByRole('button', { name: /^Ask for the log/ }).waitFor();
  await shoot('11-saved-answers');
  await page.keyboard.press('Escape');
  await page.getByLabel('Your answer').focus();
  await page.keyboard.press('Control+Enter');
  await page.getByText('Next:').waitFor();
  await shoot('12-next', { isWhole: true });
}
