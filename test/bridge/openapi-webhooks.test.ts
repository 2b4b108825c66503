/** A real delivery of each type of event matches the webhooks of the OpenAPI document. */

import { expect } from 'chai';
import { createOpenApiDocument } from '../../bridge/openapi/document.ts';
import { toOpenApi30 } from '../../bridge/openapi/downgrade.ts';
import type { EventType, MailOnlyType } from '../../models/outbox/event-types.ts';
import { appRouter } from '../../routers/index.ts';
import { selectOfferedScopes } from '../../routers/scopes.ts';
import { ServerWatch } from '../../server/events/watch-servers.ts';
import { createPterodactylPanel } from '../../server/panel/pterodactyl.ts';
import { signInAccount } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import { operationsOf } from '../support/openapi-reader.ts';
import { createValidator } from '../support/openapi-validator.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { useStarted } from '../support/use-started.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { startSending, startServiceWithoutSending } from '../support/webhook-service.ts';

const document = createOpenApiDocument(appRouter, { baseUrl: 'https://api.gamehost.example' });
const webhooks = document.webhooks ?? {};
const identifier = 'a1b2c3d4';
const weekMs = 7 * 24 * 3_600_000;

describe('the webhooks of the OpenAPI document', () => {
  const expectValid = createValidator(document);
  const service = useStarted(() => startServiceWithoutSending());
  let sending: ReturnType<typeof startSending>;
  let receivers: { customer: WebhookReceiver; host: WebhookReceiver };
  let keys: { customer: string; host: string };
  let testPaths: string[];
  let account: Awaited<ReturnType<typeof signInAccount>>;

  before(async () => {
    sending = startSending(service);
    service.panel.servers.set(7, [panelServer({ identifier, name: 'Survival' })]);
    service.panel.runStates.set(identifier, 'running');
    receivers = { customer: await startReceiver(), host: await startReceiver() };
    const user = await service.addUser({ panelUserId: 7, externalId: 'customer-1042', nickname: 'dana' });
    const admin = await service.addUser({ isAdmin: true });
    const [customer, host] = await Promise.all([service.addKey({ user }), service.addKey({ user: admin })]);
    keys = { customer: customer.secret, host: host.secret };
    account = await signInAccount(service.url, user);
    testPaths = [await subscribe('customer'), await subscribe('host')];
  });
  after(async () => {
    await receivers.customer.stop();
    await receivers.host.stop();
    await sending.stop();
  });

  async function subscribe(audience: 'customer' | 'host'): Promise<string> {
    const path = audience === 'host' ? '/admin/webhooks' : '/webhooks';
    const body = { url: receivers[audience].url, events: ['*'] };
    const created = await service.call('POST', path, { key: keys[audience], body });
    return `${path}/${created.body.webhook.id}/test`;
  }

  const call = (method: string, path: string, body?: object) =>
    service.call(method, path, { key: keys.customer, body });
  const callAsHost = (method: string, path: string, body?: object) =>
    service.call(method, path, { key: keys.host, body });
  const createKey = (expires_at: string | null = null) =>
    account.api.keys.create.mutate({ name: 'Deploy', scopes: ['read:account'], expires_at });

  async function openTicket(): Promise<number> {
    return (await call('POST', '/tickets', { title: 'Lag', message: 'Since noon.' })).body.ticket.id;
  }

  async function changeState(): Promise<void> {
    const { models, clock, panel } = service;
    const log = { error: () => {}, warn: () => {} };
    const client = createPterodactylPanel({ ...panel, kind: 'pterodactyl', clock: clock.now, log });
    const watch = new ServerWatch({ models, panel: client, clock: clock.now, callsPerMinute: 120, log });
    for (let step = 0; step < 200; step += 1) {
      if (step === 60) panel.runStates.set(identifier, 'offline');
      clock.advance(500);
      await watch.tick();
    }
    await watch.stop();
  }

  const causes: Record<Exclude<EventType, MailOnlyType>, () => Promise<unknown>> = {
    'ticket.created': openTicket,
    'ticket.replied': async () => {
      // Too long for a body, so that it is cut.
      const message = '\u{1F600}'.repeat(10_000);
      await call('POST', `/tickets/${await openTicket()}/reply`, { message });
    },
    'ticket.status_changed': async () => call('POST', `/tickets/${await openTicket()}/close`),
    'announcement.published': () =>
      callAsHost('POST', '/admin/announcements', { title: 'News', message: 'Hi.', status: 'published' }),
    'subscription.changed': () =>
      callAsHost('PUT', '/admin/subscriptions/sub_1', { user: 'customer-1042', status: 'active' }),
    'subscription.deleted': () => callAsHost('DELETE', '/admin/subscriptions/sub_1'),
    'key.created': () => createKey(),
    'key.revoked': async () => {
      const { secret } = await createKey();
      await call('POST', '/credentials/revoke', { credentials: [secret] });
    },
    'key.expiring': async () => {
      await createKey(new Date(service.clock.now() + weekMs - 30_000).toISOString());
      // It looks for such keys at its start.
      await sending.stop();
      sending = startSending(service);
    },
    'server.power': () => call('POST', `/servers/${identifier}/power`, { signal: 'restart' }),
    'server.state_changed': changeState,
    'webhook.test': async () => {
      await call('POST', testPaths[0] ?? '');
      await callAsHost('POST', testPaths[1] ?? '');
    },
  };

  const receivedOf = (type: string, audience: 'customer' | 'host') =>
    receivers[audience].received.filter(({ body }) => body.type === type);

  const untilReceived = (type: string) =>
    eventually(async () => {
      for (const audience of ['customer', 'host'] as const)
        if (receivedOf(type, audience).length === 0) throw new Error(`the ${audience} got no ${type}`);
    });

  it('name exactly the types that can be sent', () => {
    expect(Object.keys(webhooks)).to.have.members(Object.keys(causes));
  });

  for (const type of Object.keys(webhooks))
    it(`describe ${type} as the customer and the host receive it`, async () => {
      await causes[type as keyof typeof causes](); // the first test compares the two lists of types
      await untilReceived(type);
      for (const audience of ['customer', 'host'] as const)
        for (const { body, headers } of receivedOf(type, audience)) {
          expectValid(`#/webhooks/${type}/post/requestBody/content/application~1json/schema`, body);
          expect(headers).to.include.keys(webhooks[type]?.post.parameters.map(({ name }) => name) ?? []);
        }
      const [seen] = receivedOf(type, 'host');
      const isOfCustomer = !['announcement.published', 'webhook.test'].includes(type);
      expect('user' in (seen?.body.data ?? {})).to.equal(isOfCustomer);
      expect(receivedOf(type, 'customer')[0]?.body.data).not.to.have.property('user');
    });

  it('are compared with deliveries by a check that can fail', () => {
    const [created] = receivedOf('ticket.created', 'customer');
    const pointer = '#/webhooks/ticket.created/post/requestBody/content/application~1json/schema';
    for (const wrong of [{ type: 'ticket.replied' }, { data: {} }, { surprise: 1 }, { timestamp: null }])
      expect(() => expectValid(pointer, { ...created?.body, ...wrong })).to.throw();
  });

  it('are under x-webhooks in the 3.0 document, as 3.0 has no webhooks', () => {
    const older: Record<string, unknown> = { ...toOpenApi30(document) };
    expect(older).not.to.have.property('webhooks');
    expect(Object.keys(older['x-webhooks'] ?? {})).to.deep.equal(Object.keys(webhooks));
  });

  it('have a tag that no operation has, because openapi-generator writes one file for each', () => {
    const used = new Set(operationsOf(document).flatMap(({ operation }) => operation.tags));
    for (const { post } of Object.values(webhooks))
      expect(post.tags.filter((tag) => used.has(tag))).to.be.empty;
  });

  it('are left out when webhooks are off', () => {
    const silent = createOpenApiDocument(appRouter, { offeredScopes: selectOfferedScopes({}) });
    expect(silent).not.to.have.property('webhooks');
  });
});
