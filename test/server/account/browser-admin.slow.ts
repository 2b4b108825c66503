/** The pages on which an administrator manages the host, in a real browser. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { consoleErrorOf, dismissSecret, waitForCount } from '../../support/account-page.ts';
import { useAdminPage } from '../../support/admin-page.ts';
import { eventually } from '../../support/eventually.ts';
import { panelServer } from '../../support/panel/attributes.ts';

const dayMs = 24 * 60 * 60 * 1000;

describe("an administrator's pages", () => {
  const at = useAdminPage();
  const fill = (label: string, text: string) => at.field(label).fill(text);
  const open = (name: string) => at.arrive(`/account#admin/${name}`);

  describe('for the catalog', () => {
    const published = async () =>
      (await at.service.call('GET', '/catalog/games', { key: at.key })).body.games;

    it('add a game that stays hidden until it is published, add its plans, and hide and delete it', async () => {
      await open('catalog');
      await at.button('Create the first game').click();
      await fill('Title', 'Minecraft');
      await fill('Slug', 'mine craft');
      await at.inDialog('Create game').click();
      await at.see('Letters, digits, dots, underscores and hyphens');
      await fill('Slug', 'minecraft');
      await fill('In one sentence', 'Java and Bedrock.');
      await at.inDialog('Create game').click();
      await at.see('is created. It is hidden until you publish it');
      expect(await published()).to.deep.equal([]);
      await at.button('Create plan for Minecraft').click();
      await at.inDialog('Create plan').click();
      await at.see('Give the plan a title.');
      await fill('Title', 'Iron');
      await fill('Price', '9.99 €');
      expect(await at.field('Price').getAttribute('maxlength'), "as the request's schema says").to.equal(
        '100',
      );
      await fill('What it includes', '6 GB memory\n\n 40 slots ');
      await at.dialog().getByRole('checkbox').check();
      await at.inDialog('Create plan').click();
      await at.page.getByRole('list', { name: 'Plans of Minecraft' }).getByText('Iron').waitFor();
      await at.button('Publish Minecraft').click();
      await at.button('Hide Minecraft').waitFor();
      const [game] = await published();
      expect(game).to.include({ slug: 'minecraft', title: 'Minecraft', shortDesc: 'Java and Bedrock.' });
      expect(game.plans).to.deep.equal([
        {
          ...{ title: 'Iron', subtitle: '', price: '9.99 €', period: 'month', popular: true },
          ...{ features: ['6 GB memory', '40 slots'], billingId: null },
        },
      ]);
      await at.button('Edit the plan Iron').click();
      await fill('Title', 'Gold');
      await at.inDialog('Save').click();
      await at.button('Delete the plan Gold').click();
      await at.inDialog('Delete plan').click();
      await at.page.getByRole('list', { name: 'Plans of Minecraft' }).waitFor({ state: 'detached' });
      await at.button('Edit Minecraft').click();
      await fill('Title', 'Minecraft: Java');
      await at.inDialog('Save').click();
      await at.heading('Minecraft: Java').waitFor();
      await at.button('Hide Minecraft: Java').click();
      await at.button('Publish Minecraft: Java').waitFor();
      expect(await published()).to.deep.equal([]);
      await at.button('Create game').click();
      await fill('Title', 'Other');
      await fill('Slug', 'minecraft');
      await at.inDialog('Create game').click();
      await at.see('Another game has this slug.');
      await at.inDialog('Cancel').click();
      await at.button('Delete Minecraft: Java').click();
      await at.inDialog('Delete game').click();
      await at.button('Create the first game').waitFor();
    });
  });

  describe('for announcements', () => {
    const shown = async () => {
      const { body } = await at.service.call('GET', '/announcements', { key: at.key });
      return body.announcements.map(({ title }: { title: string }) => title);
    };
    const item = () => at.entries('Announcements').first();

    it('preview a draft, publish it, withdraw it and delete it', async () => {
      await open('announcements');
      await at.button('Create the first announcement').click();
      await fill('Title', 'Maintenance');
      await fill('Message', 'On Tuesday.\nSee https://status.example/now.');
      await at.link('https://status.example/now').waitFor();
      await at.inDialog('Save draft').click();
      await item().getByText('Draft', { exact: true }).waitFor();
      expect(await shown()).to.deep.equal([]);
      await at.button('Publish Maintenance').click();
      await at.inDialog('Publish now').click();
      await item().getByText('Published', { exact: false }).waitFor();
      expect(await shown()).to.deep.equal(['Maintenance']);
      await at.button('Edit Maintenance').click();
      await fill('Title', 'Maintenance on Tuesday');
      await at.inDialog('Save').click();
      await at.button('Make a draft of Maintenance on Tuesday').click();
      await at.inDialog('Make it a draft').click();
      await item().getByText('Draft', { exact: true }).waitFor();
      expect(await shown()).to.deep.equal([]);
      await at.button('Delete Maintenance on Tuesday').click();
      await at.inDialog('Delete announcement').click();
      await at.button('Create the first announcement').waitFor();
    });

    it('publish one by the labels and the main button of its form, after a preview as in News', async () => {
      await open('announcements');
      await at.button('Create announcement').click();
      for (const label of ['Title', 'Message', 'Summary', 'Tag'])
        await at.page.getByLabel(label).fill(`My ${label}`);
      await at.page.getByLabel(/ribbon/).check();
      const preview = at.page.getByRole('list', { name: 'Preview' });
      for (const text of ['My Title', 'My Tag', 'My Summary', 'My Message'])
        await preview.getByText(text).waitFor();
      const seen = await preview.textContent();
      await at.button('Publish').click();
      await item().getByText('Published', { exact: false }).waitFor();
      expect(await shown()).to.deep.equal(['My Title']);
      await at.page.evaluate(`location.hash = '#news'`);
      await at.page.locator('.announcement > summary').click();
      const news = at.page.getByRole('list', { name: 'Announcements' });
      await eventually(async () => expect(await news.textContent()).to.equal(seen));
    });

    it('keep a list at its length when an item changes', async () => {
      for (let count = 1; count <= 60; count += 1) {
        const content = { title: `News ${count}`, message: 'x', summary: '', tag: null, showInRibbon: false };
        await at.service.models.announcements.add({ ...content, status: 'draft' }, new Date());
      }
      await open('announcements');
      await at.button('Show older announcements').click();
      await at.button('Edit News 1').click();
      await fill('Title', 'Old news');
      await at.inDialog('Save').click();
      await at.heading('Old news').waitFor();
      expect(await at.page.locator('li.item').count()).to.equal(60);
    });

    const localTime = (fromNowMs: number) =>
      at.page.evaluate<string>(`(() => {
        const at = new Date(${Date.now() + fromNowMs});
        return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
      })()`);

    it('schedule an announcement and publish it before its time', async () => {
      const body = { title: 'Prices', message: 'Lower.' };
      await at.service.call('POST', '/admin/announcements', { key: at.key, body });
      await open('announcements');
      await at.button('Schedule Prices').click();
      await at.inDialog('Schedule').click();
      await at.see('Choose a day and a time.');
      await fill('Publish on', await localTime(-dayMs));
      await at.inDialog('Schedule').click();
      await at.see('Choose a time in the future.');
      await fill('Publish on', await localTime(dayMs));
      await at.inDialog('Schedule').click();
      await item().getByText('Scheduled for').waitFor();
      expect(await shown()).to.deep.equal([]);
      await at.button('Publish Prices').click();
      await at.inDialog('Publish now').click();
      await item().getByText('Published', { exact: false }).waitFor();
      expect(await shown()).to.deep.equal(['Prices']);
    });
  });

  describe("for the host's webhooks", () => {
    it("create, change and delete one, separate from the administrator's own customer webhooks", async () => {
      await open('webhooks');
      await at.button('Create the first webhook').click();
      await fill('Address', 'http://127.0.0.1:9/hook');
      await fill('Name', 'Billing');
      await at.dialog().getByRole('checkbox').first().check();
      await at.inDialog('Create webhook').click();
      await dismissSecret(at.page);
      await at.see('1 of 20 webhooks');
      await at.button('Turn off Billing').click();
      await at.button('Turn on Billing').click();
      await at.button('Turn off Billing').waitFor();
      await at.link('Webhooks').click();
      await at.see('No webhooks');
      await at.page.goBack();
      await at.button('Delete Billing').click();
      await at.inDialog('Delete webhook').click();
      await at.see('No webhooks');
    });
  });

  describe('for users', () => {
    let ada: UserRecord;
    const users = () => at.entries('Users');

    beforeEach(async () => {
      await at.service.connection.collection('users').deleteMany({ email: /@first\.example$/ });
      ada = await at.service.addUser({
        ...{ email: 'ada@first.example', firstName: 'Ada', lastName: 'Lovelace', panelUserId: 7 },
      });
      await at.service.addUser({ email: 'grace@first.example', nickname: 'grace' });
      at.service.panel.servers.set(7, [panelServer({ name: 'Survival', suspended: true })]);
      at.service.clock.advance(60_000);
    });

    it('find, suspend and resume them at once, and return the focus to the list', async () => {
      const { secret } = await at.service.addKey({ user: ada });
      const status = async () => (await at.service.call('GET', '/me', { key: secret })).status;
      await open('users');
      await at.searchFor('lovel');
      await waitForCount(users(), 1);
      await users().getByRole('link', { name: ada.email }).click();
      await at.page.getByRole('heading', { name: ada.email }).waitFor();
      await at.page.getByRole('list', { name: 'Servers' }).getByText('Survival').waitFor();
      await at.button(`Suspend ${ada.email}`).click();
      await at.inDialog('Suspend user').click();
      await at.page.getByText('Suspended', { exact: true }).waitFor();
      expect(await status()).to.equal(401);
      await at.button(`Resume ${ada.email}`).click();
      await at.inDialog('Resume user').click();
      await at.button(`Suspend ${ada.email}`).waitFor();
      expect(await status()).to.equal(200);
      await at.link('All users').click();
      await at.page.locator(`a[href="#admin/user-${ada._id}"]:focus`).waitFor();
      expect(await at.page.getByRole('searchbox').inputValue()).to.equal('lovel');
    });

    it('show at a glance who is staff, and what a user has, with the way to its tickets', async () => {
      await at.service.addUser({ email: 'robin@first.example', isSupport: true });
      await at.service.addKey({ user: ada });
      await at.openTicket('Lag since noon', { user: ada });
      const { subscriptions } = at.service.models;
      await subscriptions.add({ userId: ada._id, providerId: 'sub_ada', status: 'past_due' }, new Date());
      await open('users');
      await users()
        .filter({ hasText: 'robin@first.example' })
        .getByText('Support', { exact: true })
        .waitFor();
      await at.searchFor('lovel');
      await users().getByRole('link', { name: ada.email }).click();
      await at.entries('API keys').getByText('never used').waitFor();
      await at.see('No connected apps.');
      await at.entries('Subscriptions').getByText('Payment is late').waitFor();
      await at.page.setViewportSize({ width: 360, height: 760 });
      await at.isFit();
      await at.entries('Newest tickets').getByRole('link', { name: 'Lag since noon' }).click();
      await at.page.getByLabel('Your answer').waitFor();
    });

    it('link them to a panel user that no other user has', async () => {
      at.expected = [consoleErrorOf(409, 'Conflict')];
      const grace = await at.service.models.users.findByEmail('grace@first.example');
      await open(`user-${grace?._id}`);
      await at.see('No servers in the panel.');
      const link = async (id: string) => {
        await at.field('Id of the panel user').fill(id);
        await at.inDialog('Save').click();
      };
      await at.button('Change the panel user of grace@first.example').click();
      await link('seven');
      await at.see('Enter a whole number from 1, or leave it empty.');
      await link('7');
      await at.see('panel_user_id belongs to another user.');
      at.service.panel.servers.set(8, [panelServer({ name: 'Creative' })]);
      await link('8');
      await at.page.getByRole('list', { name: 'Servers' }).getByText('Creative').waitFor();
      expect((await at.service.models.users.findByEmail('grace@first.example'))?.panelUserId).to.equal(8);
    });

    it('refuse changes to those of the staff', async () => {
      at.expected = [consoleErrorOf(409, 'Conflict')];
      const support = await at.service.addUser({ isSupport: true });
      await open(`user-${at.user._id}`);
      await at.see('You can change administrators only on the command line.');
      await at.page.evaluate(`location.hash = '#admin/user-${support._id}'`);
      await at.button(`Suspend ${support.email}`).click();
      await at.inDialog('Suspend user').click();
      await at.see('are changed on the command line only.');
    });

    it('are missing for support, like all pages of administrators, and explain that to an administrator who came by a link', async () => {
      const admin = at.user;
      at.user = await at.service.addUser({ isSupport: true });
      await open('users');
      await at.heading('Support desk').waitFor();
      expect(await at.link('Admin').count()).to.equal(0);
      at.expected = [consoleErrorOf(403, 'Forbidden')];
      const now = new Date(at.service.clock.now());
      const { token } = await at.service.models.signInLinks.create(admin._id, now);
      const tab = await at.visitor.openTab(`/account/link#${token}`);
      await tab.getByRole('button', { name: 'Continue' }).click();
      await tab.getByRole('link', { name: 'Admin' }).click();
      await tab.getByText('Sign in with your password to do this, not by a link.').waitFor();
    });
  });
});
