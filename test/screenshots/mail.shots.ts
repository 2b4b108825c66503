/** npm run screenshots: mail as a reader sees it, the page that turns a kind off, and the user's choice. */
import type { Page } from 'playwright-core';
import { writeNotice } from '../../server/mail/layout.ts';
import { noticeOf } from '../../server/mail/notices.ts';
import { unsubscribePath } from '../../server/mail/unsubscribe.ts';
import { signIn } from '../support/account-page.ts';
import { describeAppearances, type TakeScreenshot } from '../support/page-appearances.ts';
import { sampleEvents } from '../support/sample-notices.ts';

describeAppearances({
  name: 'mail',
  shows: 'the mail and the page that turns it off',
  prepare: ({ models }) => models.notices.applySettings(['customer'], new Date(0)),
  async visit({ service, open }) {
    const user = await service.addUser({ nickname: 'dana' });
    const token = await service.models.notices.signUnsubscription({
      userId: user._id,
      kind: 'ticket_closed',
    });
    const { page, shoot } = await open(`${unsubscribePath}?token=${token}`);
    const button = page.getByRole('button', { name: 'Turn them off' });
    await button.waitFor();
    await shoot('01-asked');
    await button.click();
    await page.getByText('These mails are off').waitFor();
    await shoot('02-off');
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await signIn(page, user.email);
    await choose(page, shoot);
    await readMails(page, shoot);
  },
});

async function choose(page: Page, shoot: TakeScreenshot) {
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('button', { name: 'Mail', exact: true }).click();
  const isTold = page.getByRole('checkbox', { name: /closed one of your tickets/ });
  await isTold.waitFor();
  if (await isTold.isChecked()) throw new Error('it was turned off by the link');
  await isTold.check();
  await shoot('03-choice');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
}

async function readMails(page: Page, shoot: TakeScreenshot) {
  const brand = { name: 'Example Hosting', publicUrl: 'https://games.example' };
  const [answered, , created, , , , , , , , , collected] = sampleEvents.customer;
  for (const [name, event] of Object.entries({ answered, created, collected })) {
    const notice = event && noticeOf(event, 'customer');
    if (!notice) throw new Error('there are samples');
    await page.goto('about:blank'); // a page of the service allows no foreign styles
    await page.setContent(
      writeNotice(brand, notice, { unsubscribeUrl: 'https://games.example/account/mail/off?token=1' }).html,
    );
    await shoot(`04-${name}`);
  }
}
