/** A customer who has turned links by mail off on the account page. */
import { expect } from 'chai';
import { openAccount, signedIn } from '../../support/account.ts';
import { eventually } from '../../support/eventually.ts';
import { useMailService } from '../../support/mail-service.ts';

describe('links by mail that their user has turned off', () => {
  const service = useMailService();
  const ask = (email: string) => openAccount(service.url).call('session.mailLink', { email });

  it('are sent for no request and no invitation, until they are turned on again', async () => {
    const user = await service.addUser({ externalId: 'without-links' });
    const { api } = await signedIn(service.url, user);
    const kinds = (await api.notices.get.query()).kinds.map(({ kind }) => kind);
    await api.notices.change.mutate({ kinds: kinds.filter((kind) => kind !== 'sign_in_link') });
    expect((await ask(user.email)).status).to.equal(200);
    const admin = await service.addUser({ isAdmin: true });
    const { secret: key } = await service.addKey({ user: admin, scopes: ['admin:users'] });
    const invited = await service.call('POST', '/admin/users/without-links/invite', { key });
    expect([invited.status, invited.body.error.message]).to.deep.equal([
      400,
      'The user has turned links by mail off',
    ]);
    // A request that is answered with no mail is forgotten.
    await eventually(async () => {
      const requests = service.connection.collection('webhook_events');
      expect(await requests.countDocuments({ 'data.email': user.email })).to.equal(0);
    });
    await api.notices.change.mutate({ kinds });
    expect((await ask(user.email)).status).to.equal(200);
    await service.smtp.waitFor(user.email, 1);
    expect(service.smtp.received.filter(({ to }) => to === user.email)).to.have.lengthOf(1);
  });
});
