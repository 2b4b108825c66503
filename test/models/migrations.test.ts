/** Upgrading a database from before the first release keeps its webhooks and sends its pending events. */
import { expect } from 'chai';
import type { mongo } from 'mongoose';
import { signInAccount } from '../support/account.ts';
import { createCli } from '../support/cli.ts';
import { useService } from '../support/service.ts';
import { useForEach } from '../support/use-started.ts';
import { createWebhookCalls } from '../support/webhook-calls.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { startSending, webhookSettings } from '../support/webhook-service.ts';

type Stored = mongo.Document & { _id: string };

describe('a database of schema version 10', () => {
  const service = useService({ rateLimitPerMinute: 10_000, config: { webhooks: webhookSettings } });
  const receiver = useForEach(startReceiver);
  const cli = createCli(() => ({
    MONGODB_URI: service.databaseUri,
    SECRETS_KEY: Buffer.alloc(32, 'webhooks').toString('base64'),
  }));

  async function upgrade() {
    const versions = service.connection.collection<Stored>('schema_version');
    await versions.replaceOne({ _id: 'schema' }, { version: 10, applied: [] }, { upsert: true });
    for (const _ of ['once', 'again']) expect(await cli.json('schema --migrate')).to.include({ version: 14 });
  }

  it('keeps its webhooks, each with its creator and the keys whose end turns it off', async () => {
    const { user, key: maker, secret: key } = await service.addKey();
    const { key: setter } = await service.addKey({ user });
    const named = { $set: { name: 'setter' } };
    await service.connection.collection<Stored>('api_keys').updateOne({ _id: setter._id }, named);
    const [keyId, urlKeyId, goneId] = [maker._id, setter._id, 'gone'];
    const { key: rotated } = await service.addKey({ user });
    const replaced = { $set: { replacedBy: setter._id } };
    await service.connection.collection<Stored>('api_keys').updateOne({ _id: rotated._id }, replaced);
    const cases: [stored: object, madeBy: string | null, isOnAfterwards: boolean][] = [
      [{ keyId: '' }, null, true],
      [{ keyId: urlKeyId }, 'setter', false],
      [{ keyId, urlKeyId }, 'test', false],
      [{ keyId, urlKeyId: '' }, 'test', true],
      [{ keyId, heldBy: urlKeyId, handedBy: [keyId] }, 'test', false],
      [{ keyId: rotated._id }, 'test', false],
      [{ keyId: goneId, urlKeyId: keyId }, 'a key that no longer exists', true],
      [{ keyId }, 'test', true],
    ];
    const webhooks = service.connection.collection<Stored>('webhooks');
    const added = { madeBy: 1, keyIds: 1, setByKeyId: 1 } as const;
    for (const [stored] of cases) {
      const body = { url: 'https://example.com/', events: ['ticket.created'] };
      const { webhook } = (await service.call('POST', '/webhooks', { key, body })).body;
      await webhooks.updateOne({ _id: webhook.id }, { $set: stored, $unset: added });
    }
    await service.connection.collection('users').updateMany({}, { $unset: { isSupport: 1 } });
    await upgrade();

    const { api } = await signInAccount(service.url, user);
    const list = async () => (await api.webhooks.list.query()).webhooks.reverse();
    expect((await list()).map(({ made_by }) => made_by)).to.deep.equal(cases.map(([, madeBy]) => madeBy));
    await api.keys.revoke.mutate({ id: urlKeyId });
    expect((await list()).map(({ active }) => active)).to.deep.equal(cases.map(([, , isOn]) => isOn));
    expect(await cli.json('user list --role customer')).to.have.length(1);
  });

  it('keeps the keys whose end turns off its webhooks, which used to list them', async () => {
    const { user, key: first, secret } = await service.addKey();
    const { api } = await signInAccount(service.url, user);
    const { id: second } = (await api.keys.rotate.mutate({ id: first._id, overlap_hours: 1 })).key;
    const webhooks = service.connection.collection<Stored>('webhooks');
    for (const keyIds of [[first._id, second], [second], []]) {
      const body = { url: 'https://example.com/', events: ['ticket.created'] };
      const { webhook } = (await service.call('POST', '/webhooks', { key: secret, body })).body;
      const before = { $set: { keyIds }, $unset: { keyId: 1, setByKeyId: 1 } } as const;
      await webhooks.updateOne({ _id: webhook.id }, before);
    }
    await upgrade();
    const listActive = async () =>
      (await api.webhooks.list.query()).webhooks.reverse().map(({ active }) => active);
    expect(await listActive()).to.deep.equal([true, true, true]);
    await service.call('POST', '/credentials/revoke', { body: { credentials: [secret] } });
    expect(await listActive()).to.deep.equal([false, true, true]);
    await api.keys.revoke.mutate({ id: second });
    expect(await listActive()).to.deep.equal([false, false, true]);
  });

  it('sends events that tickets still hold, even when an earlier version writes them after the upgrade', async () => {
    const { secret: key } = await service.addKey();
    const calls = createWebhookCalls(service);
    await calls.createWebhook(key, receiver.url, { events: ['ticket.created'] });
    const tickets = service.connection.collection<{ _id: number }>('tickets');
    const openInEarlierVersion = async () => {
      const { id } = (await calls.openTicket(key)).body.ticket;
      const held = { $unset: { facts: 1 }, $set: { pending: ['ticket.created'] } } as const;
      await tickets.updateOne({ _id: id }, held);
      return id;
    };
    const before = await openInEarlierVersion();
    await upgrade();
    const after = await openInEarlierVersion();
    await cli.json('schema --migrate');
    const dispatcher = startSending(service);
    const sent = await receiver.waitFor(2).finally(() => dispatcher.stop());
    expect(sent.map(({ body }) => body.data.ticket.id)).to.have.members([before, after]);
    expect(sent.map(({ body }) => body.data.ticket.status)).to.deep.equal(['New', 'New']);
  });

  it('finds tickets and users by what an earlier version stored, even after the upgrade', async () => {
    const { user, secret: key } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const { id } = (await createWebhookCalls(service).openTicket(key)).body.ticket;
    const tickets = service.connection.collection<{ _id: number }>('tickets');
    const users = service.connection.collection<{ _id: number }>('users');
    const idsOf = async (list: string, search: string): Promise<number[]> =>
      (await service.call('GET', `/admin/${list}?search=${search}`, { key })).body[list].map(
        (found: { id: number }) => found.id,
      );
    const find = async (search: string) => [await idsOf('tickets', search), await idsOf('users', search)];

    await tickets.updateOne({ _id: id }, { $set: { subject: 'Größe' }, $unset: { folded: 1 } });
    await users.updateOne({ _id: user._id }, { $set: { lastName: 'Größe' }, $unset: { folded: 1 } });
    await upgrade();
    expect(await find('GROSSE')).to.deep.equal([[id], [user._id]]);

    await tickets.updateOne({ _id: id }, { $unset: { folded: 1 } });
    await users.updateOne({ _id: user._id }, { $set: { lastName: 'Höhe' } });
    await cli.json('schema --migrate');
    expect(await find('GROSSE')).to.deep.equal([[id], []]);
    expect(await find('HOHE')).to.deep.equal([[], [user._id]]);
  });

  it('finds each of thousands of users', async () => {
    const { folded, ...user } = await service.addUser({ nickname: 'Crowd' });
    const crowd = Array.from({ length: 2500 }, (_, index) => {
      const _id = 1_000_000 + index;
      return { ...user, _id, email: `crowd${_id}@example.com` };
    });
    await service.connection.collection<{ _id: number }>('users').insertMany(crowd);
    await upgrade();
    expect(await cli.json('user list --search CROWD --limit 10000')).to.have.lengthOf(2501);
  });
});
