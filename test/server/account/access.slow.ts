/** Accessibility of the account page: the keyboard and layout shifts; test/screenshots looks at each of its states. */
import { expect } from 'chai';
import {
  createKey,
  dialogOf,
  enter,
  keyOf,
  layoutShiftOf,
  putAway,
  stageAccountPage,
} from '../../support/account-page.ts';

describe('accessibility of the account page', () => {
  const at = stageAccountPage();

  it('works by keyboard alone, and returns the focus when a dialog closes', async () => {
    const { page, user } = at;
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
    const { page } = at;
    await enter(at);
    await createKey(page, 'One');
    await putAway(page);
    await page.reload();
    await keyOf(page, 'One').waitFor();
    expect(await layoutShiftOf(page)).to.be.below(0.02);
  });
});
