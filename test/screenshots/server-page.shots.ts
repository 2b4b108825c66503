/** npm run screenshots: the page of a server in all its parts, for a person to look at. */
import type { Page } from 'playwright-core';
import type { UserRecord } from '../../models/user.ts';
import { panelBackup, panelServer } from '../../server/panel/demo/attributes.ts';
import { FileTree } from '../../server/panel/demo/file-tree.ts';
import { dialogOf, signIn } from '../support/account-page.ts';
import { describeLooks, type Shoot } from '../support/camera.ts';
import type { TestService } from '../support/service.ts';

const id = 'a1b2c3d4';
const minuteMs = 60_000;
const settings = 'server-port=25565\nmotd=Survival with friends\nmax-players=20\nwhite-list=true\n';

describeLooks({
  name: 'server',
  shows: 'the page of a server',
  async visit({ service, open }) {
    const user = await service.addUser({ nickname: 'dana', panelUserId: 7 });
    service.panel.runStates.delete(id);
    service.clock.advance(60_000);
    prepareServer(service);
    await addTicket(service, user);
    const { page, shoot } = await open(`/account/servers/${id}`);
    await signIn(page, user.email);
    await page.getByText('running', { exact: true }).waitFor();
    await lookAtOverview(page, shoot);
    await lookAtFiles(service, page, shoot);
    service.panel.runStates.set(id, 'offline');
    service.clock.advance(60_000);
    await lookAtRest(page, shoot);
  },
});

function prepareServer({ panel, clock }: TestService): void {
  const limits = { memory: 4096, swap: 0, disk: 20_480, io: 500, cpu: 200 };
  panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival with friends', limits })]);
  panel.consoleLines.set(id, [
    '[12:00:01] [Server thread/INFO]: Starting minecraft server version 1.21.4',
    '[12:00:02] [Worker-Main-1/INFO]: Preparing spawn area: 84%',
    '[12:00:04] [Server thread/INFO]: Done (1.412s)! For help, type "help"',
    '[12:00:30] [User Authenticator #1/INFO]: UUID of player dana is 5b2c0f7e-94f5-4a4e-9a1a-0d6d6b1d2c11',
    '[12:00:31] [Server thread/INFO]: dana joined the game',
  ]);
  const log = '[12:00:01] [Server thread/INFO]: Saved the game\n'.repeat(8000);
  const files = { '/server.properties': settings, '/logs/latest.log': log, '/plugins/RaidTimer.jar': 'x' };
  panel.files.set(
    id,
    new FileTree({ ...files, '/world/level of a very long name that does not fit.dat': 'x' }, clock.now()),
  );
  const isPending = { completed_at: null, is_successful: false, bytes: 0, name: 'Nightly' };
  const isFailed = { is_successful: false, bytes: 0, name: 'Before the update', uuid: 'c' };
  panel.backups.set(id, [
    panelBackup({ is_locked: true, name: 'Before the wipe', uuid: 'd' }),
    panelBackup(),
    panelBackup(isFailed),
    panelBackup({ ...isPending, uuid: 'b' }),
  ]);
  clock.advance(minuteMs); // past every cache
}

async function addTicket({ models, clock }: TestService, { _id: userId }: UserRecord) {
  await models.tickets.open({
    ...{
      userId,
      keyId: '',
      subject: 'Lag since noon',
      text: 'Players time out.',
      now: new Date(clock.now()),
    },
    ...{ serviceName: 'Survival with friends', serviceReference: id, serviceType: 'pterodactyl' },
  });
}

const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Server' }).getByRole('link', { name }).click();

async function lookAtOverview(page: Page, shoot: Shoot) {
  await page.getByText('running', { exact: true }).waitFor();
  await shoot('01-overview', { isWhole: true });
  await part(page, 'Console');
  await page.getByText('dana joined the game').waitFor();
  await page.getByLabel('Command').fill('say The server restarts in five minutes');
  await shoot('02-console', { isWhole: true });
}

async function lookAtFiles({ panel, clock }: TestService, page: Page, shoot: Shoot) {
  await part(page, 'Files');
  await page.getByRole('link', { name: 'server.properties' }).waitFor();
  await shoot('03-files', { isWhole: true });
  await page.getByRole('link', { name: 'server.properties' }).click();
  await page.getByLabel('Text').fill(settings.replace('20', '40'));
  await shoot('04-editor', { isWhole: true });
  panel.files.get(id)?.write('/server.properties', settings.replace('20', '30'), clock.now());
  await page.getByRole('button', { name: 'Save' }).click();
  await dialogOf(page).getByText('What it holds now').click();
  await shoot('05-conflict');
  await dialogOf(page).getByRole('button', { name: 'Discard my text' }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Move or rename' }).click();
  await dialogOf(page).waitFor();
  await shoot('06-move');
  await page.keyboard.press('Escape');
  await page.goto(`/account/servers/${id}/files?file=%2Flogs%2Flatest.log`);
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByText('a part is shown').waitFor();
  await shoot('07-log', { isWhole: true });
  await page.goto(`/account/servers/${id}/files?file=%2Fplugins%2Fnone.yml`);
  await page.getByText('That did not work').waitFor();
  await shoot('08-no-file');
}

async function lookAtRest(page: Page, shoot: Shoot) {
  await part(page, 'Backups');
  await page.getByText('in progress').waitFor();
  await shoot('09-backups', { isWhole: true });
  await page.getByRole('button', { name: 'Restore' }).last().click();
  await dialogOf(page).waitFor();
  await shoot('10-restore');
  await page.keyboard.press('Escape');
  await part(page, 'Tickets');
  await page.getByRole('link', { name: 'Lag since noon' }).waitFor();
  await shoot('11-tickets');
  await page.goto('/account/servers/ffffffff');
  await page.getByText('No such server').waitFor();
  await shoot('12-no-server');
}
