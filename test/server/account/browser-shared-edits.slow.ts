/** Two administrators who change the same on the account page: nobody overwrites what the page did not show, unless told to. */
import { expect } from 'chai';
import { dialogOf, signIn, stageAccountPage } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

describe('what somebody else changed meanwhile', () => {
  const at = stageAccountPage();
  let key: string;
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });
  const inForm = (name: string) => dialogOf(at.page).first().getByRole('button', { name, exact: true });
  const field = (label: string) => dialogOf(at.page).first().getByLabel(label, { exact: true });
  const told = () => at.page.getByRole('dialog', { name: 'Changed by somebody else meanwhile' });

  const plan = (title: string) => ({ title, price: '9.99', period: 'month' });
  const put = (game: object) => at.service.call('PUT', '/admin/games/rust', { key, body: game });
  const game = async () => (await at.service.call('GET', '/admin/games/rust', { key })).body.game;
  const plansOf = async () => (await game()).plans.map(({ title }: { title: string }) => title);

  beforeEach(async () => {
    for (const name of ['games', 'announcements'])
      await at.service.connection.collection(name).deleteMany({});
    at.user = await at.service.addUser({ isAdmin: true });
    key = (await at.service.addKey({ user: at.user })).secret;
  });

  const open = async (name: string) => {
    await at.page.goto(`/account#admin/${name}`);
    await signIn(at.page, at.user.email);
  };

  it('of a game is shown before a change goes over it, and its new plan stays', async () => {
    await put({ title: 'Rust', plans: [plan('Iron')] });
    await open('catalog');
    await button('Edit Rust').click();
    await field('In one sentence').fill('Survive.');
    await put({ title: 'Rust', category: 'Survival', plans: [plan('Iron'), plan('Gold')] });
    await inForm('Save').click();
    await told().getByText('category: Survival').waitFor();
    expect(await game()).to.include({ shortDesc: null });
    await told().getByRole('button', { name: 'Overwrite it' }).click();
    await at.page.getByText('is changed.').waitFor();
    expect(await game()).to.include({ shortDesc: 'Survive.', category: null });
    expect(await plansOf()).to.deep.equal(['Iron', 'Gold']);
    expect(await at.page.evaluate('sessionStorage.length')).to.equal(0);
  });

  it('of a game is loaded into the form where one chooses so', async () => {
    await put({ title: 'Rust' });
    await open('catalog');
    await button('Edit Rust').click();
    await field('Category').fill('Shooter');
    await put({ title: 'Rust', category: 'Survival' });
    await inForm('Save').click();
    await told().getByRole('button', { name: 'Discard mine and load theirs' }).click();
    await eventually(async () => expect(await field('Category').inputValue()).to.equal('Survival'));
    await field('In one sentence').fill('Survive.');
    await inForm('Save').click();
    await at.page.getByText('is changed.').waitFor();
    expect(await game()).to.include({ shortDesc: 'Survive.', category: 'Survival' });
  });

  it('is known of a draft that was begun before it, after a reload too', async () => {
    await put({ title: 'Rust' });
    await open('catalog');
    await button('Edit Rust').click();
    await field('Category').fill('Shooter');
    await put({ title: 'Rust', category: 'Survival' });
    await at.page.reload();
    await button('Edit Rust').click();
    await eventually(async () => expect(await field('Category').inputValue()).to.equal('Shooter'));
    await inForm('Save').click();
    await told().waitFor();
    expect(await game()).to.include({ category: 'Survival' });
  });

  it('lets a plan be changed that was moved, and a hidden game not be published unseen', async () => {
    at.expected = [];
    await put({ title: 'Rust', plans: [plan('Iron'), plan('Gold')] });
    await open('catalog');
    await button('Edit the plan Gold').click();
    await field('Price').fill('19.99');
    await put({ title: 'Rust', plans: [plan('Gold')] });
    await inForm('Save').click();
    await told().getByRole('button', { name: 'Overwrite it' }).click();
    await at.page.getByText('is changed.').waitFor();
    expect((await game()).plans).to.have.lengthOf(1);
    expect((await game()).plans[0]).to.include({ title: 'Gold', price: '19.99' });
    await put({ title: 'Rust', active: false });
    await button('Hide Rust').click();
    await at.page.getByText('Somebody else has changed it meanwhile').waitFor();
    await button('Publish Rust').click();
    await button('Hide Rust').waitFor();
  });

  it('leaves the draft of a plan to that plan, where another was deleted', async () => {
    await put({ title: 'Rust', plans: [plan('Iron'), plan('Gold')] });
    await open('catalog');
    await button('Edit the plan Iron').click();
    await field('Subtitle').fill('For friends');
    await at.page.keyboard.press('Escape');
    await button('Delete the plan Iron').click();
    await inForm('Delete plan').click();
    await button('Edit the plan Iron').waitFor({ state: 'detached' });
    await button('Edit the plan Gold').click();
    expect(await field('Title').inputValue()).to.equal('Gold');
    expect(await field('Subtitle').inputValue()).to.equal('');
  });

  it('of an announcement is shown before it is changed or published', async () => {
    const body = { title: 'Prices', message: 'Lower.' };
    const { announcement } = (await at.service.call('POST', '/admin/announcements', { key, body })).body;
    const path = `/admin/announcements/${announcement.id}`;
    const patch = (changes: object) => at.service.call('PATCH', path, { key, body: changes });
    await open('announcements');
    await button('Edit Prices').click();
    await field('Message').fill('Much lower.');
    await patch({ message: 'Higher.' });
    await inForm('Save').click();
    await told().getByText('message: Higher.').waitFor();
    await told().getByRole('button', { name: 'Overwrite it' }).click();
    await at.page.getByText('is changed.').waitFor();
    await patch({ message: 'Even higher.' });
    await button('Publish Prices').click();
    await inForm('Publish now').click();
    await at.page.getByText('Somebody else has changed it meanwhile').waitFor();
    expect((await at.service.call('GET', path, { key })).body.announcement.status).to.equal('draft');
    await inForm('Cancel').click();
    await button('Publish Prices').click();
    let writes = 0;
    at.page.on('request', (request) => {
      if (request.method() === 'POST') writes += 1;
    });
    await inForm('Publish now').click();
    await at.page.getByText('is published.').waitFor();
    expect(writes).to.equal(1);
  });

  it("of a user's panel user is shown before it is changed", async () => {
    const customer = await at.service.addUser({ panelUserId: 7 });
    await open(`user-${customer._id}`);
    await button(`Change the panel user of ${customer.email}`).click();
    await field('Id of the panel user').fill('9');
    await at.service.models.users.change(customer.email, { panelUserId: 8 });
    await inForm('Save').click();
    await told().getByText('panel_user_id: 8').waitFor();
    await told().getByRole('button', { name: 'Overwrite it' }).click();
    await at.page.getByText('has the servers of panel user 9').waitFor();
  });
});
