/** The account page in other languages: texts that are written from right to left, and the browser's own translation. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  createKey,
  dismissSecret,
  openKeyList,
  openSection,
  useAccountPage,
  waitForCount,
} from '../../support/account-page.ts';
import { panelBackup, panelServer } from '../../support/panel/attributes.ts';
import { FileTree } from '../../support/panel/file-tree.ts';
import { translate } from '../../support/translate.ts';
import { startWebhookService } from '../../support/webhook-service.ts';

const id = 'a1b2c3d4';

/** "Hello, world" in Hebrew, followed by a bracket, which a wrong direction would move. */
const greeting = 'שלום עולם (2)';

/** Texts that follow the direction of the page or share an element with our words, and fields that do so. */
const wronglyDirected = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const rightToLeft = /[\\u0590-\\u05ff]/;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const wrong = [];
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      if (!rightToLeft.test(data)) continue;
      if (parentElement.closest('.visually-hidden, svg')) continue;
      const isolated = parentElement.closest('bdi, [dir="auto"]');
      if (!isolated || /^[^\\u0590-\\u05ff]*[a-z]/i.test(isolated.textContent)) wrong.push(parentElement.outerHTML);
    }
    const typed = 'input:not([type=checkbox], [type=radio]), textarea';
    return [...wrong, ...[...document.querySelectorAll(typed)].filter((field) => field.dir !== 'auto').map((field) => field.outerHTML)];
  })()`);

describe('the account page in other languages', () => {
  const at = useAccountPage(startWebhookService);
  const openTab = (name: string) => openSection(at.page, name);
  const check = async () => {
    expect(await wronglyDirected(at.page)).to.deep.equal([]);
    await at.fitsWidth();
  };

  beforeEach(async () => {
    await at.service.connection.collection('tickets').deleteMany({});
    at.user = await at.service.addUser({ panelUserId: 7, nickname: greeting });
    at.service.panel.servers.set(7, [panelServer({ identifier: id, name: greeting })]);
    at.service.panel.runStates.set(id, 'running');
  });

  const openTicket = () =>
    at.openTicket(greeting, { text: greeting, about: { serviceName: greeting, serviceReference: id } });

  it("shows right-to-left texts in their own direction, next to the page's words", async () => {
    const { _id: ticket } = await openTicket();
    const { panel, clock } = at.service;
    panel.backups.set(id, [panelBackup({ name: greeting })]);
    panel.files.set(id, new FileTree({ [`/${greeting}`]: greeting }, clock.now()));
    const { secret: key } = await at.service.addKey({ user: at.user });
    const body = { url: 'http://127.0.0.1:9/hook', events: ['*'], description: greeting };
    await at.service.call('POST', '/webhooks', { key, body });
    await at.page.setViewportSize({ width: 360, height: 780 });
    await openKeyList(at);
    await createKey(at.page, greeting);
    await check();
    await dismissSecret(at.page);
    const keyMenu = `Actions for ${greeting}`;
    const places: [path: string, seen: string, ...dialogs: string[]][] = [
      ['/account#keys', greeting, 'Create key', `${keyMenu} > Rename`, `${keyMenu} > Revoke`],
      ['/account#servers', greeting, `Restart ${greeting}`],
      [`/account/servers/${id}`, 'running', `Restart ${greeting}`],
      [`/account/servers/${id}/backups`, greeting, `Create backup of ${greeting}`, `Delete ${greeting}`],
      [`/account/servers/${id}/files`, greeting, 'Create file'],
      [`/account/servers/${id}/files?${new URLSearchParams({ file: `/${greeting}` })}`, 'Text'],
      ['/account#tickets', greeting],
      [`/account#tickets/${ticket}`, 'Your reply'],
      ['/account#webhooks', greeting, `Edit ${greeting}`],
      ['/account#activity', 'Numbers by day'],
    ];
    for (const [path, seen, ...dialogs] of places) {
      await at.page.goto('about:blank'); // A change of the fragment alone would keep open parts open.
      await at.page.goto(path);
      const main = at.page.getByRole('main');
      await main.getByText(seen).or(main.getByLabel(seen)).first().waitFor();
      await check();
      for (const dialog of dialogs) {
        for (const button of dialog.split(' > ')) await at.button(button).first().click();
        await check();
        await at.inDialog('Cancel').click();
      }
    }
    await at.button('Your account').click();
    await check();
    await at.page.keyboard.press('Escape');
    await openTab('Servers');
    await at.choose(`Stop ${greeting}`, greeting);
    await at.inDialog('Stop server').click();
    await at.see('is stopping');
    await check();
  });

  it("shows customers' texts in their own direction at the support desk too", async () => {
    await openTicket();
    at.user = await at.service.addUser({ isSupport: true });
    await at.arrive('/account#support');
    await at.link(greeting).click();
    await at.page.getByRole('complementary').getByText(greeting).waitFor();
    await check();
  });

  it('keeps working when the browser translates it, and later changes are translated again', async () => {
    at.service.panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    at.service.clock.advance(60_000); // past every cache
    await openKeyList(at);
    await openTab('Servers');
    await at.see('running');
    await translate(at.page);
    await at.see('«running»');
    at.service.panel.runStates.set(id, 'stopping');
    await at.page.getByRole('button', { name: 'More actions for Survival' }).click();
    await at.button(/^«Stop/).click();
    await at.inDialog('«Stop server»').click();
    await at.see('«stopping»');
    at.service.panel.runStates.set(id, 'offline');
    await at.see('«offline»');
    await at.button('Start Survival').waitFor();
    await waitForCount(at.page.getByText(/«(running|stopping)»/), 0);
    for (const tab of ['Tickets', 'Activity', 'API keys']) await openTab(`«${tab}»`);
    await at.button('«Create key»').click();
    await at.field('«Name»').fill('Laptop');
    await at.dialog().getByRole('radio', { name: '«Read only»' }).check();
    await at.inDialog('«Create key»').click();
    await at.dialog().getByText('«I have copied it»').click();
    await at.heading('«Laptop»').waitFor();
  });
});
