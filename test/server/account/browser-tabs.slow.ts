/** The tabs of the account page. */
import { expect } from 'chai';
import { enter, stageAccountPage, widthBeyond } from '../../support/account-page.ts';

describe('the tabs of the account page', () => {
  const at = stageAccountPage();

  it('stand in one row on a phone, with the one that is shown in view', async () => {
    await at.page.setViewportSize({ width: 360, height: 740 });
    at.user = await at.service.addUser({ isAdmin: true });
    await enter(at);
    const tabs = at.page.getByRole('navigation', { name: 'Account' }).getByRole('link');
    await tabs.last().click();
    await at.page.getByRole('heading', { name: 'Activity', exact: true }).waitFor();
    const boxes = await Promise.all((await tabs.all()).map((tab) => tab.boundingBox()));
    expect(new Set(boxes.map((box) => box?.y)).size).to.equal(1);
    const shown = boxes.at(-1);
    expect(shown && shown.x >= 0 && shown.x + shown.width <= 360).to.equal(true);
    expect(await widthBeyond(at.page)).to.equal(0);
  });

  it('lead to the keys from an address that names none of them', async () => {
    await enter(at);
    await at.page.goto('/account#support');
    await at.page.getByRole('heading', { name: 'API keys' }).waitFor();
  });
});
