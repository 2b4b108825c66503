/** The secret of a stored key reaches its user even if MongoDB loses connections: no working key ends for one without an owner. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { signInAccount } from '../../support/account.ts';
import { createCli } from '../../support/cli.ts';
import { type FlakyProxy, openFlakyProxy } from '../../support/flaky-proxy.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { useStarted } from '../../support/use-started.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startServiceWithoutSending } from '../../support/webhook-service.ts';

describe('a new key on a MongoDB connection that breaks twice', () => {
  let line: FlakyProxy;
  const service = useStarted(async () => {
    line = await openFlakyProxy(testDatabaseUri());
    return startServiceWithoutSending({}, { databaseUri: line.uri });
  });
  after(() => line.close());
  afterEach(() => line.breakAt('', 0));
  let user: UserRecord;

  beforeEach(async () => {
    user = await service.addUser();
    const { secret } = await service.addKey({ user });
    const { createWebhook } = createWebhookCalls(service);
    await createWebhook(secret, 'https://127.0.0.1:9/', { events: ['key.created'] });
  });

  const statusWith = async (key: string) => (await service.call('GET', '/me', { key })).status;

  for (const [what, word] of [
    ['when the calls of the old key are read', '$lte'],
    ['when its event is stored', 'key.created'],
  ] as const)
    it(`is shown by a rotation and works, even if that happens ${what}`, async () => {
      const account = await signInAccount(service.url, user);
      const request = { name: 'Deploy', scopes: ['read:account'], expires_at: null };
      const { key, secret } = (await account.call('keys.create', request)).body.result.data;
      line.breakAt(word, 2);
      const rotated = await account.call('keys.rotate', { id: key.id, overlap_hours: 0 });
      expect(line.breaksLeft()).to.equal(0);
      expect(rotated.status).to.equal(200);
      expect(await statusWith(secret)).to.equal(401);
      expect(await statusWith(rotated.body.result.data.secret)).to.equal(200);
    });

  it('is shown by the command line and works, even if that happens when its event is stored', async () => {
    const SECRETS_KEY = Buffer.alloc(32, 'webhooks').toString('base64');
    const cli = createCli(() => ({ MONGODB_URI: line.uri, SECRETS_KEY }));
    line.breakAt('key.created', 2);
    const issued = await cli.json(`key issue --email ${user.email} --name cli --scopes read:account`);
    expect(line.breaksLeft()).to.equal(0);
    expect(await statusWith(issued.key)).to.equal(200);
  });
});
