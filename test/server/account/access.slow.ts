/** Accessibility of the account page: viewports, color schemes, keyboard, screen readers, layout shifts. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import {
  createKey,
  dialogOf,
  keyOf,
  layoutShiftOf,
  putAway,
  signIn,
  widthBeyond,
} from '../../support/account-page.ts';
import { openBrowser, seriousBarriers, type TestBrowser, type Visitor } from '../../support/browser.ts';
import { looks } from '../../support/camera.ts';
import { startTestService, type TestService } from '../../support/service.ts';

describe('accessibility of the account page', () => {
  let service: TestService;
  let browser: TestBrowser;
  let user: UserRecord;
  let visitor: Visitor;

  before(async () => {
    service = await startTestService();
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });
  beforeEach(async () => {
    user = await service.addUser();
  });
  afterEach(() => visitor.close());

  for (const { name, options } of looks)
    it(`${name}: has no horizontal overflow and no serious axe violation`, async () => {
      visitor = await browser.newVisitor(service.url, { ...options, reducedMotion: 'reduce' });
      const page = await visitor.openTab('/account');
      const check = async (view: string) => {
        expect(await widthBeyond(page), view).to.equal(0);
        expect(await seriousBarriers(page), view).to.deep.equal([]);
      };
      await page.getByLabel('E-mail').waitFor();
      await check('the sign-in');
      await signIn(page, user.email);
      await page.getByText('No live keys').waitFor();
      await check('the empty list');
      await page.getByRole('button', { name: 'Create key' }).click();
      await dialogOf(page).getByRole('button', { name: 'Create key' }).click();
      await check('an incomplete key');
      await page.keyboard.press('Escape');
      await createKey(page, 'x'.repeat(100));
      await check('the secret');
      await putAway(page);
      await keyOf(page, 'xxx').waitFor();
      await check('the list');
      await page.getByRole('button', { name: 'Rotate xxx' }).click();
      await check('the rotation');
    });

  it('works by keyboard alone, and returns the focus when a dialog closes', async () => {
    visitor = await browser.newVisitor(service.url);
    const page = await visitor.openTab('/account');
    const focused = () => page.locator(':focus');
    await page.locator('input[name=email]:focus').waitFor();
    await page.keyboard.type(user.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('correct horse');
    await page.keyboard.press('Enter');
    await page.getByText('No live keys').waitFor();
    await page.getByRole('button', { name: 'Create key' }).focus();
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor();
    await page.keyboard.press('Escape');
    expect(await focused().textContent()).to.equal('Create key');
    await page.keyboard.press('Enter');
    await page.locator('input[name=name]:focus').waitFor();
    await page.keyboard.type('Keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await dialogOf(page).getByRole('tab', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowLeft');
    expect(await focused().textContent()).to.equal('MCP');
    await page.keyboard.press('Escape');
    expect(await dialogOf(page).isVisible(), 'Escape does not lose the secret').to.equal(true);
    await dialogOf(page).getByRole('button', { name: 'I have copied it' }).focus();
    await page.keyboard.press('Enter');
    await keyOf(page, 'Keyboard').waitFor();
    expect(await dialogOf(page).count()).to.equal(0);
  });

  it('loads without layout shifts', async () => {
    visitor = await browser.newVisitor(service.url);
    const page = await visitor.openTab('/account');
    await signIn(page, user.email);
    await createKey(page, 'One');
    await putAway(page);
    await page.reload();
    await keyOf(page, 'One').waitFor();
    expect(await layoutShiftOf(page)).to.be.below(0.02);
  });
});
