/** A webhook ends with the key or app that made it, whatever ended that, and shows its owner why. */
import { expect } from 'chai';
import { signInAccount } from '../../support/account.ts';
import { createCli } from '../../support/cli.ts';
import { connectApp, exchange, postForm, refresh } from '../../support/oauth-app.ts';
import { profile } from '../../support/profiler.ts';
import { useWebhookService } from '../../support/webhook-service.ts';

const hourMs = 60 * 60_000;

describe('a webhook', () => {
  const { service, receiver, calls } = useWebhookService({}, { hasApps: true });
  const cli = createCli(() => ({
    MONGODB_URI: service.databaseUri,
    SECRETS_KEY: Buffer.alloc(32, 'webhooks').toString('base64'),
  }));

  const toTickets = { events: ['ticket.created'] };
  const getWebhook = async (key: string, id: string) =>
    (await service.call('GET', `/webhooks/${id}`, { key })).body.webhook;

  /** The first of a user's two keys made a webhook; the second stays. */
  async function madeByKey({ expiresAt = null }: { expiresAt?: Date | null } = {}) {
    const { user, secret, key: maker } = await service.addKey({ expiresAt });
    const { secret: key } = await service.addKey({ user });
    const { webhook } = await calls.createWebhook(secret, receiver.url, toTickets);
    return { user, secret, maker, key, id: webhook.id };
  }

  /** Returns the paths that get the next event, which another webhook gets too. */
  async function pathsOfNextEvent(key: string) {
    await calls.createWebhook(key, `${receiver.origin}/other`, toTickets);
    await calls.openTicket(key);
    await receiver.waitFor(1);
    return receiver.received.map(({ path }) => path);
  }

  async function expectOff({ key, id }: { key: string; id: string }, disabled_reason: string) {
    expect(await pathsOfNextEvent(key)).to.deep.equal(['/other']);
    expect(await getWebhook(key, id)).to.include({ active: false, disabled_reason });
  }

  const revoked = 'The key that made it, or set its address, was revoked';
  const leaked = 'The key or app that made it was revoked as leaked';
  const leak = async (credential: string) => {
    const body = { credentials: [credential] };
    expect((await service.call('POST', '/credentials/revoke', { body })).status).to.equal(202);
  };
  type Made = Awaited<ReturnType<typeof madeByKey>>;
  const rotate = async ({ user, maker }: Made, overlap_hours: 0 | 1, id = maker._id) =>
    (await signInAccount(service.url, user)).api.keys.rotate.mutate({ id, overlap_hours });
  const revokeOnPage = async ({ user }: Pick<Made, 'user'>, id: string) =>
    (await signInAccount(service.url, user)).api.keys.revoke.mutate({ id });

  const endings: [what: string, reason: string, end: (made: Made) => Promise<unknown>][] = [
    ['revoked on the page', revoked, (made) => revokeOnPage(made, made.maker._id)],
    ['revoked on the command line', revoked, ({ maker }) => cli.json(`key revoke ${maker._id}`)],
    ['reported as leaked', leaked, ({ secret }) => leak(secret)],
    [
      'rotated without overlap',
      'The key that made it, or set its address, was rotated without overlap',
      (made) => rotate(made, 0),
    ],
  ];
  for (const [what, reason, end] of endings)
    it(`stops and shows why once the key that made it is ${what}`, async () => {
      const made = await madeByKey();
      await end(made);
      await expectOff(made, reason);
    });

  it('stops and shows why once the key that set its address is revoked', async () => {
    const { user, key, id } = await madeByKey();
    const { secret: thief, key: stolen } = await service.addKey({ user });
    await service.call('PATCH', `/webhooks/${id}`, { key: thief, body: { url: `${receiver.origin}/thief` } });
    await revokeOnPage({ user }, stolen._id);
    await expectOff({ key, id }, revoked);
  });

  it('continues after the key that made it is revoked, if another key has set its address since', async () => {
    const { key, maker, id } = await madeByKey();
    await service.call('PATCH', `/webhooks/${id}`, { key, body: { url: `${receiver.origin}/moved` } });
    await cli.json(`key revoke ${maker._id}`);
    await calls.openTicket(key);
    const [{ path } = {}] = await receiver.waitFor(1);
    expect(path).to.equal('/moved');
  });

  it('stops with its key at once, even while another key keeps changing it', async () => {
    const { user, secret, key: maker } = await service.addKey();
    const { secret: key } = await service.addKey({ user });
    const { id } = (await calls.createWebhook(secret, receiver.url, toTickets)).webhook;
    const { api } = await signInAccount(service.url, user);
    let isRevoked = false;
    const changing = [1, 2, 3, 4].map(async (client) => {
      for (let turn = 0; !isRevoked; turn += 1) {
        const body = { description: `${client} ${turn}` };
        await service.call('PATCH', `/webhooks/${id}`, { key, body });
      }
    });
    await api.keys.revoke.mutate({ id: maker._id });
    isRevoked = true;
    await Promise.all(changing);
    expect(await getWebhook(key, id)).to.include({ active: false });
  });

  it('stops if a leaked key set its address in a call that outlasted the report', async () => {
    const made = await madeByKey();
    const { secret, key, id } = made;
    await rotate(made, 1);
    const webhooks = service.connection.collection<{ _id: string }>('webhooks');
    const held = await webhooks.findOne({ _id: id });
    await leak(secret);
    await webhooks.replaceOne({ _id: id }, held ?? {}); // as the call stores it
    await expectOff({ key, id }, leaked);
  });

  it('stops and shows why once the key that made it has expired, whether or not anything happens then', async () => {
    const made = await madeByKey({ expiresAt: new Date(service.clock.now() + hourMs) });
    const quiet = await madeByKey({ expiresAt: new Date(service.clock.now() + hourMs) });
    service.clock.advance(hourMs);
    const reason = 'The key that made it, or set its address, has expired';
    await expectOff(made, reason);
    const { webhooks } = (await service.call('GET', '/webhooks', { key: quiet.key })).body;
    expect(webhooks[0]).to.include({ id: quiet.id, active: false, disabled_reason: reason });
  });

  it('stops and shows why if the key that made it expires while an event waits for a retry', async () => {
    const made = await madeByKey({ expiresAt: new Date(service.clock.now() + 4000) });
    receiver.respondWith(503);
    await calls.openTicket(made.key);
    await calls.untilTried(made.key, made.id);
    receiver.received.length = 0;
    service.clock.advance(6000);
    await expectOff(made, 'The key that made it, or set its address, has expired');
    const [delivery] = await calls.listDeliveries(made.key, made.id);
    expect(delivery).to.include({ status: 'failed', next_attempt_at: null });
  });

  describe('stops and shows why if its app', () => {
    const minuteMs = 60_000;
    beforeEach(() => service.clock.advance(60 * minuteMs)); // past the limits on what the tests before sent

    type Made = Awaited<ReturnType<typeof madeByApp>>;
    async function madeByApp() {
      const { user, secret: key } = await service.addKey();
      const params = { scope: 'write:webhooks write:tickets' };
      const app = await connectApp(service, { email: user.email, params });
      const { webhook } = await calls.createWebhook(app.tokens.access_token, receiver.url, toTickets);
      return { ...app, key, id: webhook.id };
    }

    const usedTwice = 'The app that made it was disconnected: one of its codes or tokens was used twice';
    const endings: [what: string, reason: string, end: (made: Made) => Promise<unknown>][] = [
      [
        'revokes its own tokens',
        'The app that made it ended its connection',
        ({ tokens, clientId }) =>
          postForm(service, '/oauth/revoke', { form: { token: tokens.refresh_token, client_id: clientId } }),
      ],
      [
        'is disconnected because a refresh token was used again',
        usedTwice,
        async ({ tokens, clientId }) => {
          await refresh(service, clientId, tokens.refresh_token);
          service.clock.advance(31_000);
          expect((await refresh(service, clientId, tokens.refresh_token)).status).to.equal(400);
        },
      ],
      [
        'is disconnected because its code was exchanged again',
        usedTwice,
        ({ code, flow, clientId }) => exchange(service, { code, verifier: flow.verifier, clientId }),
      ],
      [
        'is disconnected on the page',
        'The app that made it was disconnected',
        async ({ account }) => {
          const [app] = (await account.api.apps.list.query()).apps;
          await account.api.apps.revoke.mutate({ id: app?.id ?? '' });
        },
      ],
      [
        'is disconnected on the command line',
        'The app that made it was disconnected',
        ({ clientId }) => cli.json(`app revoke ${clientId} --client`),
      ],
      [
        'has not renewed its tokens for too long',
        'The key or app connection that made it has ended',
        async () => service.clock.advance(31 * 24 * hourMs),
      ],
    ];
    for (const [what, reason, end] of endings)
      it(what, async () => {
        const made = await madeByApp();
        await end(made);
        await expectOff(made, reason);
      });
  });

  describe('moves to the successor of a key rotated with an overlap, and', () => {
    it('continues after the overlap, even if it was made within it', async () => {
      const made = await madeByKey();
      await rotate(made, 1);
      const { webhook } = await calls.createWebhook(made.secret, `${receiver.origin}/within`, toTickets);
      service.clock.advance(hourMs);
      expect((await pathsOfNextEvent(made.key)).length).to.be.above(0);
      await receiver.waitFor(3);
      expect(receiver.received.map(({ path }) => path)).to.have.members(['/hook', '/within', '/other']);
      for (const id of [made.id, webhook.id]) expect((await getWebhook(made.key, id)).active).to.equal(true);
    });

    it('stops once the new key is revoked', async () => {
      const made = await madeByKey();
      await revokeOnPage(made, (await rotate(made, 1)).key.id);
      await expectOff(made, revoked);
    });

    for (const [when, isOver] of [
      ['within the overlap', false],
      ['after it', true],
    ] as const)
      it(`stops once the old key is reported as leaked ${when}, and the new key's webhooks continue`, async () => {
        const made = await madeByKey();
        const first = await rotate(made, 1);
        const { secret } = await rotate(made, 1, first.key.id);
        const { webhook } = await calls.createWebhook(secret, `${receiver.origin}/new`, toTickets);
        if (isOver) service.clock.advance(2 * hourMs);
        await leak(made.secret);
        await leak(made.secret);
        expect(await getWebhook(made.key, made.id)).to.include({ active: false, disabled_reason: leaked });
        expect(await getWebhook(made.key, webhook.id)).to.include({ active: true, disabled_reason: null });
      });

    it('stops once the first of many predecessors is reported as leaked', async () => {
      const made = await madeByKey();
      let { _id: id } = made.maker;
      for (let count = 0; count < 101; count += 1) {
        ({ id } = (await rotate(made, 1, id)).key);
        service.clock.advance(hourMs);
      }
      expect((await getWebhook(made.key, made.id)).active).to.equal(true);
      await leak(made.secret);
      await expectOff(made, leaked);
    }).timeout(30_000);

    it('stops with a constant number of MongoDB calls when twenty successive keys are reported as leaked', async () => {
      const made = await madeByKey();
      const countCalls = async (credentials: readonly string[]) => {
        const report = async () =>
          void (await service.call('POST', '/credentials/revoke', { body: { credentials } }));
        const calls = await profile(service.connection, report);
        return calls.filter(({ ns }) => ns.endsWith('.api_keys')).length;
      };
      const first = await rotate(made, 1);
      const ofOne = await countCalls([made.secret]);
      const secrets = [made.secret, first.secret];
      for (let { id } = first.key; secrets.length < 20; ) {
        const next = await rotate(made, 0, id);
        secrets.push(next.secret);
        service.clock.advance(hourMs / 60);
        ({ id } = next.key);
      }
      // The service also reads keys in the background.
      expect(await countCalls(secrets)).to.be.below(ofOne + 10);
    });

    it('stops once the old key, revoked after the rotation, is reported as leaked', async () => {
      const made = await madeByKey();
      await rotate(made, 1);
      await cli.json(`key revoke ${made.maker._id}`);
      expect((await getWebhook(made.key, made.id)).active).to.equal(true);
      await leak(made.secret);
      await expectOff(made, leaked);
    });
  });

  it('is notified once of a key that its owner revokes twice', async () => {
    const { user, secret: key } = await service.addKey();
    await calls.createWebhook(key, receiver.url, { events: ['key.revoked'] });
    const { key: other } = await service.addKey({ user });
    const { api } = await signInAccount(service.url, user);
    for (let times = 0; times < 2; times += 1) await api.keys.revoke.mutate({ id: other._id });
    await calls.createWebhook(key, `${receiver.origin}/other`, toTickets);
    await calls.openTicket(key);
    await receiver.waitFor(2);
    expect(receiver.received.map(({ path }) => path)).to.have.members(['/hook', '/other']);
  });

  it('continues once its owner turns it on again, whatever is reported about the ended key later', async () => {
    const made = await madeByKey();
    await cli.json(`key revoke ${made.maker._id}`);
    const account = await signInAccount(service.url, made.user);
    await account.api.webhooks.change.mutate({ webhook_id: made.id, active: true });
    await leak(made.secret);
    await calls.openTicket(made.key);
    await receiver.waitFor(1);
    const [shown] = (await account.api.webhooks.list.query()).webhooks;
    expect(shown).to.include({ active: true, disabled_reason: null, made_by: 'test' });
  });

  it('stops with the key that turned it on again, too', async () => {
    const made = await madeByKey();
    await cli.json(`key revoke ${made.maker._id}`);
    const { secret, key: second } = await service.addKey({ user: made.user });
    await service.call('PATCH', `/webhooks/${made.id}`, { key: secret, body: { active: true } });
    await cli.json(`key revoke ${second._id}`);
    await expectOff(made, revoked);
  });
});
