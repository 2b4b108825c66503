/** The tabs of the account page: menu, titles, retries and where each user arrives. */
import { expect } from 'chai';
import {
  createPageQueries,
  openKeyList,
  openSection,
  signInWithoutForm,
  useAccountPage,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

describe('the tabs of the account page', () => {
  const at = useAccountPage();

  const tabs = () => at.page.getByRole('navigation', { name: 'Account' }).getByRole('link');
  const isTitled = (title: string | null) =>
    eventually(async () => expect(await at.page.title()).to.equal(`${title} · gamehost`));

  it("form a menu on a phone, and each names its section in the browser's title", async () => {
    await at.page.setViewportSize({ width: 360, height: 740 });
    await at.page.goto('/account');
    await isTitled('Sign in');
    at.user = await at.service.addUser({ isAdmin: true });
    await openKeyList(at);
    const menu = at.button(/^Menu: /);
    await menu.press('Enter');
    await tabs().last().waitFor();
    await at.page.keyboard.press('Escape');
    await tabs().last().waitFor({ state: 'hidden' });
    for (const tab of await at.page.getByRole('navigation', { name: 'Account' }).locator('a').all()) {
      await menu.click();
      const box = await tab.boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= 360, 'in view').to.equal(true);
      await tab.click();
      const label = await tab.textContent();
      await isTitled(label === 'Admin' ? 'Users' : label);
      await at.fitsWidth();
    }
    await at.page.goto('/account/servers/unknown');
    await isTitled('No such server');
  });

  it('retry failed requests when the connection returns', async () => {
    await openKeyList(at);
    await at.visitor.context.setOffline(true);
    await openSection(at.page, 'Activity');
    await at.see('The service did not answer');
    at.expected = at.visitor.complaints.map(() => 'Failed to load resource: net::ERR_INTERNET_DISCONNECTED');
    await at.visitor.context.setOffline(false);
    await at.page.getByRole('figure').first().waitFor();
  });

  it('open on servers for a customer and on the support desk for staff, unless a link leads elsewhere', async () => {
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
