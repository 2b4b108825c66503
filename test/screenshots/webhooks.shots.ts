/** npm run screenshots: webhooks with their deliveries, for a person to look at. */
import { putAway } from '../support/account-page.ts';
import { looks, photograph } from '../support/camera.ts';
import { stageWebhooks } from '../support/webhook-page.ts';

describe('the page of webhooks', () => {
  const { at, receiver, button, item, inDialog, deliveries, open, create } = stageWebhooks();

  for (const { name, options } of looks)
    it(`fits and has no serious axe violation, ${name}`, async () => {
      const { viewport, colorScheme } = options;
      await at.page.setViewportSize(viewport);
      await at.page.emulateMedia({ colorScheme });
      const shoot = (title: string, isWhole = false) =>
        photograph(at.page, `webhooks-${title}-${name}`, { isWhole });
      await open();
      await shoot('01-none');
      await button('Create webhook').click();
      await inDialog('Create webhook').click();
      await at.page.locator('[aria-invalid="true"]:focus').waitFor();
      await shoot('02-create-incomplete');
      await inDialog('Cancel').click();
      await create();
      await shoot('03-secret');
      await putAway(at.page);
      await button('Send a test to Status page').click();
      await deliveries().getByText('Delivered', { exact: true }).waitFor();
      await shoot('04-delivered', true);
      receiver.respondWith(410);
      await button('Send a test to Status page').click();
      await item().getByText('It was turned off').waitFor();
      await shoot('05-turned-off', true);
      await button('Edit Status page').click();
      await shoot('06-edit');
      await inDialog('Cancel').click();
      await create({ url: `${receiver.origin}/${'x'.repeat(300)}`, name: 'x'.repeat(200) });
      await shoot('07-secret-of-a-long-name');
      await putAway(at.page);
      await button(/^Delete xxx/).click();
      await shoot('08-delete-a-long-name');
      await inDialog('Cancel').click();
      await shoot('09-long-name', true);
    });
});
