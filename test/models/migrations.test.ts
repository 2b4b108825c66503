/** Migrations: each runs once, in order, in one process at a time, and never on a database of a newer program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createModels } from '../../models/index.ts';
import { addProvisioning, type Migration, migrations } from '../../models/migrations/index.ts';
import { connectMongoose } from '../../server/database.ts';
import { eventually } from '../support/eventually.ts';
import { failureOf } from '../support/failure-of.ts';
import { createGreetings } from '../support/greetings.ts';
import { startTestService, type TestService } from '../support/service.ts';

const program = fileURLToPath(new URL('../support/migrating-program.ts', import.meta.url));

const newest = migrations.length;

describe('migrations', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await startTestService();
  });
  afterEach(() => service.stop());

  const storedVersion = () => service.connection.collection('schema_version').findOne();

  it('are numbered from 1 without gaps', () => {
    expect(migrations.map(({ version }) => version)).to.deep.equal(migrations.map((_, index) => index + 1));
  });

  it('run in order, are recorded with their time, and never run twice', async () => {
    const ran: number[] = [];
    const step = (version: number): Migration => ({
      version,
      name: `Step ${version}`,
      up: async () => void ran.push(version),
    });
    const lines: string[] = [];
    const onProgress = (line: string) => void lines.push(line);
    await service.addUser();
    await service.models.migrate({ migrations: [step(1), step(2)], onProgress });
    await service.models.migrate({ migrations: [step(1), step(2), step(3)], onProgress });
    expect(ran).to.deep.equal([1, 2, 3]);
    expect(lines).to.deep.equal(
      [1, 2, 3].map((n) => `Bringing the database to schema version ${n}: Step ${n} ...`),
    );
    expect(await storedVersion()).to.deep.include({ version: 3, holder: null });
    const applied = (await storedVersion())?.['applied'];
    expect(applied.map(({ name }: { name: string }) => name)).to.deep.equal(['Step 1', 'Step 2', 'Step 3']);
    for (const { at } of applied) expect(Date.now() - at.getTime()).to.be.within(0, 60_000);
  });

  it('report nothing while the database is new', async () => {
    const lines: string[] = [];
    await service.models.migrate({ onProgress: (line) => void lines.push(line) });
    expect(await storedVersion()).to.deep.include({ version: newest });
    expect(lines).to.deep.equal([]);
  });

  it('count the calls that the previous release audited, also when they run twice', async () => {
    const { key, secret } = await service.addKey();
    for (const path of ['/me', '/me', '/tickets/999']) await service.call('GET', path, { key: secret });
    await service.flushAudit();
    const counts = service.connection.collection<{ _id: string }>('activity_counts');
    const counted = await counts.find().sort({ _id: 1 }).project({ __v: 0 }).toArray();
    await counts.deleteMany({});
    const [count] = migrations.filter(({ name }) => name === 'Calls are counted by day and key');
    for (let times = 0; times < 2; times += 1) await count?.up?.(service.connection);
    expect(await counts.find().sort({ _id: 1 }).toArray()).to.deep.equal(counted);
    expect(counted.map(({ keyId, calls, failures }) => [keyId, calls, failures])).to.deep.equal([
      ['', 3, 1],
      [key._id, 3, 1],
    ]);
  });

  it('drop the index of the audit that nothing uses any more, also when they run twice', async () => {
    const entries = service.connection.collection('audit_entries');
    await entries.createIndex({ userId: 1, at: -1 });
    const [drop] = migrations.filter(({ name }) => name.includes('no index that is not used'));
    for (let times = 0; times < 2; times += 1) await drop?.up?.(service.connection);
    const statuses = await service.models.listIndexes();
    const states = statuses.filter(({ collection }) => collection === 'audit_entries');
    expect(new Set(states.map(({ state }) => state))).to.deep.equal(new Set(['built']));
  });

  it('let ended keys, watched servers and the quotas of keys expire, also when they run twice', async () => {
    const { connection, models } = service;
    const keys = connection.collection('api_keys');
    await keys.dropIndexes();
    await keys.createIndexes([{ key: { expiresAt: 1 } }, { key: { userId: 1 } }]);
    const watches = connection.collection<{ _id: string; seenAt?: Date }>('server_watches');
    await watches.insertMany([{ _id: 'server:a1b2c3d4' }, { _id: 'lease' }]);
    const quotas = connection.collection<{ _id: number; changedAt?: Date }>('key_rings');
    await quotas.insertOne({ _id: 1 });
    const [expire] = migrations.filter(({ name }) => name.includes('are removed'));
    for (let times = 0; times < 2; times += 1) await expire?.up?.(connection);
    await models.ensureIndexes();
    const statuses = (await models.listIndexes()).filter(({ collection }) => collection === 'api_keys');
    expect(new Set(statuses.map(({ state }) => state))).to.deep.equal(new Set(['built']));
    const [lease, watch] = await watches.find().sort({ _id: 1 }).toArray();
    expect(watch?.seenAt).to.be.a('date');
    expect(lease).to.deep.equal({ _id: 'lease' });
    expect((await quotas.findOne())?.changedAt).to.be.a('date');
  });

  it('make existing users active, without an external id, once', async () => {
    const createdAt = new Date('2026-01-01T00:00:00Z');
    const users = service.connection.collection<{ _id: number; email: string; createdAt: Date }>('users');
    await users.insertMany([1, 2].map((_id) => ({ _id, email: `u${_id}@example.com`, createdAt })));
    await addProvisioning(service.connection);
    const added = { isActive: true, externalId: null, sessionsEndedAt: null, updatedAt: createdAt };
    for (const id of [1, 2]) expect(await service.models.users.find(id)).to.deep.include(added);
    const put = { externalId: 'c1', email: 'c1@example.com', isActive: false };
    await service.models.provisioning.put(put, new Date());
    await addProvisioning(service.connection);
    const active = await service.models.users.listPage({ isActive: true, after: 0, limit: 10 });
    expect(active.map(({ _id }) => _id)).to.deep.equal([1, 2]);
  });

  it('run in one of several processes that start together, which renews its lease while the others wait', async () => {
    let runs = 0;
    let isDone = false;
    const up = async () => {
      runs += 1;
      const acquired = await storedVersion();
      await eventually(async () =>
        expect((await storedVersion())?.['leaseEndsAt']).to.be.above(acquired?.['leaseEndsAt']),
      );
      isDone = true;
    };
    const start = async () => {
      const connection = await connectMongoose(service.databaseUri);
      await createModels(connection).migrate({
        migrations: [{ version: 1, name: 'Slow', up }],
        leaseMs: 3_000,
      });
      expect(isDone).to.equal(true);
      await connection.close();
    };
    await Promise.all(Array.from({ length: 6 }, start));
    expect(runs).to.equal(1);
  });

  it('can be aborted while waiting for another process, which goes on', async () => {
    const up = async () => {
      const ending = new AbortController();
      const other = service.models.migrate({
        migrations: slow,
        signal: ending.signal,
        onProgress: () => ending.abort(),
      });
      expect((await failureOf(other)).name).to.equal('AbortError');
    };
    const slow: Migration[] = [{ version: 1, name: 'Slow', up }];
    await service.models.migrate({ migrations: slow });
    expect(await storedVersion()).to.include({ version: 1, holder: null });
  });

  it('keep the version when they fail, and run again at the next start', async () => {
    let tries = 0;
    const up = async () => {
      tries += 1;
      if (tries === 1) throw new Error('no space left');
    };
    const migrate = () => service.models.migrate({ migrations: [{ version: 1, name: 'Once', up }] });
    expect((await failureOf(migrate())).message).to.equal('no space left');
    expect(await storedVersion()).to.include({ version: 0, holder: null });
    await migrate();
    expect(await storedVersion()).to.include({ version: 1 });
  });

  it('reject a database of a newer program and leave it unchanged', async () => {
    await service.models.migrate({ migrations: createGreetings() });
    const before = await storedVersion();
    const { message } = await failureOf(service.models.migrate());
    expect(message).to.match(
      new RegExp(`schema version ${newest + 1}, .* up to ${newest} only\\. .* restore a backup`),
    );
    expect(await storedVersion()).to.deep.equal(before);
  });

  describe('killed while running', () => {
    it('resume where they stopped, while the previous release keeps reading and writing', async () => {
      const { users, keys } = await addUsers(6);
      const answers = () => Promise.all(keys.map((key) => service.call('GET', '/me', { key })));
      const before = (await answers()).map(({ body }) => body);
      expect(before.map(({ user }) => user.nickname)).to.include('nick3');

      const killed = spawn(process.execPath, ['--import', 'tsx', program, service.databaseUri]);
      let output = '';
      killed.stdout.on('data', (chunk) => {
        output += chunk;
      });
      for (const id of users.slice(0, 3)) {
        while (!output.includes(`changed ${id}\n`)) await once(killed.stdout, 'data');
        if (id !== users[2]) killed.stdin.write('\n');
      }
      expect((await answers()).map(({ body }) => body)).to.deep.equal(before);
      killed.kill('SIGKILL');
      await once(killed, 'close');
      const greeted = [1, 2, 3].map((n) => `Hello nick${n}`);
      expect(await greetingsOf()).to.deep.equal([...greeted, null, null, null]);
      expect(await storedVersion()).to.include({ version: newest });

      const { secret: newKey } = await service.addKey();
      const now = new Date();
      // As if the lease of the killed process had ended.
      await service.connection.collection('schema_version').updateOne({}, { $set: { leaseEndsAt: now } });
      await Promise.all([1, 2].map(() => service.models.migrate({ migrations: createGreetings() })));
      expect(await greetingsOf()).to.deep.equal([
        ...[1, 2, 3, 4, 5, 6].map((n) => `Hello nick${n}`),
        'Hello null',
      ]);
      expect(await timesOf()).to.deep.equal([1, 1, 1, 1, 1, 1, 1]);
      expect(await storedVersion()).to.include({ version: newest + 1 });
      expect((await answers()).map(({ body }) => body)).to.deep.equal(before);
      expect((await service.call('GET', '/me', { key: newKey })).status).to.equal(200);
    });
  });

  async function addUsers(count: number) {
    const users: number[] = [];
    const keys: string[] = [];
    for (let n = 1; n <= count; n += 1) {
      const user = await service.addUser({ nickname: `nick${n}` });
      users.push(user._id);
      keys.push((await service.addKey({ user })).secret);
    }
    return { users, keys };
  }

  const usersNow = () => service.connection.collection('users').find().sort({ _id: 1 }).toArray();
  const greetingsOf = async () => (await usersNow()).map(({ greeting }) => greeting ?? null);
  const timesOf = async () => (await usersNow()).map(({ times }) => times);
});
