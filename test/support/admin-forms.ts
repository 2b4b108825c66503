/** The forms of administrators. */
import type { TestedForm } from './account-forms.ts';
import { dialogOf, enter, type Scene } from './account-page.ts';

export function adminForms(at: Scene): TestedForm[] {
  const button = (name: string | RegExp) => at.page.getByRole('button', { name }).first();
  const inDialog = (name: string) => dialogOf(at.page).getByRole('button', { name, exact: true });
  const fill = (label: string, text: string) =>
    dialogOf(at.page).getByLabel(label, { exact: true }).fill(text);

  async function enterAdmin(page: string): Promise<void> {
    at.user = await at.service.addUser({ isAdmin: true });
    await enter(at);
    await at.page.evaluate(`location.hash = '#admin/${page}'`);
  }

  async function openUser(action: string): Promise<void> {
    const { _id } = await at.service.addUser();
    await enterAdmin(`user-${_id}`);
    await button(new RegExp(`^${action} `)).click();
  }

  async function openCatalog(action: string): Promise<void> {
    const plan = { title: 'Iron', subtitle: '', price: '9', period: 'month', popular: false, features: [] };
    const game = { ...texts, _id: 'rust', title: 'Rust', isActive: true };
    await at.service.models.games.put({ ...game, plans: [{ ...plan, billingId: null }] });
    await enterAdmin('catalog');
    await button(action).click();
  }

  async function openAnnouncement(action: string): Promise<void> {
    const content = { title: 'Hello', message: 'World', summary: '', tag: null, showInRibbon: false };
    await at.service.models.announcements.add({ ...content, status: 'draft' }, new Date());
    await enterAdmin('announcements');
    await button(action).click();
  }

  return [
    {
      file: 'admin/user-dialogs.tsx',
      open: () => openUser('Suspend'),
      submit: () => inDialog('Suspend user').click(),
      calls: 'admin.putUser',
    },
    {
      file: 'admin/user-dialogs.tsx',
      open: () => openUser('Change the panel user'),
      submit: () => inDialog('Save').click(),
      fill: () => fill('Id of the panel user', '7'),
      calls: 'admin.putUser',
    },
    {
      file: 'admin/game-dialogs.tsx',
      open: () => openCatalog('Add a game'),
      submit: () => inDialog('Add game').click(),
      missing: 'Give the game a title.',
      async fill() {
        await fill('Title', 'Factorio');
        await fill('Slug', 'factorio');
      },
      calls: 'admin.putGame',
    },
    {
      file: 'admin/game-dialogs.tsx',
      open: () => openCatalog('Delete Rust'),
      submit: () => inDialog('Delete game').click(),
      calls: 'admin.deleteGame',
    },
    {
      file: 'admin/plan-dialogs.tsx',
      open: () => openCatalog('Add a plan to Rust'),
      submit: () => inDialog('Add plan').click(),
      missing: 'Give the plan a title.',
      async fill() {
        await fill('Title', 'Gold');
        await fill('Price', '19.99');
      },
      calls: 'admin.putGame',
    },
    {
      file: 'admin/game-item.tsx',
      open: async () => {
        await openCatalog('Edit Rust');
        await inDialog('Cancel').click();
      },
      submit: () => button('Hide Rust').click(),
      calls: 'admin.putGame',
    },
    {
      file: 'admin/announcement-dialogs.tsx',
      open: () => openAnnouncement('Write one'),
      submit: () => inDialog('Save draft').click(),
      missing: 'Give the announcement a title.',
      async fill() {
        await fill('Title', 'Prices');
        await fill('Message', 'Lower.');
      },
      calls: 'admin.createAnnouncement',
    },
    {
      file: 'admin/announcement-dialogs.tsx',
      open: () => openAnnouncement('Publish Hello'),
      submit: () => inDialog('Publish now').click(),
      calls: 'admin.publishAnnouncement',
    },
  ];
}

const texts = {
  ...{ description: null, shortDesc: null, category: null, icon: null, cover: null, banner: null },
  ...{ pricingBackground: null, priceFrom: null },
};
