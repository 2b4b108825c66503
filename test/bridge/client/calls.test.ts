/** The client's methods: one for each operation of customers, named and typed by the description. */
import { expect } from 'chai';
import { importClient } from '../../support/client.ts';
import { useOwner } from '../../support/use-key.ts';

describe('the client', () => {
  const hosted = useOwner({});

  it('answers a call with the JSON of the API', async () => {
    const { Gamehost } = await importClient();
    const gamehost = new Gamehost({ baseUrl: hosted.url, key: hosted.key });
    const { user } = await gamehost.account.getMyProfile();
    expect(user.email).to.be.a('string');
  });
});
