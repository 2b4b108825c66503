/** npm run screenshots: every place of the account page with its dialogs, for a person to look at. */
import type { Page } from 'playwright-core';
import { createKey, dismissSecret, signIn } from '../support/account-page.ts';
import { describeAppearances, type TakeScreenshot } from '../support/page-appearances.ts';
import { panelBackup, panelSchedule, panelServer } from '../support/panel/attributes.ts';
import { FileTree } from '../support/panel/file-tree.ts';
import { addSamples } from '../support/samples.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** The path, the elements that show it is drawn, and the buttons that open its dialogs. */
type Place = [path: string, seen: string, ...dialogs: string[]];

const longName = 'x'.repeat(100);
const keyMenu = `Actions for ${longName}`;

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
  ['/account#subscriptions', 'No subscriptions'],
];

const ofOwners: Place[] = [
  ['/account#servers', 'running', 'Restart Survival with friends', 'More actions'],
  ['/account/servers/sample', 'running'],
  ['/account/servers/stopped', 'Last lines of the log'],
  ['/account/servers/sample/console', 'dana joined the game'],
  ['/account/servers/b1b2c3d4/files', 'The server is suspended'],
  ['/account/servers/sample/files', 'server.properties', 'Actions for', 'Fetch from'],
  ['/account/servers/sample/files?file=%2Fserver.properties', 'Save', 'Actions for'],
  ['/account/servers/sample/files?file=%2Fnone.yml', 'That did not work'],
  ['/account/servers/sample/backups', 'in progress', 'Create backup', 'Delete'],
  ['/account/servers/sample/schedules', 'Every day at 04:30', 'Create schedule', 'Run now'],
  ['/account/servers/sample/startup', 'starts with this command', 'Reinstall server'],
  ['/account/servers/sample/tickets', 'No tickets'],
  ['/account/servers/ffffffff', 'No such server'],
  ['/account#tickets', 'Sample'],
  ['/account#tickets/1', 'Your reply'],
  [
    '/account#keys',
    longName,
    `${keyMenu} > Rename`,
    `${keyMenu} > Rotate`,
    `${keyMenu} > Revoke`,
    keyMenu,
    'Your account',
  ],
  [
    `/account/keys/new?name=bot&scopes=read:account,root&servers=sample,ffffffff`,
    'servers that you do not have',
  ],
  ['/account#webhooks', 'example.com/sample'],
  ['/account#activity', 'Numbers by day'],
  ['/account#subscriptions', 'Renews'],
  ['/account#news', longName],
];

const ofStaff: Place[] = [
  ['/account#support', 'Sample', '? for shortcuts'],
  ['/account#support/1', 'Your answer', 'Saved answers'],
  ['/account#admin/users', 'sample@example.com'],
  ['/account#admin/catalog', 'Sample', 'Edit Sample', 'Edit the plan'],
  ['/account#admin/announcements', 'Sample', 'Create announcement', 'Edit Sample'],
  ['/account#admin/webhooks', 'example.com/sample'],
];

describeAppearances({
  name: 'newcomer',
  shows: 'the account page of visitors and newcomers',
  start: () => startTestService({ hasApps: true }),
  async visit({ service, open }) {
    const visitor = await open('/account');
    await lookAt(visitor.page, ofVisitors, visitor.shoot);
    const { page, shoot } = await open('/account#keys');
    await signIn(page, (await service.addUser({ nickname: 'dana' })).email);
    await page.getByText('No live keys').waitFor();
    await lookAt(page, ofNewcomers, shoot);
    await page.goto('/account#keys');
    await createKey(page, longName);
    await shoot('secret');
    await dismissSecret(page);
  },
});

/** Each has its own tests, as axe is slow. */
for (const [name, places] of Object.entries({ owner: ofOwners, staff: ofStaff })) {
  let email: string;
  describeAppearances({
    name,
    shows: `each place of an account's ${name}, with its dialogs,`,
    async prepare(service) {
      const { user, key } = await addSamples(service);
      email = user.email;
      fillServer(service);
      const long = await addLong(service, key);
      if (name === 'staff') places.push([`/account#admin/user-${long._id}`, 'No servers in the panel.']);
      const newKey = { userId: user._id, name: longName, scopes: ['read:account'], expiresAt: null };
      await service.models.apiKeys.issue(newKey, new Date());
      const subscription = { userId: user._id, providerId: 'shown', status: 'active', name: longName };
      const renewal = { price: '€12.00 a month', renewsAt: new Date('2099-12-01') };
      await service.models.subscriptions.add({ ...subscription, ...renewal }, new Date());
      await service.call('GET', '/me', { key });
      await service.flushAudit();
    },
    async visit({ service, open }) {
      service.clock.advance(60_000); // The requests of the look before count in its minute only.
      const { page, shoot } = await open('/account#servers');
      await signIn(page, email);
      await page.getByText('running').first().waitFor();
      await lookAtMenu(page, shoot);
      await lookAt(page, places, shoot);
    },
  });
}

function fillServer({ panel, clock }: TestService): void {
  panel.servers.set(7, [
    panelServer({ identifier: 'sample', name: 'Survival with friends' }),
    panelServer({ id: 6, uuid: 'b', identifier: 'b1b2c3d4', name: longName, suspended: true }),
  ]);
  panel.consoleLines.set('sample', ['[12:00:31] [Server thread/INFO]: dana joined the game']);
  const files = {
    '/server.properties': 'max-players=20\n',
    '/world/a very long name that does not fit.dat': '',
  };
  panel.files.set('sample', new FileTree(files, clock.now()));
  panel.servers
    .get(7)
    ?.push(panelServer({ id: 2, uuid: 'stopped', identifier: 'stopped', name: 'Creative' }));
  panel.runStates.set('stopped', 'offline');
  const log = { '/logs/latest.log': `[12:00:31] [Server thread/ERROR]: ${longName}\n` };
  panel.files.set('stopped', new FileTree(log, clock.now()));
  const pending = { completed_at: null, is_successful: false, bytes: 0, name: 'Nightly', uuid: 'b' };
  panel.backups.set('sample', [
    panelBackup({ is_locked: true, uuid: 'c' }),
    panelBackup(),
    panelBackup(pending),
  ]);
  panel.schedules.set('sample', [panelSchedule()]);
  clock.advance(60_000); // past every cache
}

/** Texts of the maximum length, one of them like markup. */
async function addLong({ models, addUser, call }: TestService, key: string) {
  const title = longName.repeat(2);
  const plans = [{ title, price: longName, period: 'month' }];
  await call('PUT', '/admin/games/long', { key, body: { title, plans } });
  const announcement = { title, message: longName.repeat(5), summary: '', tag: longName };
  const stored = { ...announcement, status: 'published', showInRibbon: true } as const;
  await models.announcements.add(stored, new Date());
  return addUser({ email: `${'x'.repeat(60)}@example.com`, firstName: '<b>שלום</b> (2)', panelUserId: 9 });
}

/** A wide window shows its entries beside the content. */
async function lookAtMenu(page: Page, shoot: TakeScreenshot): Promise<void> {
  const menu = page.getByRole('button', { name: /^Menu: / });
  if (!(await menu.isVisible())) return;
  await menu.click();
  await shoot('menu');
  await page.keyboard.press('Escape');
}

async function lookAt(page: Page, places: readonly Place[], shoot: TakeScreenshot): Promise<void> {
  for (const [path, seen, ...dialogs] of places) {
    const name = path.replaceAll(/\W+/g, '-');
    await page.goto('about:blank'); // a new fragment alone would keep dialogs open
    await page.goto(path);
    await page
      .getByText(seen)
      .or(page.getByLabel(seen))
      .or(page.getByRole('button', { name: seen }))
      .first()
      .waitFor();
    await shoot(name, { isWhole: true });
    for (const dialog of dialogs) {
      for (const name of dialog.split(' > ')) await page.getByRole('button', { name }).first().click();
      await shoot(`${name}-${dialog.slice(0, 20)}`);
      await page.keyboard.press('Escape');
    }
  }
}
