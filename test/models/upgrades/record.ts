/** Records the dump of this version, or of the unreleased one if this version's dump exists: one of every stored document, and answers about it. See test/README.md. */
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { version } from '../../../bridge/version.ts';
import { signInAccount } from '../../support/account.ts';
import { createCli } from '../../support/cli.ts';
import {
  dumpFolder,
  type RecordedRead,
  readDocuments,
  readIndexes,
  writeDump,
} from '../../support/database-dump.ts';
import { connectApp } from '../../support/oauth-app.ts';
import { addOwner } from '../../support/owner-fixture.ts';
import { addSamples, apiOperations, sampleOf } from '../../support/samples.ts';
import { addAuthenticatorApp, addPasskey } from '../../support/second-factor.ts';
import { type TestService, useService } from '../../support/service.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';

/** Collections whose documents live for minutes. */
const shortLived = ['file_leases', 'oauth_requests', 'process_leases', 'server_changes', 'server_watches'];

/** Passkeys require an address with a host name. */
const publicUrl = 'http://localhost:3000';

const name = existsSync(new URL(`${version}.ndjson`, dumpFolder)) ? 'unreleased' : version;

describe(`the dump of ${name}`, () => {
  const service = useService({ rateLimitPerMinute: 10_000, hasApps: true, config: { publicUrl } });

  it('is written', async () => {
    // Every start of the program does the same.
    await createCli({ MONGODB_URI: service.databaseUri }).text('schema --migrate');
    const sampled = await addSamples(service);
    const news = { title: 'Sample', message: 'Sample', status: 'published' };
    await service.call('POST', '/admin/announcements', { key: sampled.key, body: news });
    const created = await createWebhookCalls(service).createWebhook(sampled.key, 'https://example.com/hook', {
      events: ['ticket.created'],
    });
    const webhook = { id: created.webhook.id, key: sampled.key, secret: created.secret };
    const write = {
      ...{ path: '/tickets', key: sampled.key, headers: { 'Idempotency-Key': 'sample' } },
      body: { title: 'Sample', message: 'Once.' },
    };
    const { body: answer } = await service.call('POST', write.path, write);
    const owner = await addOwner(service);
    const { clientId, tokens } = await connectApp(service, { email: sampled.user.email });
    const holder = await addFactorHolder(service);
    await service.flushAudit();
    const at = new Date(service.clock.now());
    const indexes = await readIndexes(service.connection);
    const stored = await readDocuments(service.connection);
    const known = Object.values(service.connection.models).map((model) => model.collection.collectionName);
    const has = (name: string) => stored.some(({ collection }) => collection === name);
    expect(known.filter((name) => !has(name))).to.have.members(shortLived);
    const reads: RecordedRead[] = [];
    const read = async (path: string, key: string) => {
      const { status, body: answer } = await service.call('GET', path, { key });
      if (status === 200) reads.push({ path, key, answer });
    };
    for (const key of [sampled.key, owner.key]) {
      // Later reads add to the activity: only entries before now stay the same.
      await read('/activity/summary', key);
      const { activity } = (await service.call('GET', '/activity', { key })).body;
      await read(`/activity?before=${activity[0].id}`, key);
    }
    for (const key of [sampled.key, owner.key, tokens.access_token])
      for (const path of readPaths) await read(path, key);
    expect(reads).not.to.deep.equal([]);
    const app = { url: publicUrl, clientId, refreshToken: tokens.refresh_token };
    const kept = { at, indexes, stored, reads, write: { ...write, answer } };
    await writeDump(name, { ...kept, ...app, holder, webhook });
  });
});

async function addFactorHolder(service: TestService) {
  const user = await service.addUser();
  const account = await signInAccount(service.url, user);
  const { authenticator, recoveryCodes } = await addPasskey(publicUrl, account);
  const { secret: appSecret } = await addAuthenticatorApp(service, account);
  const [recoveryCode = ''] = recoveryCodes;
  const [passkey] = authenticator.passkeys;
  if (!passkey) throw new Error('the authenticator has no passkey');
  const privateKey = passkey.privateKey.export({ format: 'jwk' });
  const cookies = [...account.cookies];
  return { email: user.email, cookies, appSecret, recoveryCode, passkey: { ...passkey, privateKey } };
}

/** Reads of what is stored here and not at the panel. */
const readPaths = apiOperations
  .filter(({ method, scope, path }) => method === 'GET' && scope !== null && !/servers|activity/.test(path))
  .map((row) => sampleOf(row).path);
