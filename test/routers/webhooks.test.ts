/** Webhooks as their owner manages them: limits, addresses and secrets in answers, pages of deliveries, and sending again. */

import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { storedText } from '../support/stored-text.ts';
import { useStarted } from '../support/use-started.ts';
import { createWebhookCalls } from '../support/webhook-calls.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { startWebhookService } from '../support/webhook-service.ts';

const dayMs = 86_400_000;

describe('webhooks', () => {
  const service = useStarted(() => startWebhookService());
  let calls: ReturnType<typeof createWebhookCalls>;
  let receiver: WebhookReceiver;

  before(async () => {
    calls = createWebhookCalls(service);
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.stop();
  });

  async function owner({ isAdmin = false, maker = 'customer' } = {}) {
    const { user, secret: key } = await service.addKey({ user: await service.addUser({ isAdmin }) });
    const root = maker === 'host' ? '/admin/webhooks' : '/webhooks';
    const call = (method: string, path: string, body?: object) =>
      service.call(method, root + path, { key, body });
    const create = (body: object = {}) => call('POST', '', { url: receiver.url, events: ['*'], ...body });
    return { key, userId: user._id, call, create };
  }

  for (const [maker, max] of [['customer', 10] as const, ['host', 20] as const])
    it(`are limited to ${max} for a ${maker}, even with many concurrent calls, and listed newest first (400)`, async () => {
      const { call, create } = await owner({ maker, isAdmin: maker === 'host' });
      const made = await Promise.all(Array.from({ length: max + 5 }, () => create()));
      expect(made.filter(({ status }) => status === 201)).to.have.lengthOf(max);
      const refused = made.find(({ status }) => status === 400);
      expect(refused?.body.error).to.deep.equal({
        code: 'bad_request',
        message: `You have ${max} webhooks, the maximum; delete one first`,
      });
      const { webhooks } = (await call('GET', '')).body;
      await call('DELETE', `/${webhooks[3].id}`);
      const last = (await create()).body.webhook;
      const ids = (await call('GET', '')).body.webhooks.map(({ id }: { id: string }) => id);
      const kept = webhooks.map(({ id }: { id: string }) => id).toSpliced(3, 1);
      expect(ids).to.deep.equal([last.id, ...kept]);
      expect(last.id).to.match(/^whk_[0-9a-z]+$/i);
    });

  for (const [chat, url] of [
    ['Slack', 'https://hooks.slack.com/services/T0/B0/secret'],
    ['Google Chat', 'https://chat.googleapis.com/v1/spaces/A/messages?key=secret'],
    ['Microsoft Teams', 'https://example.webhook.office.com/webhookb2/secret'],
    ['Telegram', 'https://api.telegram.org/botsecret/sendMessage'],
  ])
    it(`refuse a ${chat} address and say what to use instead (400)`, async () => {
      const { call, create } = await owner();
      const { webhook } = (await create()).body;
      for (const answer of [await create({ url }), await call('PATCH', `/${webhook.id}`, { url })])
        expectError(
          answer,
          'bad_request',
          `url must not be a ${chat} address: ${chat} does not accept these events; use the address of a program or an automation service that forwards them to ${chat}, or a Discord webhook, which works directly`,
        );
    });

  it('refuse an address of 240 KB for its length before parsing, which would take quadratic time (400)', async () => {
    const { call, create } = await owner();
    const { webhook } = (await create()).body;
    const host = Array.from({ length: 78_000 }, (_, at) => String.fromCodePoint(0x4e00 + (at % 20_000))).join(
      '',
    );
    const url = `https://${host}.com:none/`; // Parsing it would add a second message.
    for (const refused of [await create({ url }), await call('PATCH', `/${webhook.id}`, { url })])
      expectError(refused, 'bad_request', 'url must be at most 2000 characters');
    const { key } = await owner({ isAdmin: true });
    const body = { email: 'ada@example.com', chat_avatar_url: url };
    const user = await service.call('PUT', '/admin/users/ada-1', { key, body });
    expectError(user, 'bad_request', 'chat_avatar_url must be at most 2000 characters');
  });

  it("can be created and changed, while another user's cannot", async () => {
    const [busy, other] = [await owner(), await owner()];
    const ofOther = (await other.create()).body.webhook;
    const session = await service.connection.startSession();
    session.startTransaction();
    await service.models.apiKeys.lock([busy.userId], session);
    const waiting = busy.create();
    expect((await other.create()).status).to.equal(201);
    expect((await other.call('PATCH', `/${ofOther.id}`, { description: 'mine' })).status).to.equal(200);
    await session.abortTransaction();
    await session.endSession();
    expect((await waiting).status).to.equal(201);
  });

  it('hide the secret part of their address, and refuse the hidden form as a new address', async () => {
    const { call, create } = await owner();
    const url = `${receiver.url}?token=hidden`;
    const { webhook, secret } = (await create({ url })).body;
    expect(webhook.url).to.equal(`${receiver.url}?...`);
    expect(secret).to.match(/^whsec_[\w+/]{43}=$/);
    const refused = await call('PATCH', `/${webhook.id}`, { url: webhook.url });
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      400,
      'url must be the whole address: replace the ... with the hidden part',
    ]);
    const discord = (await create({ url: `${receiver.origin}/api/v10/webhooks/7/hidden/x?wait=true` })).body;
    expect(discord.webhook.url).to.equal(`${receiver.origin}/api/v10/webhooks/7/...`);
    expect((await call('PATCH', `/${webhook.id}`, { url: discord.webhook.url })).status).to.equal(400);
    const list = await call('GET', '');
    expect(list.text).to.not.include('hidden').and.not.include(secret);
  });

  it('leave no address or secret readable in any collection', async () => {
    const { create } = await owner();
    const { secret } = (await create({ url: `${receiver.origin}/unseen?token=hidden` })).body;
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const traces = ['unseen', 'token=hidden', key.toString('base64'), key.toString('hex')];
    for (const { name } of await service.connection.listCollections()) {
      const stored = JSON.stringify(await service.connection.collection(name).find().toArray());
      expect(
        traces.filter((trace) => stored.includes(trace)),
        name,
      ).to.deep.equal([]);
    }
  });

  it('sign with the new secret after a rotation, and with the previous one for 24 hours', async () => {
    const { call, create } = await owner();
    const { webhook, secret: old } = (await create({ url: `${receiver.origin}/rotated` })).body;
    const rotated = (await call('POST', `/${webhook.id}/rotate-secret`)).body;
    expect(rotated.secret)
      .to.match(/^whsec_[\w+/]{43}=$/)
      .and.not.equal(old);
    const send = async (count: number) => {
      await call('POST', `/${webhook.id}/test`);
      return eventually(async () => {
        const arrived = receiver.received.filter(({ path }) => path === '/rotated');
        expect(arrived).to.have.lengthOf(count);
        const { headers = {}, text = '' } = arrived.at(-1) ?? {};
        const header = (name: string) => String(headers[`webhook-${name}`]);
        return { header, text, signatures: header('signature').split(' ') };
      });
    };
    service.clock.advance(dayMs - 60_000);
    expect((await send(1)).signatures).to.have.lengthOf(2);
    service.clock.advance(60_000);
    const { header, text, signatures } = await send(2);
    const sent = new Date(Number(header('timestamp')) * 1000);
    expect(signatures).to.deep.equal([new Webhook(rotated.secret).sign(header('id'), sent, text)]);
  });

  it('of Discord have no secret to rotate and require a Discord address (400)', async () => {
    const { call, create } = await owner();
    const url = `${receiver.origin}/api/webhooks/7/hidden`;
    const { webhook } = (await create({ url, format: 'discord' })).body;
    expect((await call('POST', `/${webhook.id}/rotate-secret`)).status).to.equal(400);
    for (const wrong of [receiver.url, `${receiver.origin}/api/webhooks/7`]) {
      expect((await create({ url: wrong, format: 'discord' })).status).to.equal(400);
      expect((await call('PATCH', `/${webhook.id}`, { url: wrong })).status).to.equal(400);
    }
  });

  for (const maker of ['customer', 'host'])
    it(`of a ${maker} store no plain address in the database, even under an Idempotency-Key, which repeats the answer`, async () => {
      const { key, create } = await owner({ maker, isAdmin: true });
      const { webhook } = (await create()).body;
      const path = `${maker === 'host' ? '/admin' : ''}/webhooks/${webhook.id}`;
      const url = `${receiver.origin}/services/T0/known-to-${maker}-alone`;
      const headers = { 'Idempotency-Key': 'address' };
      const change = (description: string) =>
        service.call('PATCH', path, { key, body: { url, description }, headers });
      const first = await change('first');
      expect([first.status, first.body.webhook.url]).to.deep.equal([200, url]);
      await service.call('PATCH', path, { key, body: { description: 'meanwhile' } });
      const again = await change('first');
      expect([again.text, again.headers.get('Idempotency-Replayed')]).to.deep.equal([first.text, 'true']);
      expect((await change('another')).status).to.equal(400);
      expect(await storedText(service)).to.not.include(`known-to-${maker}-alone`);
    });

  it('list deliveries by pages, newest first, and by status', async () => {
    const { key, call, create } = await owner();
    const { webhook } = (await create()).body;
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1)
      ids.unshift((await call('POST', `/${webhook.id}/test`)).body.delivery.id);
    await eventually(async () => {
      const deliveries = await calls.listDeliveries(key, webhook.id);
      expect(deliveries.every(({ status }) => status === 'delivered')).to.equal(true);
    });
    const page = async (query: string) => {
      const { status, body } = await call('GET', `/${webhook.id}/deliveries?${query}`);
      expect(status).to.equal(200);
      return [body.deliveries.map(({ id }: { id: string }) => id), body.has_more];
    };
    expect(await page('')).to.deep.equal([ids, false]);
    expect(await page('limit=2')).to.deep.equal([ids.slice(0, 2), true]);
    expect(await page(`limit=2&before=${ids[1]}`)).to.deep.equal([ids.slice(2, 4), true]);
    expect(await page(`limit=2&before=${ids[3]}`)).to.deep.equal([ids.slice(4), false]);
    expect(await page('status=delivered&limit=5')).to.deep.equal([ids, false]);
    expect(await page('status=pending')).to.deep.equal([[], false]);
  });

  it("resend an event as a new delivery with the same webhook-id, and answer 404 for another webhook's", async () => {
    const { call, create } = await owner();
    const { webhook } = (await create({ url: `${receiver.origin}/again` })).body;
    const other = (await create()).body.webhook;
    const { delivery } = (await call('POST', `/${webhook.id}/test`)).body;
    const again = await call('POST', `/${webhook.id}/deliveries/${delivery.id}/redeliver`);
    expect(again.status).to.equal(202);
    expect(again.body.delivery).to.include({ event_id: delivery.event_id, type: 'webhook.test' });
    expect(again.body.delivery.id).to.not.equal(delivery.id);
    await eventually(async () => {
      const arrived = receiver.received.filter(({ path }) => path === '/again');
      const ids = arrived.map(({ headers }) => headers['webhook-id']);
      expect(ids).to.deep.equal([delivery.event_id, delivery.event_id]);
    });
    const foreign = await call('POST', `/${other.id}/deliveries/${delivery.id}/redeliver`);
    expect(foreign.status).to.equal(404);
  });
});
