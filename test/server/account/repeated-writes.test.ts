/** Account page writes repeated under their idempotency key, as after a lost response. */
import { expect } from 'chai';
import { readSessionOperations, takesIdempotencyKey } from '../../../bridge/operations.ts';
import type { UserRecord } from '../../../models/user.ts';
import { accountPageRouter } from '../../../routers/account/index.ts';
import { type Account, signInAccount } from '../../support/account.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { useService } from '../../support/service.ts';
import { storedText } from '../../support/stored-text.ts';
import { webhookSettings } from '../../support/webhook-service.ts';

const opening = { title: 'Lag', message: 'Players time out.' };
const newKey = { name: 'Deploy', scopes: ['read:account'], expires_at: null };

describe('a write of the account page under an idempotency key', () => {
  const service = useService({ config: { webhooks: webhookSettings } });
  let user: UserRecord;
  let account: Account;
  let keys = 0;

  beforeEach(async () => {
    keys = 0;
    user = await service.addUser({ panelUserId: 7 });
    service.panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4', name: 'Survival' })]);
    account = await signInAccount(service.url, user);
  });

  async function twice(procedure: string, body: unknown) {
    keys += 1;
    const headers = { 'Idempotency-Key': `press-${keys}` };
    const [first, second] = [
      await account.call(procedure, body, headers),
      await account.call(procedure, body, headers),
    ];
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    return [first.body.result.data, second.body.result.data];
  }

  const statusWith = async (key: string) => (await service.call('GET', '/me', { key })).status;
  const listLive = async () => (await account.api.keys.list.query()).live;

  it('is made once, and its first response is repeated', async () => {
    const [opened, again] = await twice('tickets.create', opening);
    expect(again).to.deep.equal(opened);
    const { id: ticket_id } = opened.ticket;
    await twice('tickets.reply', { ticket_id, message: 'It still lags.' });
    const { messages } = await account.api.tickets.get.query({ ticket_id });
    expect(messages.map(({ message }) => message)).to.deep.equal([opening.message, 'It still lags.']);
    await twice('servers.power', { server_identifier: 'a1b2c3d4', signal: 'restart' });
    expect(service.panel.signals).to.deep.equal(['a1b2c3d4 restart']);
    await twice('servers.backups.create', { server_identifier: 'a1b2c3d4', name: 'Nightly' });
    expect(service.panel.backups.get('a1b2c3d4')).to.have.length(1);
  });

  it('is a new write for another user', async () => {
    const other = await signInAccount(service.url, await service.addUser());
    const headers = { 'Idempotency-Key': 'the same' };
    const answers = [account, other].map((each) => each.call('tickets.create', opening, headers));
    const [one, two] = (await Promise.all(answers)).map(({ body }) => body.result.data.ticket.id);
    expect(one).not.to.equal(two);
  });

  it('creates one key: the second response has a new secret, and the lost one ends', async () => {
    const [lost, seen] = await twice('keys.create', newKey);
    expect([await statusWith(lost.secret), await statusWith(seen.secret)]).to.deep.equal([401, 200]);
    expect((await listLive()).map(({ id }) => id)).to.deep.equal([seen.key.id]);
    expect(await storedText(service)).not.to.include(seen.secret);
  });

  for (const overlap_hours of [0, 24])
    it(`rotates a key once with an overlap of ${overlap_hours} hours, and what the key created stays with it`, async () => {
      const { key: old, secret } = await account.api.keys.create.mutate({
        ...newKey,
        scopes: ['write:webhooks', 'read:account'],
      });
      const hook = { url: 'http://127.0.0.1:9/hook', events: ['*'] };
      await service.call('POST', '/webhooks', { key: secret, body: hook });
      const [lost, seen] = await twice('keys.rotate', { id: old.id, overlap_hours });
      const expected = overlap_hours === 0 ? [401, 401, 200] : [200, 401, 200];
      service.clock.advance(1000);
      const statuses = [secret, lost.secret, seen.secret].map(statusWith);
      expect(await Promise.all(statuses)).to.deep.equal(expected);
      const { webhooks } = await account.api.webhooks.list.query();
      expect(webhooks.map(({ active }) => active)).to.deep.equal([overlap_hours > 0]);
    });

  it('creates one webhook, whose secret is repeated and not stored readable', async () => {
    const [first, second] = await twice('webhooks.create', {
      url: 'http://127.0.0.1:9/hook',
      events: ['ticket.created'],
    });
    expect(second).to.deep.equal(first);
    expect((await account.api.webhooks.list.query()).webhooks).to.have.length(1);
    expect(await storedText(service)).not.to.include(first.secret);
  });

  it('includes every write except those that take a password or open a session', () => {
    const others = readSessionOperations(accountPageRouter).filter(
      (operation) => operation.type === 'mutation' && !takesIdempotencyKey(operation),
    );
    const opened = [
      'signIn',
      'mailLink',
      'readLink',
      'signInByLink',
      'askForPasskey',
      'showFactor',
      'startSingleSignOn',
      'finishSingleSignOn',
    ];
    const names = [...opened, 'signOut', 'changePassword'].map((name) => `session.${name}`);
    expect(others.map(({ name }) => name)).to.have.members(names);
  });
});
