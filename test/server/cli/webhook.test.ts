/** `webhook` on the command line, and the events of other commands, which a running service sends. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DestinationRecord } from '../../../models/outbox/schema.ts';
import { createCli } from '../../support/cli.ts';
import { useDirectory } from '../../support/directory.ts';
import { useForEach, useStarted } from '../../support/use-started.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import { startWebhookService } from '../../support/webhook-service.ts';

describe('npm run cli: webhook', () => {
  // A failed delivery is not retried while commands run.
  const service = useStarted(() => startWebhookService({ retryMs: [3_600_000] }));
  const directory = useDirectory();
  const withKey = (SECRETS_KEY?: string) =>
    createCli(() => ({ MONGODB_URI: service.databaseUri, ...(SECRETS_KEY && { SECRETS_KEY }) }));
  const cli = withKey(Buffer.alloc(32, 'webhooks').toString('base64'));
  const receiver = useForEach(startReceiver);
  let calls: ReturnType<typeof createWebhookCalls>;

  before(() => {
    calls = createWebhookCalls(service);
  });

  it('list shows the webhooks of one user or of all, without the secret parts of their addresses', async () => {
    const { secret: key, user } = await service.addKey();
    const { secret: other } = await service.addKey();
    const { webhook, secret } = await calls.createWebhook(key, `${receiver.url}?token=hidden`);
    await calls.createWebhook(other, receiver.url);
    const listed = await cli.json(`webhook list --email ${user.email}`);
    expect(listed).to.deep.equal([{ user_id: user._id, audience: 'customer', ...webhook }]);
    const text = await cli.text('webhook list');
    expect(text).to.include(webhook.id).and.include(`${receiver.url}?...`);
    expect(text).to.not.include('hidden').and.not.include(secret);
    expect(await cli.refusal('webhook list --email no@example.com')).to.include('no user has');
  });

  it("list and deliveries find a user's webhook among ten thousand others", async () => {
    const { secret: key, user } = await service.addKey();
    const { webhook } = await calls.createWebhook(key, receiver.url);
    const webhooks = service.connection.collection<DestinationRecord>('webhooks');
    const { opened } = service.models.vault;
    const [stored] = await webhooks.find({ _id: webhook.id }).toArray();
    const others = Array.from({ length: 10_000 }, (_, each) => {
      const _id = `whk_${String(each).padStart(32, '0')}`;
      return { ...stored, _id, userId: 1_000_000 + each, url: opened.encryptUrl(_id, receiver.url) };
    });
    await webhooks.insertMany(others as DestinationRecord[]);
    const listed = await cli.json(`webhook list --email ${user.email}`);
    const deliveries = await cli.json(`webhook deliveries ${webhook.id}`);
    await webhooks.deleteMany({ userId: { $gte: 1_000_000 } });
    expect(listed.map(({ id }: { id: string }) => id)).to.deep.equal([webhook.id]);
    expect(deliveries).to.deep.equal([]);
  });

  it('disable turns a webhook off at once, and its owner sees why and can turn it on again', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await calls.createWebhook(key, receiver.url);
    expect(await cli.text(`webhook disable ${webhook.id}`)).to.equal(`Webhook ${webhook.id} is off.\n`);
    const shown = (await service.call('GET', `/webhooks/${webhook.id}`, { key })).body.webhook;
    expect(shown).to.include({ active: false, disabled_reason: 'Turned off by the host' });
    expect(await cli.refusal(`webhook disable ${webhook.id}`)).to.equal(
      `there is no active webhook ${webhook.id}`,
    );
    const on = await service.call('PATCH', `/webhooks/${webhook.id}`, { key, body: { active: true } });
    expect(on.body.webhook).to.include({ active: true, disabled_reason: null });
  });

  it('deliveries shows what the API shows, and why the last attempt failed', async () => {
    const { secret: key } = await service.addKey();
    const address = `${receiver.origin}/api/webhooks/1/token`;
    const { webhook } = await calls.createWebhook(key, address, { format: 'discord' });
    receiver.respondWith(400, {}, '{"code":10003}');
    await calls.openTicket(key);
    await calls.untilTried(key, webhook.id);
    const listed = await cli.json(`webhook deliveries ${webhook.id}`);
    expect(listed).to.deep.equal(await calls.listDeliveries(key, webhook.id));
    expect(await cli.text(`webhook deliveries ${webhook.id}`)).to.match(
      /ticket\.created +pending +\d .* the channel does not exist any more\n/,
    );
    expect(await cli.refusal('webhook deliveries whk_none')).to.equal('there is no webhook whk_none');
  });

  it('delivers the events of other commands: keys, tickets, and single and imported subscriptions', async () => {
    const user = await service.addUser({ externalId: 'c1' });
    const { secret: key } = await service.addKey({ user });
    const { id } = (await calls.openTicket(key)).body.ticket;
    await calls.createWebhook(key, receiver.url);
    const file = join(directory.path, 'subscriptions.ndjson');
    const lines = [
      { provider_id: 'prov_1', user: 'c1', status: 'canceled' },
      { provider_id: 'prov_2', user: 'c1', status: 'active' },
    ];
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const issued = await cli.json(`key issue --email ${user.email} --name cli --scopes read:account`);
    await cli.json(`key revoke ${issued.id}`);
    await cli.json(`subscription add --email ${user.email} --provider-id prov_1`);
    await cli.json(['subscription', 'import', file]);
    await cli.json(['subscription', 'import', file]);
    await cli.json(`ticket close ${id}`);
    const arrived = await receiver.waitFor(6);
    const inShort = arrived.map(({ body: { type, data } }) =>
      [type, data.key?.prefix ?? data.subscription?.status ?? data.ticket.status, data.previous_status].join(
        ' ',
      ),
    );
    expect(inShort).to.have.members([
      `key.created ${issued.prefix} `,
      `key.revoked ${issued.prefix} `,
      'subscription.changed active ',
      'subscription.changed canceled active',
      'subscription.changed active ',
      'ticket.status_changed Closed New',
    ]);
  });

  it('refuses every command that needs the database if SECRETS_KEY is missing or wrong', async () => {
    const { secret: key } = await service.addKey();
    await calls.createWebhook(key, receiver.url);
    expect(await withKey().refusal('webhook list')).to.equal(
      'SECRETS_KEY is required: the database contains webhooks',
    );
    const wrong = withKey(Buffer.alloc(32, 'another').toString('hex'));
    expect(await wrong.refusal('webhook list')).to.include('SECRETS_KEY does not fit what is stored');
  });
});
