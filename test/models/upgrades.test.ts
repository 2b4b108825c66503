/** This version starts on a database of each released version and gives the same answers. */
import { createPrivateKey } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { connectMongoose } from '../../server/database.ts';
import { openAccount } from '../support/account.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { createCli } from '../support/cli.ts';
import { dumpFolder, readDump } from '../support/database-dump.ts';
import { takeIndexedDatabase, testDatabaseUri } from '../support/mongo.ts';
import { refresh } from '../support/oauth-app.ts';
import { pickFieldsOf } from '../support/pick-fields.ts';
import { codeOf, givePassword, signedInEmailOf } from '../support/second-factor.ts';
import { startTestService } from '../support/service.ts';
import { useForEach, useStarted } from '../support/use-started.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { startSending, webhookSettings } from '../support/webhook-service.ts';

for (const name of readdirSync(dumpFolder).filter((file) => file.endsWith('.ndjson')))
  describe(`a database of version ${name.replace('.ndjson', '')}`, () => {
    let dump: Awaited<ReturnType<typeof readDump>>;

    const receiver = useForEach(startReceiver);
    const service = useStarted(async () => {
      dump = await readDump(name);
      const uri = testDatabaseUri();
      const connection = await connectMongoose(uri);
      for (const [collection, indexes] of Object.entries(dump.indexes))
        await connection.collection(collection).createIndexes(indexes);
      for (const { collection, document } of dump.stored)
        await connection.collection(collection).insertOne(document);
      await connection.close();
      await createCli({ MONGODB_URI: uri }).text('schema --migrate');
      const started = await startTestService({
        databaseUri: uri,
        rateLimitPerMinute: 10_000,
        config: { publicUrl: dump.url, webhooks: webhookSettings },
      });
      started.clock.advance(dump.at.getTime() - started.clock.now());
      return started;
    });

    it('accepts every document that a still running process of that version writes', async () => {
      const uri = await takeIndexedDatabase();
      const connection = await connectMongoose(uri);
      for (const { collection, document } of dump.stored)
        await connection.collection(collection).insertOne(document);
      await connection.dropDatabase();
      await connection.close();
    });

    it('gives the recorded answers for its keys and apps', async () => {
      for (const { path, key, answer } of dump.reads) {
        const { status, body } = await service.call('GET', path, { key });
        expect(status, path).to.equal(200);
        expect(withoutUse(pickFieldsOf(body, answer)), path).to.deep.equal(withoutUse(answer));
      }
    });

    it("keeps its user's session, and signs in with authenticator app, recovery code and passkey", async () => {
      const { email, cookies, appSecret, recoveryCode, passkey } = dump.holder;
      const browser = openAccount(service.url);
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      expect(await signedInEmailOf(browser)).to.equal(email);
      const authenticator = createAuthenticator(dump.url);
      const privateKey = createPrivateKey({ key: passkey.privateKey, format: 'jwk' });
      authenticator.passkeys.push({ ...passkey, privateKey });
      const { options } = await openAccount(service.url).api.session.askForPasskey.mutate();
      const shown = [
        { code: codeOf(service, appSecret) },
        { code: recoveryCode },
        { passkey: authenticator.get(options) },
      ];
      for (const factor of shown) {
        const account = await givePassword(service, { email });
        expect(await signedInEmailOf(account)).to.equal(null);
        await account.call('session.showFactor', factor);
        expect(await signedInEmailOf(account), Object.keys(factor).join()).to.equal(email);
      }
    });

    it("renews its apps' access and repeats a write's first answer", async () => {
      expect((await refresh(service, dump.clientId, dump.refreshToken)).status).to.equal(200);
      const { path, answer, ...request } = dump.write;
      const repeated = await service.call('POST', path, request);
      expect([repeated.status, pickFieldsOf(repeated.body, answer)]).to.deep.equal([201, answer]);
    });

    it('sends its pending event, signed with the secret of its webhook', async () => {
      const { id, key, secret } = dump.webhook;
      const body = { url: receiver.url };
      await service.call('PATCH', `/webhooks/${id}`, { key, body });
      // The others would leave this machine.
      const others = { _id: { $ne: id }, format: { $ne: 'mail' } };
      await service.connection.collection<{ _id: string }>('webhooks').deleteMany(others);
      const dispatcher = startSending(service);
      const [sent] = await receiver.waitFor(1).finally(() => dispatcher.stop());
      const header = (name: string) => String(sent?.headers[`webhook-${name}`]);
      const at = new Date(Number(header('timestamp')) * 1000);
      const signature = new Webhook(secret).sign(header('id'), at, sent?.text ?? '');
      expect([sent?.body.type, header('signature')]).to.deep.equal(['ticket.created', signature]);
    });

    it('finds its newest tickets by subject and its users by each name in any case', async () => {
      const user = await service.addUser({ email: 'admin@example.com', isAdmin: true });
      const { secret: key } = await service.addKey({ user });
      const searched = Object.entries({
        tickets: ['subject'],
        users: ['email', 'externalId', 'firstName', 'lastName', 'nickname'],
      });
      for (const [list, fields] of searched)
        for (const { document } of dump.stored.filter(({ collection }) => collection === list).slice(-4))
          for (const text of fields.flatMap((field) => document[field] ?? [])) {
            const query = `search=${encodeURIComponent(text.toUpperCase())}`;
            const { body } = await service.call('GET', `/admin/${list}?${query}`, { key });
            expect(
              body[list].map(({ id }: { id: number }) => id),
              query,
            ).to.include(document['_id']);
          }
    });

    it('gives the next ticket the next number', async () => {
      const numbers = dump.stored.flatMap(({ collection, document }) =>
        collection === 'tickets' ? [document['_id']] : [],
      );
      const body = { title: 'Next', message: 'Next' };
      const { ticket } = (await service.call('POST', '/tickets', { key: dump.write.key, body })).body;
      expect(ticket.id).to.equal(Math.max(...numbers) + 1);
    });
  });

/** A read changes the times of last use. */
const withoutUse = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer, (field, value) => (field === 'last_used_at' ? undefined : value)));
