/** Limits on passwords: attempts of a signed-in user counted separately, common ones refused. */
import { expect } from 'chai';
import { openAccount, signedIn } from '../../support/account.ts';
import { startTestService, type TestService } from '../../support/service.ts';

describe('limits on passwords', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await startTestService();
  });
  afterEach(() => service.stop());

  it("lets a signed-in user change the password after anyone's ten failures at the account", async () => {
    const user = await service.addUser();
    const account = await signedIn(service.url, user);
    for (let count = 0; count < 10; count += 1)
      await openAccount(service.url).call('session.signIn', { email: user.email, password: 'wrong' });
    const changed = await account.call('session.changePassword', {
      current_password: 'correct horse',
      new_password: 'battery staple 9',
    });
    expect(changed.status).to.equal(200);
  });

  it('refuses the current password of a signed-in user with 429 after ten failures', async () => {
    const user = await service.addUser();
    const account = await signedIn(service.url, user);
    const change = (current_password: string) =>
      account.call('session.changePassword', { current_password, new_password: 'battery staple 9' });
    for (let count = 0; count < 10; count += 1) expect((await change('guess')).status).to.equal(400);
    expect((await change('correct horse')).status).to.equal(429);
    const other = await signedIn(service.url, await service.addUser());
    const changed = await other.call('session.changePassword', {
      current_password: 'correct horse',
      new_password: 'battery staple 9',
    });
    expect(changed.status).to.equal(200);
  });

  it('lets a user try ten new passwords in a quarter of an hour, weak and strong ones: then 429, as rating them takes CPU', async () => {
    const account = await signedIn(service.url, await service.addUser());
    const change = (new_password: string, current_password: string) =>
      account.call('session.changePassword', { current_password, new_password });
    for (let count = 0; count < 5; count += 1)
      expect((await change('passwordpassword', 'correct horse')).status).to.equal(400);
    let current = 'correct horse';
    for (const next of ['a', 'b', 'c', 'd', 'e'].map((letter) => `battery staple ${letter}`)) {
      expect((await change(next, current)).status).to.equal(200);
      current = next;
    }
    expect((await change('battery staple f', current)).status).to.equal(429);
  });

  it('says that the current password is wrong before it rates the new one', async () => {
    const account = await signedIn(service.url, await service.addUser());
    const passwords = { current_password: 'wrong', new_password: 'passwordpassword' };
    const { body } = await account.call('session.changePassword', passwords);
    expect(body.error.message).to.equal('current_password is not your password');
  });

  for (const common of [
    'password1234',
    'Password123!',
    '123456789012',
    'qwertyuiop[]',
    'aaaaaaaaaaaa',
    'letmeinletmein',
  ])
    it(`refuses the common password ${common} with 400`, async () => {
      const account = await signedIn(service.url, await service.addUser());
      const answer = await account.call('session.changePassword', {
        current_password: 'correct horse',
        new_password: common,
      });
      expect([answer.status, answer.body.error.message]).to.deep.equal([
        400,
        'new_password is too common or too easy to guess',
      ]);
    });
});
