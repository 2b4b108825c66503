/** The catalog, announcements and webhooks of the host as an administrator manages them on the account page, in a real browser. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  dialogOf,
  putAway,
  refusal,
  signIn,
  stageAccountPage,
  widthBeyond,
} from '../../support/account-page.ts';
import { seriousBarriers } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { startWebhookService } from '../../support/webhook-service.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** As a field for a day and a time takes it. */
const localTime = (page: Page, at: number): Promise<string> =>
  page.evaluate(`(() => {
    const at = new Date(${at});
    return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  })()`);

describe('the pages of administrators', () => {
  const at = stageAccountPage(startWebhookService);
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) => dialogOf(at.page).getByRole('button', { name, exact: true });
  const fill = (label: string, text: string) =>
    dialogOf(at.page).getByLabel(label, { exact: true }).fill(text);

  beforeEach(async () => {
    for (const name of ['games', 'announcements'])
      await at.service.connection.collection(name).deleteMany({});
    at.user = await at.service.addUser({ isAdmin: true });
  });

  const open = async (name: string) => {
    await at.page.goto(`/account#admin/${name}`);
    await signIn(at.page, at.user.email);
  };

  describe('for the catalog', () => {
    const published = async () => {
      const { secret: key } = await at.service.addKey({ user: at.user });
      return (await at.service.call('GET', '/catalog/games', { key })).body.games;
    };

    it('add a game that is hidden until it is published, with plans, and hide and delete it', async () => {
      await open('catalog');
      await button('Add the first game').click();
      await fill('Title', 'Minecraft');
      await fill('Slug', 'mine craft');
      await inDialog('Add game').click();
      await at.page.getByText('Letters, digits, dots, underscores and hyphens').waitFor();
      await fill('Slug', 'minecraft');
      await fill('In one sentence', 'Java and Bedrock.');
      await inDialog('Add game').click();
      await at.page.getByText('is added, and hidden until you publish it').waitFor();
      expect(await published()).to.deep.equal([]);
      await button('Add a plan to Minecraft').click();
      await inDialog('Add plan').click();
      await at.page.getByText('Give the plan a title.').waitFor();
      await fill('Title', 'Iron');
      await fill('Price', '9.99 €');
      await fill('What it includes', '6 GB memory\n\n 40 slots ');
      await dialogOf(at.page).getByRole('checkbox').check();
      await inDialog('Add plan').click();
      await at.page.getByRole('list', { name: 'Plans of Minecraft' }).getByText('Iron').waitFor();
      await button('Publish Minecraft').click();
      await button('Hide Minecraft').waitFor();
      const [game] = await published();
      expect(game).to.include({ slug: 'minecraft', title: 'Minecraft', shortDesc: 'Java and Bedrock.' });
      expect(game.plans).to.deep.equal([
        {
          ...{ title: 'Iron', subtitle: '', price: '9.99 €', period: 'month', popular: true },
          ...{ features: ['6 GB memory', '40 slots'], billingId: null },
        },
      ]);
      await button('Edit the plan Iron').click();
      await fill('Title', 'Gold');
      await inDialog('Save').click();
      await button('Delete the plan Gold').click();
      await inDialog('Delete plan').click();
      await at.page.getByRole('list', { name: 'Plans of Minecraft' }).waitFor({ state: 'detached' });
      await button('Edit Minecraft').click();
      await fill('Title', 'Minecraft: Java');
      await inDialog('Save').click();
      await at.page.getByRole('heading', { name: 'Minecraft: Java' }).waitFor();
      await button('Hide Minecraft: Java').click();
      await button('Publish Minecraft: Java').waitFor();
      expect(await published()).to.deep.equal([]);
      await button('Delete Minecraft: Java').click();
      await inDialog('Delete game').click();
      await button('Add the first game').waitFor();
    });

    it('say at its field what the service refuses, by the label of the field', async () => {
      at.expected = [refusal(400, 'Bad Request')];
      await open('catalog');
      await button('Add a game').click();
      await fill('Title', 'Rust');
      await fill('Slug', 'rust');
      const field = dialogOf(at.page).getByLabel('In one sentence');
      await at.page.evaluate(`document.querySelector('[name=shortDesc]').removeAttribute('maxlength')`);
      await field.fill('x'.repeat(1001));
      await inDialog('Add game').click();
      await dialogOf(at.page).getByText('“In one sentence” must be').waitFor();
      await eventually(async () => expect(await field.getAttribute('aria-invalid')).to.equal('true'));
    });

    it('replace no game by another one of the same slug', async () => {
      const { secret: key } = await at.service.addKey({ user: at.user });
      await at.service.call('PUT', '/admin/games/rust', { key, body: { title: 'Rust' } });
      await open('catalog');
      await button('Add a game').click();
      await fill('Title', 'Other');
      await fill('Slug', 'rust');
      await inDialog('Add game').click();
      await at.page.getByText('There is a game with this slug.').waitFor();
    });
  });

  describe('for announcements', () => {
    const shown = async () => {
      const { secret: key } = await at.service.addKey({ user: at.user });
      const { body } = await at.service.call('GET', '/announcements', { key });
      return body.announcements.map(({ title }: { title: string }) => title);
    };
    const item = () => at.page.getByRole('list', { name: 'Announcements' }).getByRole('listitem').first();

    it('write a draft with a preview, publish it, take it back and delete it', async () => {
      await open('announcements');
      await button('Write the first one').click();
      await fill('Title', 'Maintenance');
      await fill('Message', 'On Tuesday.\nSee https://status.example/now.');
      await dialogOf(at.page).getByText('Preview').click();
      const link = dialogOf(at.page).getByRole('link', { name: 'https://status.example/now' });
      await link.waitFor();
      await inDialog('Save draft').click();
      await item().getByText('Draft', { exact: true }).waitFor();
      expect(await shown()).to.deep.equal([]);
      await button('Publish Maintenance').click();
      await inDialog('Publish now').click();
      await item().getByText('Published', { exact: false }).waitFor();
      expect(await shown()).to.deep.equal(['Maintenance']);
      await button('Edit Maintenance').click();
      await fill('Title', 'Maintenance on Tuesday');
      await inDialog('Save').click();
      await button('Make a draft of Maintenance on Tuesday').click();
      await inDialog('Make it a draft').click();
      await item().getByText('Draft', { exact: true }).waitFor();
      expect(await shown()).to.deep.equal([]);
      await button('Delete Maintenance on Tuesday').click();
      await inDialog('Delete announcement').click();
      await button('Write the first one').waitFor();
    });

    it('keep a list as long as it was shown, when one is changed', async () => {
      for (let count = 1; count <= 60; count += 1) {
        const content = { title: `News ${count}`, message: 'x', summary: '', tag: null, showInRibbon: false };
        await at.service.models.announcements.add({ ...content, status: 'draft' }, new Date());
      }
      await open('announcements');
      await button('Show older announcements').click();
      await button('Edit News 1').click();
      await fill('Title', 'Old news');
      await inDialog('Save').click();
      await at.page.getByRole('heading', { name: 'Old news' }).waitFor();
      expect(await at.page.locator('li.item').count()).to.equal(60);
    });

    it('schedule one, and publish it before its time', async () => {
      await open('announcements');
      await button('Write one').click();
      await fill('Title', 'Prices');
      await fill('Message', 'Lower.');
      await inDialog('Save draft').click();
      await button('Schedule Prices').click();
      await inDialog('Schedule').click();
      await at.page.getByText('Choose a day and a time.').waitFor();
      await fill('Publish on', await localTime(at.page, Date.now() - dayMs));
      await inDialog('Schedule').click();
      await at.page.getByText('Choose a time that is still to come.').waitFor();
      await fill('Publish on', await localTime(at.page, Date.now() + dayMs));
      await inDialog('Schedule').click();
      await item().getByText('Scheduled for').waitFor();
      expect(await shown()).to.deep.equal([]);
      await button('Publish Prices').click();
      await inDialog('Publish now').click();
      await item().getByText('Published', { exact: false }).waitFor();
      expect(await shown()).to.deep.equal(['Prices']);
    });
  });

  describe("for the host's webhooks", () => {
    it('create one, change it and delete it; it is none of the administrator as a customer', async () => {
      await open('webhooks');
      await button('Create a webhook').click();
      await fill('Address', 'http://127.0.0.1:9/hook');
      await fill('Name', 'Billing');
      await dialogOf(at.page).getByRole('checkbox').first().check();
      await inDialog('Create webhook').click();
      await putAway(at.page);
      await at.page.getByText('1 of 20 webhooks').waitFor();
      await button('Turn off Billing').click();
      await button('Turn on Billing').click();
      await button('Turn off Billing').waitFor();
      await at.page.getByRole('link', { name: 'Webhooks', exact: true }).click();
      await at.page.getByText('No webhooks').waitFor();
      await at.page.goBack();
      await button('Delete Billing').click();
      await inDialog('Delete webhook').click();
      await at.page.getByText('No webhooks').waitFor();
    });
  });

  it('fit on a phone in the dark, with long texts, without a serious axe violation', async () => {
    const { secret: key } = await at.service.addKey({ user: at.user });
    const title = 'x'.repeat(200);
    const plan = { title, price: 'y'.repeat(100), period: 'month' };
    await at.service.call('PUT', '/admin/games/long', { key, body: { title, plans: [plan] } });
    const body = { title, message: 'z'.repeat(500), tag: 't'.repeat(100), show_in_ribbon: true };
    await at.service.call('POST', '/admin/announcements', { key, body });
    await at.page.setViewportSize({ width: 360, height: 780 });
    await at.page.emulateMedia({ colorScheme: 'dark' });
    await open('catalog');
    for (const name of ['catalog', 'announcements']) {
      await at.page.evaluate(`location.hash = '#admin/${name}'`);
      await at.page.getByRole('heading', { name: title }).waitFor();
      await eventually(async () => expect(await widthBeyond(at.page), name).to.equal(0));
      expect(await seriousBarriers(at.page), name).to.deep.equal([]);
    }
  });
});
