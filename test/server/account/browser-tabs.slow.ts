/** The tabs of the account page. */
import { expect } from 'chai';
import { enter, signIn, stageAccountPage, widthBeyond } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

describe('the tabs of the account page', () => {
  const at = stageAccountPage();

  const tabs = () => at.page.getByRole('navigation', { name: 'Account' }).getByRole('link');

  it('are all in view on a phone, and each names its section in the title of the browser', async () => {
    await at.page.setViewportSize({ width: 360, height: 740 });
    await eventually(async () => expect(await at.page.title()).to.equal('Sign in · gamehost'));
    at.user = await at.service.addUser({ isAdmin: true });
    await enter(at);
    const titles = new Set<string>();
    for (const tab of await tabs().all()) {
      const box = await tab.boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= 360, 'in view').to.equal(true);
      await tab.click();
      const label = await tab.textContent();
      await eventually(async () => expect(await at.page.title()).to.equal(`${label} · gamehost`));
      titles.add(await at.page.title());
      await eventually(async () => expect(await widthBeyond(at.page), 'pixels beyond the width').to.equal(0));
    }
    expect(titles.size).to.equal(await tabs().count());
  });

  it('lead a customer to the servers and staff to the support desk, where no link leads elsewhere', async () => {
    for (const [staff, heading] of [
      [{}, 'Servers'],
      [{ isSupport: true }, 'Support desk'],
    ] as const) {
      const { email } = await at.service.addUser(staff);
      const visitor = await at.browser.newVisitor(at.service.url);
      const page = await visitor.openTab('/account#unknown');
      await signIn(page, email);
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
      await visitor.close();
    }
  });

  it('count the answers to read for a customer, and the tickets that wait for support', async () => {
    const { models, connection } = at.service;
    await connection.collection('tickets').deleteMany({});
    const now = new Date();
    const about = { serviceName: null, serviceReference: null, serviceType: null };
    const opening = { userId: at.user._id, keyId: '', subject: 'Lag', text: 'It lags.', now, ...about };
    for (const subject of ['Lag', 'Crash']) await models.tickets.open({ ...opening, subject });
    const staff = await at.service.addUser({ isSupport: true });
    const other = await at.browser.newVisitor(at.service.url);
    const desk = await other.openTab('/account');
    await signIn(desk, staff.email);
    await desk.locator('[aria-description="2 tickets wait"]').waitFor();
    await desk.getByRole('link', { name: 'Lag' }).click();
    await desk.getByLabel('Your answer').fill('We moved your server.');
    await desk.getByRole('button', { name: 'Send answer' }).click();
    await desk.getByRole('list', { name: 'Messages' }).getByText('We moved your server.').waitFor();
    await enter(at);
    await at.page.locator('[aria-description="1 with answers to read"]').click();
    await at.page.getByRole('link', { name: 'Lag' }).click();
    await at.page.getByText('We moved your server.').waitFor();
    await at.page.getByRole('link', { name: 'All tickets' }).click();
    await at.page.locator('[aria-description="1 with answers to read"]').waitFor({ state: 'detached' });
  });
});
