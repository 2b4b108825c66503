/** Two administrators who change the same object on the account page, in a real browser. */
import { expect } from 'chai';
import { waitForValue } from '../../support/account-page.ts';
import { useAdminPage } from '../../support/admin-page.ts';

describe('a change by another administrator', () => {
  const at = useAdminPage();
  const open = (name: string) => at.arrive(`/account#admin/${name}`);

  const inForm = (name: string) => at.dialog().first().getByRole('button', { name, exact: true });
  const field = (label: string) => at.dialog().first().getByLabel(label, { exact: true });
  const overwrite = async () => {
    await conflictDialog().getByRole('button', { name: 'Overwrite it' }).click();
    await at.see('is changed.');
  };
  const conflictDialog = () => at.page.getByRole('dialog', { name: 'Changed by someone else meanwhile' });

  const plan = (title: string) => ({ title, price: '9.99', period: 'month' });
  const put = (game: object) => at.service.call('PUT', '/admin/games/rust', { key: at.key, body: game });
  const game = async () => (await at.service.call('GET', '/admin/games/rust', { key: at.key })).body.game;
  const plansOf = async () => (await game()).plans.map(({ title }: { title: string }) => title);

  it('appears before a game is overwritten, and its added plan is kept', async () => {
    await put({ title: 'Rust', plans: [plan('Iron')] });
    await open('catalog');
    await at.button('Edit Rust').click();
    await field('In one sentence').fill('Survive.');
    await put({ title: 'Rust', category: 'Survival', plans: [plan('Iron'), plan('Gold')] });
    await inForm('Save').click();
    await conflictDialog().getByText('category: Survival').waitFor();
    expect(await game()).to.include({ shortDesc: null });
    await overwrite();
    expect(await game()).to.include({ shortDesc: 'Survive.', category: null });
    expect(await plansOf()).to.deep.equal(['Iron', 'Gold']);
    expect(await at.page.evaluate('sessionStorage.length')).to.equal(0);
  });

  it('is loaded into the form if the administrator wants it', async () => {
    await put({ title: 'Rust' });
    await open('catalog');
    await at.button('Edit Rust').click();
    await field('Category').fill('Shooter');
    await put({ title: 'Rust', category: 'Survival' });
    await inForm('Save').click();
    await conflictDialog().getByRole('button', { name: 'Discard mine and load theirs' }).click();
    await waitForValue(field('Category'), 'Survival');
    await field('In one sentence').fill('Survive.');
    await inForm('Save').click();
    await at.see('is changed.');
    expect(await game()).to.include({ shortDesc: 'Survive.', category: 'Survival' });
  });

  it('is detected by an older draft, even after a reload', async () => {
    await put({ title: 'Rust' });
    await open('catalog');
    await at.button('Edit Rust').click();
    await field('Category').fill('Shooter');
    await put({ title: 'Rust', category: 'Survival' });
    await at.page.reload();
    await at.button('Edit Rust').click();
    await waitForValue(field('Category'), 'Shooter');
    await inForm('Save').click();
    await conflictDialog().waitFor();
    expect(await game()).to.include({ category: 'Survival' });
  });

  it('may move a plan without blocking its edit, and appears before a game that it hid is published', async () => {
    await put({ title: 'Rust', plans: [plan('Iron'), plan('Gold')] });
    await open('catalog');
    await at.button('Edit the plan Gold').click();
    await field('Price').fill('19.99');
    await put({ title: 'Rust', plans: [plan('Gold')] });
    await inForm('Save').click();
    await overwrite();
    expect((await game()).plans).to.have.lengthOf(1);
    expect((await game()).plans[0]).to.include({ title: 'Gold', price: '19.99' });
    await put({ title: 'Rust', active: false });
    await at.button('Hide Rust').click();
    await at.see('Someone else has changed this');
    await at.button('Publish Rust').click();
    await at.button('Hide Rust').waitFor();
  });

  it('may delete a plan without affecting the draft of another plan', async () => {
    await put({ title: 'Rust', plans: [plan('Iron'), plan('Gold')] });
    await open('catalog');
    await at.button('Edit the plan Iron').click();
    await field('Subtitle').fill('For friends');
    await at.page.keyboard.press('Escape');
    await at.button('Delete the plan Iron').click();
    await inForm('Delete plan').click();
    await at.button('Edit the plan Iron').waitFor({ state: 'detached' });
    await at.button('Edit the plan Gold').click();
    expect(await field('Title').inputValue()).to.equal('Gold');
    expect(await field('Subtitle').inputValue()).to.equal('');
  });

  it('may give two plans the same title, and each keeps its own draft', async () => {
    await put({
      title: 'Rust',
      plans: [plan('Iron'), { ...plan('Iron'), price: '99.99', period: 'year' }],
    });
    await open('catalog');
    const edit = (index: number) => at.button('Edit the plan Iron').nth(index).click();
    await edit(0);
    await field('Subtitle').fill('By the month');
    await at.page.keyboard.press('Escape');
    await edit(1);
    await waitForValue(field('Price'), '99.99');
    expect(await field('Subtitle').inputValue()).to.equal('');
    await field('Subtitle').fill('By the year');
    await inForm('Save').click();
    await at.see('is changed.');
    const { plans } = await game();
    expect(plans.map(({ price, subtitle }: Record<string, string>) => [price, subtitle])).to.deep.equal([
      ['9.99', ''],
      ['99.99', 'By the year'],
    ]);
    await edit(0);
    await waitForValue(field('Subtitle'), 'By the month');
  });

  it('appears before an announcement is changed or published', async () => {
    const body = { title: 'Prices', message: 'Lower.' };
    const { announcement } = (await at.service.call('POST', '/admin/announcements', { key: at.key, body }))
      .body;
    const path = `/admin/announcements/${announcement.id}`;
    const patch = (changes: object) => at.service.call('PATCH', path, { key: at.key, body: changes });
    await open('announcements');
    await at.button('Edit Prices').click();
    await field('Message').fill('Much lower.');
    await patch({ message: 'Higher.' });
    await inForm('Save').click();
    await conflictDialog().getByText('message: Higher.').waitFor();
    await overwrite();
    await patch({ message: 'Even higher.' });
    await at.button('Publish Prices').click();
    await inForm('Publish now').click();
    await at.see('Someone else has changed this');
    expect((await at.service.call('GET', path, { key: at.key })).body.announcement.status).to.equal('draft');
    await inForm('Cancel').click();
    await at.button('Publish Prices').click();
    let writes = 0;
    at.page.on('request', (request) => {
      if (request.method() === 'POST') writes += 1;
    });
    await inForm('Publish now').click();
    await at.see('is published.');
    expect(writes).to.equal(1);
  });

  it("appears before a user's panel user is changed", async () => {
    const customer = await at.service.addUser({ panelUserId: 7 });
    await open(`user-${customer._id}`);
    await at.button(`Change the panel user of ${customer.email}`).click();
    await field('Id of the panel user').fill('9');
    await at.service.models.users.change(customer.email, { panelUserId: 8 });
    await inForm('Save').click();
    await conflictDialog().getByText('panel_user_id: 8').waitFor();
    await conflictDialog().getByRole('button', { name: 'Overwrite it' }).click();
    await at.see('has the servers of panel user 9');
  });
});
