/** What the page of keys says in a browser where new keys must expire, and where the service does not see addresses. */
import { expect } from 'chai';
import { dialogOf, enter, keyOf, signIn, stageAccountPage } from '../../support/account-page.ts';
import { seriousBarriers } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestService } from '../../support/service.ts';

const dayMs = 24 * 60 * 60 * 1000;

describe('the page of keys', () => {
  const config = { keyMaxDays: 30, publicUrl: 'https://api.example.com' };
  const at = stageAccountPage(() => startTestService({ config }));

  it('marks keys that outlive what new ones may, and says that addresses cannot be restricted', async () => {
    const issue = (name: string, expiresAt: Date | null) =>
      at.service.models.apiKeys.issue(
        { userId: at.user._id, name, scopes: ['read:account'], expiresAt },
        new Date(),
      );
    await issue('For ever', null);
    await issue('Longer', new Date(Date.now() + 31 * dayMs));
    await issue('Within', new Date(Date.now() + 29 * dayMs));
    await enter(at);
    const mark = 'Outlives the 30 days of new keys';
    for (const name of ['For ever', 'Longer']) await keyOf(at.page, name).getByText(mark).waitFor();
    await eventually(async () => expect(await keyOf(at.page, 'Within').getByText(mark).count()).to.equal(0));
    await at.page.getByRole('button', { name: 'Create key' }).first().click();
    await dialogOf(at.page).getByText('Restrict it to servers or addresses').click();
    await dialogOf(at.page).getByText('Addresses cannot be restricted here').waitFor();
    await eventually(async () =>
      expect(await dialogOf(at.page).getByRole('textbox', { name: 'Addresses' }).count()).to.equal(0),
    );
    expect(await seriousBarriers(at.page)).to.deep.equal([]);
  });

  it('takes days as they are where the user is', async () => {
    const visitor = await at.browser.newVisitor(at.service.url, { timezoneId: 'Pacific/Kiritimati' });
    const page = await visitor.openTab('/account#keys');
    await page.clock.setFixedTime('2026-11-27T20:00:00Z'); // the 28th there
    await signIn(page, at.user.email);
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await dialogOf(page).getByLabel('Expires').selectOption('date');
    const date = dialogOf(page).getByLabel('Date');
    expect(await date.getAttribute('min')).to.equal('2026-11-29');
    expect(await date.getAttribute('max')).to.equal('2026-12-27');
    await visitor.close();
  });
});
