/** GET /me returns the profile of the key owner. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { useService } from '../support/service.ts';

describe('GET /me', () => {
  const service = useService();

  const get = (key: string) => service.call('GET', '/me', { key });

  it('answers 200 with the whole profile and no other stored field', async () => {
    const user = await service.addUser({
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      nickname: 'ada',
      isAdmin: true,
      chatId: '1234567890',
      chatUsername: 'ada#1',
      chatAvatarUrl: 'https://chat.example.com/ada.png',
      panelUserId: 7,
    });
    const { secret } = await service.addKey({ user });
    const answer = await get(secret);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({
      user: {
        id: user._id,
        email: 'ada@example.com',
        first_name: 'Ada',
        last_name: 'Lovelace',
        nickname: 'ada',
        admin: true,
        chat_id: '1234567890',
        chat_username: 'ada#1',
        chat_avatar_url: 'https://chat.example.com/ada.png',
      },
    });
  });

  it('answers 200 with null for fields that are not set', async () => {
    const { user, secret } = await service.addKey();
    expect((await get(secret)).body.user).to.deep.equal({
      ...{ id: user._id, email: user.email, first_name: null, last_name: null, nickname: null },
      ...{ admin: false, chat_id: null, chat_username: null, chat_avatar_url: null },
    });
  });

  it('answers 200 to concurrent keys with the owner of each', async () => {
    const keys = [await service.addKey(), await service.addKey(), await service.addKey()];
    const answers = await Promise.all([...keys, ...keys].map(({ secret }) => get(secret)));
    const owners = answers.map(({ body }) => body.user.id);
    expect(owners).to.deep.equal([...keys, ...keys].map(({ user }) => user._id));
  });

  it('answers 404 not_found when the owner no longer exists', async () => {
    const { user, secret } = await service.addKey();
    await service.connection.collection<{ _id: number }>('users').deleteOne({ _id: user._id });
    expectError(await get(secret), 'not_found', 'User not found');
  });
});
