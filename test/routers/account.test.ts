/** GET /me: the key owner's profile. */
import { expect } from 'chai';
import { useService } from '../support/service.ts';

describe('GET /me', () => {
  const service = useService();

  it('200: shows the whole profile and no other stored field', async () => {
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
    const answer = await service.call('GET', '/me', { key: secret });
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
});
