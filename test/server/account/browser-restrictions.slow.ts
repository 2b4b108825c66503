/** The restrictions of a new key in a browser, on a phone and by keyboard alone. */
import { expect } from 'chai';
import { panelServer } from '../../../server/panel/demo/attributes.ts';
import { dialogOf, enter, refusal, shownSecret, stageAccountPage } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { createKeyboard } from '../../support/keyboard.ts';

describe('the restrictions of a new key on the account page', () => {
  const at = stageAccountPage();
  const { press, write } = createKeyboard(at);
  const inDialog = (name: string) => dialogOf(at.page).getByRole('button', { name, exact: true });
  const server = (name: string) => dialogOf(at.page).getByRole('checkbox', { name });
  const addresses = () => dialogOf(at.page).getByRole('textbox', { name: 'Addresses' });
  const restrictions = () => dialogOf(at.page).getByText('Restrict it to servers or addresses');

  beforeEach(async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    at.service.panel.servers.set(7, [
      panelServer({ identifier: 'a1b2c3d4', name: 'Survival' }),
      panelServer({ identifier: 'b1b2c3d4', name: 'Creative, of a rather long title', uuid: 'b-uuid' }),
    ]);
    at.service.clock.advance(60_000); // past every cache
  });

  it('can be chosen by keyboard alone and are in force at once', async () => {
    await at.page.setViewportSize({ width: 360, height: 800 });
    await enter(at);
    await press(at.page.getByRole('button', { name: 'Create key' }).first());
    await write(dialogOf(at.page).getByLabel('Name'), 'Restart robot');
    await press(dialogOf(at.page).getByRole('checkbox', { name: 'read:account' }), 'Space');
    await press(restrictions());
    await press(server('Survival'), 'Space');
    await write(addresses(), '127.0.0.0/8, 2001:db8::/48');
    await press(inDialog('Create key'));
    const key = await shownSecret(at.page);
    const { body } = await at.service.call('GET', '/key', { key });
    expect(body.key.servers).to.deep.equal(['a1b2c3d4']);
    expect(body.key.addresses).to.deep.equal(['127.0.0.0/8', '2001:db8::/48']);
    const hidden = await at.service.call('GET', '/servers/b1b2c3d4', { key });
    expect(hidden.status).to.equal(404);
    await press(inDialog('I have copied it'));
    const item = at.page.getByRole('listitem').filter({ hasText: 'Restart robot' });
    await item.getByText('a1b2c3d4').waitFor();
    await item.getByText('127.0.0.0/8').waitFor();
  });

  it('that are no addresses are refused in a sentence that names the field, and nothing typed is lost', async () => {
    at.expected = [refusal(400, 'Bad Request')];
    await enter(at);
    await at.page.getByRole('button', { name: 'Create key' }).first().click();
    await dialogOf(at.page).getByLabel('Name').fill('Robot');
    await dialogOf(at.page).getByRole('checkbox', { name: 'read:account' }).check();
    await restrictions().click();
    await server('Survival').check();
    await addresses().fill('everywhere');
    await inDialog('Create key').click();
    await at.page
      .locator('.notice.is-danger:focus')
      .getByText(/^Each of “[^”]+” must be an address or a range/)
      .waitFor();
    await at.page.keyboard.press('Escape');
    await at.page.getByRole('button', { name: 'Create key' }).first().click();
    await server('Survival').waitFor();
    await eventually(async () => expect(await addresses().inputValue()).to.equal('everywhere'));
    await eventually(async () => expect(await server('Survival').isChecked()).to.equal(true));
  });
});
