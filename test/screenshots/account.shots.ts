/** npm run screenshots: the account page, each place with its dialogs, for a person to look at. */
import type { Page } from 'playwright-core';
import { panelBackup, panelServer } from '../../server/panel/demo/attributes.ts';
import { FileTree } from '../../server/panel/demo/file-tree.ts';
import { createKey, putAway, signIn } from '../support/account-page.ts';
import { describeLooks, type Shoot } from '../support/camera.ts';
import { addSampled } from '../support/samples.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Where, what is there once it is drawn, and the buttons that open its dialogs. */
type Place = [path: string, seen: string, ...dialogs: string[]];

const longName = 'x'.repeat(100);

const ofVisitors: Place[] = [
  ['/account', 'E-mail'],
  ['/nope', 'Page not found'],
  ['/account/link#wrong', 'This sign-in link'],
  ['/oauth/authorize?client_id=unknown', 'Close this page and start again in the app.'],
];

const ofNewcomers: Place[] = [
  ['/account#servers', 'No servers'],
  ['/account#tickets', 'No tickets yet', 'Open a ticket'],
  ['/account#keys', 'No live keys', 'Create key'],
  ['/account#webhooks', 'No webhooks', 'Create webhook'],
  ['/account#apps', 'No connected apps'],
  ['/account#activity', '0 calls'],
];

const ofAdministrators: Place[] = [
  ['/account#servers', 'running', 'Restart Survival with friends'],
  ['/account/servers/sample', 'running'],
  ['/account/servers/sample/console', 'dana joined the game'],
  ['/account/servers/sample/files', 'server.properties'],
  ['/account/servers/sample/files?file=%2Fserver.properties', 'Save', 'Move or rename'],
  ['/account/servers/sample/files?file=%2Fnone.yml', 'That did not work'],
  ['/account/servers/sample/backups', 'in progress', 'Create a backup', 'Delete'],
  ['/account/servers/sample/tickets', 'No tickets'],
  ['/account/servers/ffffffff', 'No such server'],
  ['/account#tickets', 'Sample'],
  ['/account#tickets/1', 'Your reply'],
  ['/account#keys', longName, `Rotate ${longName}`, `Revoke ${longName}`, 'Your account'],
  [
    `/account/keys/new?name=bot&scopes=read:account,root&servers=sample,ffffffff`,
    'servers that you do not have',
  ],
  ['/account#webhooks', 'example.com/sample'],
  ['/account#activity', 'Numbers by day'],
  ['/account#subscriptions', 'No subscriptions'],
  ['/account#news', 'No announcements'],
  ['/account#support', 'Sample'],
  ['/account#support/1', 'Your answer', 'Saved answers'],
  ['/account#admin/users', 'sample@example.com'],
  ['/account#admin/catalog', 'Sample', 'Edit Sample', 'Edit the plan'],
  ['/account#admin/announcements', 'Sample', 'Edit Sample'],
  ['/account#admin/webhooks', 'example.com/sample'],
];

let administrator: string;

describeLooks({
  name: 'account',
  shows: 'each place of the account page, with its dialogs,',
  start: () => startTestService({ hasApps: true }),
  async prepare(service) {
    const { user, key } = await addSampled(service);
    administrator = user.email;
    fillServer(service);
    const { models, call } = service;
    const newKey = { userId: user._id, name: longName, scopes: ['read:account'], expiresAt: null };
    await models.apiKeys.issue(newKey, new Date());
    for (let count = 0; count < 40; count += 1) await call('GET', '/me', { key });
    await service.flushAudit();
  },
  async visit({ service, open }) {
    const visitor = await open('/account');
    await lookAt(visitor.page, ofVisitors, visitor.shoot);
    const newcomer = await open('/account#keys');
    await signIn(newcomer.page, (await service.addUser({ nickname: 'dana' })).email);
    await newcomer.page.getByText('No live keys').waitFor();
    await lookAt(newcomer.page, ofNewcomers, newcomer.shoot);
    await newcomer.page.goto('/account#keys');
    await createKey(newcomer.page, longName);
    await newcomer.shoot('secret');
    await putAway(newcomer.page);
    const admin = await open('/account#servers');
    await signIn(admin.page, administrator);
    await admin.page.getByText('running').first().waitFor();
    await lookAt(admin.page, ofAdministrators, admin.shoot);
  },
});

function fillServer({ panel, clock }: TestService): void {
  panel.servers.set(7, [panelServer({ identifier: 'sample', name: 'Survival with friends' })]);
  panel.consoleLines.set('sample', ['[12:00:31] [Server thread/INFO]: dana joined the game']);
  const files = {
    '/server.properties': 'max-players=20\n',
    '/world/a very long name that does not fit.dat': '',
  };
  panel.files.set('sample', new FileTree(files, clock.now()));
  const pending = { completed_at: null, is_successful: false, bytes: 0, name: 'Nightly', uuid: 'b' };
  panel.backups.set('sample', [
    panelBackup({ is_locked: true, uuid: 'c' }),
    panelBackup(),
    panelBackup(pending),
  ]);
  clock.advance(60_000); // past every cache
}

async function lookAt(page: Page, places: readonly Place[], shoot: Shoot): Promise<void> {
  for (const [path, seen, ...dialogs] of places) {
    const name = path.replaceAll(/\W+/g, '-');
    await page.goto('about:blank'); // another fragment alone would keep what is open
    await page.goto(path);
    await page
      .getByText(seen)
      .or(page.getByLabel(seen))
      .or(page.getByRole('button', { name: seen }))
      .first()
      .waitFor();
    await shoot(name, { isWhole: true });
    for (const dialog of dialogs) {
      await page.getByRole('button', { name: dialog }).first().click();
      await shoot(`${name}-${dialog.slice(0, 20)}`);
      await page.keyboard.press('Escape');
    }
  }
}
