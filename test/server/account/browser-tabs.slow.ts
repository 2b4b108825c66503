/** The tabs of the account page. */
import { expect } from 'chai';
import { enter, openSection, signIn, stageAccountPage, widthBeyond } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

describe('the tabs of the account page', () => {
  const at = stageAccountPage();

  const tabs = () => at.page.getByRole('navigation', { name: 'Account' }).getByRole('link');

  it('are a menu on a phone, and each names its section in the title of the browser', async () => {
    await at.page.setViewportSize({ width: 360, height: 740 });
    await eventually(async () => expect(await at.page.title()).to.equal('Sign in · gamehost'));
    at.user = await at.service.addUser({ isAdmin: true });
    await enter(at);
    const titles = new Set<string>();
    const menu = at.page.getByRole('button', { name: /^Menu: / });
    await menu.press('Enter');
    await tabs().last().waitFor();
    await at.page.keyboard.press('Escape');
    await tabs().last().waitFor({ state: 'hidden' });
    const names = await at.page.getByRole('navigation', { name: 'Account' }).locator('a').all();
    for (const tab of names) {
      await menu.click();
      const box = await tab.boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= 360, 'in view').to.equal(true);
      await tab.click();
      const label = await tab.textContent();
      const title = label === 'Admin' ? 'Users' : label;
      await eventually(async () => expect(await at.page.title()).to.equal(`${title} · gamehost`));
      titles.add(await at.page.title());
      await eventually(async () => expect(await widthBeyond(at.page), 'pixels beyond the width').to.equal(0));
    }
    expect(titles.size).to.equal(names.length);
  });

  it('of an administrator stand in one row on a screen of 1280 pixels', async () => {
    await at.page.setViewportSize({ width: 1280, height: 860 });
    const { _id: userId } = at.user;
    const now = new Date();
    const about = { serviceName: null, serviceReference: null, serviceType: null };
    for (let count = 0; count < 12; count += 1)
      await at.service.models.tickets.open({ userId, keyId: '', subject: 'Lag', text: 'Hi', now, ...about });
    at.user = await at.service.addUser({ isAdmin: true });
    await enter(at);
    await at.page.locator('[aria-description$="tickets wait"]').waitFor();
    const boxes = await Promise.all((await tabs().all()).map((tab) => tab.boundingBox()));
    expect(boxes.length).to.be.above(8);
    expect(new Set(boxes.map((box) => box?.y)).size, 'rows').to.equal(1);
    expect(await widthBeyond(at.page)).to.equal(0);
  });

  it('name what is missing in the title of the browser', async () => {
    await at.page.goto('/account/servers/unknown');
    await signIn(at.page, at.user.email);
    await at.page.getByText('No such server').waitFor();
    await eventually(async () => expect(await at.page.title()).to.equal('No such server · gamehost'));
  });

  it('load again what failed when the line is back', async () => {
    at.expected = ['Failed to load resource: net::ERR_INTERNET_DISCONNECTED'];
    await enter(at);
    await at.visitor.context.setOffline(true);
    await openSection(at.page, 'Activity');
    await at.page.getByText('The service did not answer').first().waitFor();
    const failed = at.visitor.complaints.length;
    at.expected = Array.from({ length: failed }, () => at.expected[0] ?? '');
    await at.visitor.context.setOffline(false);
    await at.page.getByRole('figure').first().waitFor();
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
