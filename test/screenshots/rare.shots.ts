/** npm run screenshots: what is empty, long, closed or of several devices, for a person to look at. */
import type { Page } from 'playwright-core';
import type { UserRecord } from '../../models/user.ts';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import { openSection, signIn } from '../support/account-page.ts';
import { describeLooks, type Shoot } from '../support/camera.ts';
import type { TestService } from '../support/service.ts';

describeLooks({
  name: 'rare',
  shows: 'a page that is empty, long, closed or of several devices',
  async visit({ service, open }) {
    await service.connection.collection('tickets').deleteMany({});
    const user = await service.addUser({ nickname: 'dana', panelUserId: 7, isSupport: true });
    service.panel.servers.set(7, []);
    service.clock.advance(60_000); // past every cache
    const { page, shoot } = await open('/account#servers');
    await signIn(page, user.email);
    await lookAtNothing(page, shoot);
    await addLongTicket(service, user);
    await service.models.sessions.open({ user }, new Date(service.clock.now()));
    await lookAtTicket(page, shoot);
    await lookAtDialogs(service, page, shoot);
    await lookAtManyServers(service, page, shoot);
  },
});

const tab = (page: Page, name: string) => openSection(page, name);

async function lookAtNothing(page: Page, shoot: Shoot) {
  await page.getByText('No servers').waitFor();
  await shoot('01-no-servers');
  await tab(page, 'Tickets');
  await page.getByText('No tickets yet').waitFor();
  await shoot('02-no-tickets');
  await tab(page, 'Support desk');
  await page.getByText('No ticket waits').waitFor();
  await shoot('03-no-queue');
  await page.getByRole('searchbox').fill('no such customer');
  await page.getByRole('searchbox').press('Enter');
  await page.getByText('No ticket matches').waitFor();
  await shoot('04-no-match');
}

async function addLongTicket({ models, clock }: TestService, { _id: userId }: UserRecord) {
  const now = new Date(clock.now());
  const { _id: ticketId } = await models.tickets.open({
    ...{ userId, keyId: '', subject: 'World does not load', text: 'Message 1', now },
    ...{ serviceName: null, serviceReference: null, serviceType: null },
  });
  for (let number = 2; number <= 70; number += 1)
    await models.tickets.reply({
      ticketId,
      userId,
      keyId: '',
      text: `Message ${number}, of a few words.`,
      now,
    });
}

async function lookAtTicket(page: Page, shoot: Shoot) {
  await tab(page, 'Tickets');
  await page.getByRole('link', { name: 'World does not load' }).click();
  await page.getByText('Message 70').waitFor();
  await shoot('05-long');
  await page.getByRole('button', { name: 'Close ticket' }).click();
  await page.getByRole('button', { name: 'Reopen ticket' }).waitFor();
  await shoot('06-closed');
}

async function lookAtDialogs({ panel, clock }: TestService, page: Page, shoot: Shoot) {
  panel.servers.set(7, [panelServer({ name: 'Survival with friends' })]);
  clock.advance(60_000);
  await tab(page, 'Servers');
  await page.getByRole('link', { name: 'Survival with friends', exact: true }).click();
  await page.getByRole('link', { name: 'Backups' }).click();
  await page.getByRole('button', { name: 'Create a backup' }).click();
  await page.getByRole('dialog').waitFor();
  await shoot('07-backup');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('button', { name: 'Sessions' }).click();
  await page.getByText('This one').waitFor();
  await shoot('08-sessions');
}

async function lookAtManyServers({ panel, clock }: TestService, page: Page, shoot: Shoot) {
  const names = [
    'Survival',
    'Creative',
    'Lobby',
    'Skyblock',
    'Proxy',
    'Arena',
    'Museum of a long name',
    'שרת',
  ];
  const servers = names.map((name, index) =>
    panelServer({ id: index + 1, identifier: `a1b2c3d${index}`, name }),
  );
  panel.servers.set(7, servers);
  panel.runStates.set('a1b2c3d5', 'offline');
  clock.advance(60_000);
  await page.goto('/account#servers');
  await page.getByText('offline', { exact: true }).waitFor();
  await shoot('09-many-servers', { isWhole: true });
  panel.failWith(500, 'Whoops');
  clock.advance(60_000);
  await page.reload();
  await page.getByRole('button', { name: 'Try again', exact: true }).waitFor();
  await shoot('10-panel-away');
  panel.recover();
}
