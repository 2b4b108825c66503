/** npm run screenshots: subscriptions, announcements, a key by link and the pages of administrators, for a person to look at. */
import type { Page } from 'playwright-core';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import { openSection, signIn } from '../support/account-page.ts';
import { describeLooks, type Shoot } from '../support/camera.ts';
import { sampleGame } from '../support/samples.ts';
import type { TestService } from '../support/service.ts';

const hourMs = 60 * 60 * 1000;

describeLooks({
  name: 'admin',
  shows: 'subscriptions, announcements, a key by link and the pages of administrators',
  async prepare(service) {
    await addCustomers(service);
    await addContent(service);
  },
  async visit({ service, open }) {
    const customer = await open('/account#subscriptions');
    await signIn(customer.page, 'dana@example.com');
    await lookAsCustomer(customer.page, customer.shoot);
    const { email } = await service.addUser({ isAdmin: true, nickname: 'Robin' });
    const admin = await open('/account#admin/users');
    await signIn(admin.page, email);
    await lookAtUsers(admin.page, admin.shoot);
    await lookAtCatalog(admin.page, admin.shoot);
    await lookAtAnnouncements(admin.page, admin.shoot);
    await show(admin.page, 'webhooks');
    await admin.page.getByText('No webhooks').waitFor();
    await admin.shoot('14-host-webhooks', { isWhole: true });
  },
});

async function addCustomers({ addUser, models, panel, clock }: TestService) {
  const dana = await addUser({
    ...{ email: 'dana@example.com', firstName: 'Dana', lastName: 'Miller', panelUserId: 7 },
    externalId: 'customer-1042',
  });
  panel.servers.set(7, [
    panelServer({ identifier: 'a1b2c3d4', name: 'Survival with friends' }),
    panelServer({ identifier: 'b1b2c3d4', name: 'Creative', suspended: true }),
  ]);
  for (const name of ['ada', 'grace', 'a.customer.with.a.long.address.for.phones'])
    await addUser({
      email: `${name}@example.com`,
      nickname: name.slice(0, 12),
      panelUserId: 70 + name.length,
    });
  const { _id } = await addUser({ email: 'late@example.com' });
  await models.userAccess.setActive(_id, false, new Date(clock.now()));
  for (const [index, status] of ['active', 'past_due', 'canceled'].entries())
    await models.transaction((session) =>
      models.subscriptions.put(
        { providerId: `sub-${index}`, userId: dana._id, status },
        new Date(clock.now() - (index + 1) * 900 * hourMs),
        session,
      ),
    );
}

async function addContent({ models, clock }: TestService) {
  await models.games.put({
    ...sampleGame,
    _id: 'minecraft',
    title: 'Minecraft',
    shortDesc: 'Java and Bedrock.',
  });
  await models.games.put({ ...sampleGame, _id: 'rust', title: 'Rust', plans: [], isActive: false });
  const message = 'We move the machines in Frankfurt to a new kernel.\n\nDetails: https://status.example/42.';
  const text = { summary: 'Servers in Frankfurt restart at 04:00 UTC.', message, showInRibbon: false };
  const add = (title: string, hoursAgo: number, status: 'draft' | 'published') =>
    models.announcements.add(
      { ...text, title, tag: 'maintenance', status },
      new Date(clock.now() - hoursAgo * hourMs),
    );
  await add('Maintenance on Tuesday', 240, 'published');
  await add('New games: Rust and Factorio, with lower prices until the end of the month', 2, 'published');
  const { _id } = await add('Lower prices', 1, 'draft');
  const publishAt = new Date(clock.now() + 240 * hourMs);
  await models.announcements.change(_id, { publishAt }, { now: new Date(clock.now()) });
  await add('Holidays', 1, 'draft');
}

const show = (page: Page, name: string) => page.evaluate(`location.hash = '#admin/${name}'`);

async function lookAsCustomer(page: Page, shoot: Shoot) {
  await page.getByText('Payment is late').waitFor();
  await shoot('01-subscriptions', { isWhole: true });
  await openSection(page, 'News');
  await page.getByText('Maintenance on Tuesday').click();
  await page.getByRole('link', { name: 'https://status.example/42' }).waitFor();
  await shoot('02-announcements', { isWhole: true });
  const query = new URLSearchParams({
    ...{ name: 'Status bot', scopes: 'read:account,write:servers,root', servers: 'b1b2c3d4,ffffffff' },
    expires_in_days: '45',
  });
  await page.goto(`/account/keys/new?${query}`);
  await page.getByText('servers that you do not have').waitFor();
  await shoot('03-key-by-link');
  await page.getByRole('dialog').getByText('Creative').scrollIntoViewIfNeeded();
  await shoot('04-key-by-link-servers');
  await page.keyboard.press('Escape');
}

async function lookAtUsers(page: Page, shoot: Shoot) {
  await page.getByText('dana@example.com').waitFor();
  await shoot('05-users', { isWhole: true });
  await page.getByRole('link', { name: 'dana@example.com' }).click();
  await page.getByText('Survival with friends').waitFor();
  await shoot('06-user', { isWhole: true });
  await page.getByRole('button', { name: 'Suspend' }).click();
  await shoot('07-suspend');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Change the panel user' }).click();
  await shoot('08-panel-user');
  await page.keyboard.press('Escape');
}

async function lookAtCatalog(page: Page, shoot: Shoot) {
  await show(page, 'catalog');
  await page.getByRole('heading', { name: 'Rust' }).waitFor();
  await shoot('09-catalog', { isWhole: true });
  await page.getByRole('button', { name: 'Edit Minecraft' }).click();
  await shoot('10-game');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Edit the plan' }).first().click();
  await shoot('11-plan');
  await page.keyboard.press('Escape');
}

async function lookAtAnnouncements(page: Page, shoot: Shoot) {
  await show(page, 'announcements');
  await page.getByText('Scheduled for').waitFor();
  await page.evaluate('scrollTo(0, 0)');
  await shoot('12-announcements', { isWhole: true });
  await page.getByRole('button', { name: 'Edit Maintenance on Tuesday' }).click();
  await page.getByRole('dialog').getByText('Preview').click();
  await page.getByRole('dialog').getByRole('link').scrollIntoViewIfNeeded();
  await shoot('13-announcement');
  await page.keyboard.press('Escape');
}
