/** Accessibility of webhooks on the account page: the keyboard, viewports, color schemes and screen readers. */
import { expect } from 'chai';
import { putAway, widthBeyond } from '../../support/account-page.ts';
import { seriousBarriers } from '../../support/browser.ts';
import { looks } from '../../support/camera.ts';
import { stageWebhooks } from '../../support/webhook-page.ts';

describe('webhooks on the account page', () => {
  const { at, scene, button, item, inDialog, focused, deliveries, open, create } = stageWebhooks();

  it('work by keyboard alone', async () => {
    await open();
    const press = async (...keys: string[]) => {
      for (const key of keys) await at.page.keyboard.press(key);
    };
    await button('Create webhook').focus();
    await press('Enter');
    await at.page.locator('input[name=url]:focus').waitFor();
    await at.page.keyboard.type(scene.receiver.url);
    await press('Tab', 'Tab', 'Space', 'Shift+Tab', 'Shift+Tab', 'Enter');
    await inDialog('I have copied it').focus();
    await press('Enter');
    await focused('Create webhook').waitFor();
    await item().getByText('Everything that happens.').waitFor();
    const host = new URL(scene.receiver.url).host;
    await button(`Send a test to ${host}`).focus();
    await press('Enter');
    await deliveries().getByText('Delivered', { exact: true }).waitFor();
    await focused(`Send a test to ${host}`).waitFor();
    await press('Tab', 'Tab', 'Tab', 'Tab', 'Enter');
    await at.page.getByRole('heading', { name: `Delete ${host}?` }).waitFor();
    await press('Escape');
    await focused(`Delete ${host}`).waitFor();
    await press('Tab', 'Enter');
    await deliveries().first().waitFor({ state: 'hidden' });
    await press('Enter', 'Tab');
    await focused(/^Send again webhook.test/).waitFor();
  });

  for (const { name, options } of looks)
    it(`${name}: have no horizontal overflow and no serious axe violation`, async () => {
      await at.visitor.close();
      at.visitor = await at.browser.newVisitor(at.service.url, { ...options, reducedMotion: 'reduce' });
      at.page = await at.visitor.openTab('/account');
      const check = async (view: string) => {
        expect(await widthBeyond(at.page), view).to.equal(0);
        expect(await seriousBarriers(at.page), view).to.deep.equal([]);
      };
      await open();
      await check('the empty list');
      await button('Create webhook').click();
      await inDialog('Create webhook').click();
      await at.page.locator('input[name=url]:focus').waitFor();
      await check('an incomplete webhook');
      await inDialog('Cancel').click();
      await create({ url: `${scene.receiver.origin}/${'x'.repeat(300)}`, name: 'x'.repeat(200) });
      await check('the secret');
      await putAway(at.page);
      await button(/^Send a test/).click();
      await deliveries().getByText('Delivered', { exact: true }).waitFor();
      await check('a delivery');
      await button(/^Delete/).click();
      await check('the deletion');
    });
});
