/** Writes that only the account page has: when a response is lost, a repeated request gets it and changes nothing more. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { readOperations, readSessionOperations, takesIdempotencyKey } from '../../../bridge/operations.ts';
import { accountPageRouter } from '../../../routers/account/index.ts';
import { appRouter } from '../../../routers/index.ts';
import { type Account, signInAccount } from '../../support/account.ts';
import { begin, connectApp, register } from '../../support/oauth-app.ts';
import { addAuthenticatorApp } from '../../support/second-factor.ts';
import { useService } from '../../support/service.ts';
import { webhookSettings } from '../../support/webhook-service.ts';

describe('a write on the account page whose response is lost', () => {
  const service = useService({ hasApps: true, config: { webhooks: webhookSettings } });
  let email: string;
  let account: Account;
  const records = () => service.connection.collection<{ _id: string }>('idempotency_records');

  before(async () => {
    ({ email } = await service.addUser({ isAdmin: true }));
    account = await signInAccount(service.url, { email });
  });

  const addKey = async () => {
    const newKey = { name: 'Deploy', scopes: ['read:account' as const], expires_at: null };
    return (await account.api.keys.create.mutate(newKey)).key.id;
  };
  const hook = { url: 'http://127.0.0.1:9/hook', events: ['ticket.created' as const] };
  const addHook = async () => (await account.api.webhooks.create.mutate(hook)).webhook.id;
  const addHostHook = async () => (await account.api.webhooks.host.create.mutate(hook)).webhook.id;
  const ask = async () => {
    const { client_id: clientId } = (await register(service)).body;
    return (await begin(service, { clientId, params: { scope: 'read:account' } })).id;
  };
  const connect = async () => {
    await connectApp(service, { email });
    return (await account.api.apps.list.query()).apps[0]?.id;
  };
  const addFactor = async () => {
    await addAuthenticatorApp(service, account);
    return (await account.api.factors.list.query()).factors[0]?.id;
  };
  const otherSession = async () => {
    const one = await service.addUser();
    const [here, there] = [await signInAccount(service.url, one), await signInAccount(service.url, one)];
    account = here;
    const { sessions } = await there.api.sessions.list.query();
    return sessions.find(({ is_current }) => is_current)?.id;
  };

  const writes: Record<string, () => Promise<object>> = {
    'keys.rename': async () => ({ id: await addKey(), name: 'Nightly deploy' }),
    'keys.revoke': async () => ({ id: await addKey() }),
    'apps.allow': async () => ({ request_id: await ask(), scopes: ['read:account'] }),
    'apps.deny': async () => ({ request_id: await ask() }),
    'apps.change': async () => ({ id: await connect(), scopes: ['read:catalog'] }),
    'apps.revoke': async () => ({ id: await connect() }),
    'notices.change': async () => ({ kinds: [] }),
    'answers.save': async () => ({ title: 'Lag', text: 'Restart it.' }),
    'answers.delete': async () => {
      await account.api.answers.save.mutate({ title: 'Lag', text: 'Restart it.' });
      return { id: (await account.api.answers.list.query()).answers[0]?.id };
    },
    'webhooks.create': async () => hook,
    'webhooks.rotateSecret': async () => ({ webhook_id: await addHook() }),
    'webhooks.host.create': async () => hook,
    'webhooks.host.rotateSecret': async () => ({ webhook_id: await addHostHook() }),
    'webhooks.host.change': async () => ({ webhook_id: await addHostHook(), description: 'Mine' }),
    'webhooks.host.delete': async () => ({ webhook_id: await addHostHook() }),
    'webhooks.host.test': async () => ({ webhook_id: await addHostHook() }),
    'admin.publishAnnouncement': async () => {
      const draft = { title: 'News', message: 'Soon.', status: 'draft' as const };
      const { announcement } = await account.api.admin.createAnnouncement.mutate(draft);
      return { announcement_id: announcement.id };
    },
    'factors.rename': async () => ({ id: await addFactor(), name: 'Old phone' }),
    'factors.remove': async () => ({ id: await addFactor() }),
    'sessions.end': async () => ({ id: await otherSession() }),
    'sessions.endOthers': async () => ({}),
  };

  for (const [procedure, prepare] of Object.entries(writes))
    it(`returns the same response when it is sent again: ${procedure}`, async () => {
      const input = await prepare();
      const idempotencyKey = randomUUID();
      const send = () => account.call(procedure, input, { 'Idempotency-Key': idempotencyKey });
      const lost = await send();
      expect(lost.status, lost.text).to.equal(200);
      await records().updateOne({ _id: new RegExp(`:${idempotencyKey}$`) }, { $set: { answer: null } });
      service.clock.advance(60_000);
      const again = await send();
      expect([again.status, again.text]).to.deep.equal([200, lost.text]);
      expect(again.headers.get('Idempotency-Replayed')).to.equal('true');
    });

  it('is covered here for each procedure that the API lacks', () => {
    const ofApi = readOperations(appRouter)
      .filter(takesIdempotencyKey)
      .map(({ name }) => name);
    const alone = readSessionOperations(accountPageRouter)
      .filter((operation) => takesIdempotencyKey(operation) && !('hasSecretOutput' in operation))
      .map(({ name }) => name)
      .filter((name) => !ofApi.includes(name));
    // The first stores nothing; the second only resends what the API's own loop sends.
    const others = ['factors.beginPasskey', 'webhooks.host.redeliver'];
    expect(alone.toSorted()).to.deep.equal([...Object.keys(writes), ...others].toSorted());
  });
});
