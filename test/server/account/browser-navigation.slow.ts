/** The navigation of the account page: side bar, menu, skip link, titles, retries and where each user arrives. */
import { expect } from 'chai';
import {
  consoleErrorOf,
  createPageQueries,
  openKeyList,
  openSection,
  overflowHeight,
  signInWithoutForm,
  useAccountPage,
  waitForTexts,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

const phone = { width: 360, height: 740 };

describe('the navigation of the account page', () => {
  const at = useAccountPage();

  const bar = () => at.page.getByRole('navigation', { name: 'Account' });
  const links = () => bar().locator('a');
  const isTitled = (title: string | null) =>
    eventually(async () => expect(await at.page.title()).to.equal(`${title} · gamehost`));

  it("is a menu on a phone, and each entry names its section in the browser's title", async () => {
    await at.page.setViewportSize(phone);
    await at.page.goto('/account');
    await isTitled('Sign in');
    at.user = await at.service.addUser({ isAdmin: true });
    await openKeyList(at);
    const menu = at.button(/^Menu: /);
    for (const link of await links().all()) {
      await menu.click();
      const box = await link.boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= phone.width, 'in view').to.equal(true);
      expect(box && box.height >= 44, 'as high as a thumb').to.equal(true);
      await link.click();
      const label = await link.textContent();
      await isTitled(label === 'Admin' ? 'Users' : label);
      await at.fitsWidth();
    }
    await at.page.goto('/account/servers/unknown');
    await isTitled('No such server');
  });

  it('says in the closed menu of a narrow window where the user is and what waits, and closes by Escape', async () => {
    await at.page.setViewportSize({ width: 768, height: 1024 });
    await at.openTicket('Lag');
    at.user = await at.service.addUser({ isSupport: true });
    await at.arrive('/account');
    const menu = at.button('Menu: Support desk 1 waiting');
    await menu.press('Enter');
    await at.page.keyboard.press('Tab');
    await at.hasFocus(at.link('Servers'));
    await at.isFit();
    await at.page.keyboard.press('Escape');
    await links().first().waitFor({ state: 'hidden' });
    await at.hasFocus(menu);
  });

  it('stands beside the content of a wide window in groups, with the pages of administrators', async () => {
    at.user = await at.service.addUser({ isAdmin: true });
    await at.arrive('/account#admin/catalog');
    await at.heading('Catalog').waitFor();
    const groups = await bar().getByRole('group').all();
    const names = await Promise.all(groups.map((group) => group.getAttribute('aria-label')));
    expect(names).to.deep.equal(['Developers', 'Account', 'Staff']);
    await waitForTexts(bar().locator('[aria-current="page"]'), ['Catalog']);
    await at.link('Users').click();
    await at.heading('Users').waitFor();
    await waitForTexts(bar().locator('[aria-current="page"]'), ['Users']);
    await at.link('News').click();
    await waitForTexts(bar().locator('[aria-current]'), []);
    await at.isFit();
  });

  it('begins with a link that skips to the content and leaves the address', async () => {
    await openKeyList(at);
    await at.page.keyboard.press('Tab');
    await at.hasFocus(at.link('Skip to content'));
    await at.page.keyboard.press('Enter');
    await at.hasFocus(at.heading('API keys'));
    expect(new URL(at.page.url()).hash).to.equal('#keys');
  });

  it("moves by arrow keys, Home and End between the items of the account's menu", async () => {
    await openKeyList(at);
    await at.button('Your account').press('Enter');
    const keys = {
      ArrowDown: 'Change password',
      ArrowUp: 'Sign out',
      Home: 'Change password',
      End: 'Sign out',
    };
    for (const [key, item] of Object.entries(keys)) {
      await at.page.keyboard.press(key);
      await at.hasFocus(at.button(item));
    }
    await at.page.keyboard.press('Escape');
    await at.hasFocus(at.button('Your account'));
  });

  it('starts each section at its top, and returns to where the user was', async () => {
    await at.page.setViewportSize({ width: 1280, height: 300 });
    await openKeyList(at);
    await at.page.evaluate('scrollTo(0, 100)');
    await openSection(at.page, 'Tickets');
    await at.heading('Tickets').waitFor();
    const scrolled = (top: number) =>
      eventually(async () => expect(await at.page.evaluate('scrollY')).to.equal(top));
    await scrolled(0);
    await at.page.goBack();
    await scrolled(100);
  });

  it('leaves pages without content as high as the window', async () => {
    const areFit = async (heading: string) => {
      await at.heading(heading).waitFor();
      for (const size of [phone, { width: 1280, height: 800 }]) {
        await at.page.setViewportSize(size);
        expect(await overflowHeight(at.page), heading).to.equal(0);
      }
    };
    await at.page.goto('/account');
    await areFit('Sign in');
    await at.arrive('/account#subscriptions');
    await areFit('No subscriptions');
  });

  it('offers to load the page again where a part of it is gone since an update', async () => {
    await openKeyList(at);
    const refuse = (route: { fulfill(answer: object): Promise<void> }) => route.fulfill({ status: 404 });
    await at.visitor.context.route('**/chunk-*', refuse);
    await openSection(at.page, 'Subscriptions');
    await at.see('This part of the page did not load.');
    await at.visitor.context.unroute('**/chunk-*', refuse);
    at.expected = [consoleErrorOf(404, 'Not Found')];
    await at.button('Try again').click();
    await at.heading('Subscriptions').waitFor();
  });

  it('retries failed requests when the connection returns', async () => {
    await openKeyList(at);
    await at.visitor.context.setOffline(true);
    await openSection(at.page, 'Tickets');
    await at.see('The service did not answer');
    at.expected = at.visitor.complaints.map(() => 'Failed to load resource: net::ERR_INTERNET_DISCONNECTED');
    await at.visitor.context.setOffline(false);
    await at.heading('No tickets yet').waitFor();
  });

  it('opens on servers for a customer and on the support desk for staff, unless a link leads elsewhere', async () => {
    for (const [staff, heading] of [
      [{}, 'Servers'],
      [{ isSupport: true }, 'Support desk'],
    ] as const) {
      const visitor = await at.browser.newVisitor(at.service.url);
      await signInWithoutForm(visitor, await at.service.addUser(staff));
      const page = await visitor.openTab('/account#unknown');
      await createPageQueries({ page }).heading(heading).waitFor();
      await visitor.close();
    }
  });
});
