/** Restored backups, from a dump and from copied files: the same responses, documents to the byte, and indexes. */
import { cp, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createCli } from '../support/cli.ts';
import { makeDirectory } from '../support/directory.ts';
import { readNotes, storeNote, useEmbedded } from '../support/embedded.ts';
import { openTestModels } from '../support/models.ts';
import { startProgram } from '../support/program.ts';
import { startTestService } from '../support/service.ts';
import { useForEach } from '../support/use-started.ts';

describe('npm run cli: backup and restore', () => {
  const service = useForEach(() => startTestService({ rateLimitPerMinute: 10_000 }));
  const cli = createCli(() => ({ MONGODB_URI: service.databaseUri }));
  const directory = useForEach(makeDirectory);

  /** Puts a document into every store, and makes a key to read them with. */
  async function fill(): Promise<string> {
    const profile = { email: 'ada@example.com', nickname: 'Ada', isAdmin: true, panelUserId: 7 };
    const user = await service.addUser(profile);
    const { secret: key } = await service.addKey({ user });
    const body = { title: 'News', message: 'All of it.', status: 'published' };
    expect((await service.call('POST', '/admin/announcements', { key, body })).status).to.equal(201);
    const order = { userId: user._id, providerId: 'sub_1', status: 'active' };
    await service.models.subscriptions.add(order, new Date());
    const unset = {
      description: null,
      shortDesc: null,
      category: null,
      icon: null,
      cover: null,
      banner: null,
    };
    const game = { _id: 'minecraft', title: 'Minecraft', priceFrom: '4.99', isActive: true, plans: [] };
    await service.models.games.import([{ ...game, ...unset, pricingBackground: null }]);
    for (const title of ['One', 'Two', 'Three']) await openTicket(key, title);
    return key;
  }

  async function openTicket(key: string, title: string): Promise<number> {
    const { status, body } = await service.call('POST', '/tickets', {
      key,
      body: { title, message: 'Lag.' },
    });
    expect(status).to.equal(201);
    return body.ticket.id;
  }

  const personal = ['/me', '/tickets', '/subscriptions'];
  const paths = [...personal, '/announcements', '/catalog/games', '/admin/announcements'];
  const answers = (key: string) =>
    Promise.all(paths.map(async (path) => (await service.call('GET', path, { key })).text));

  async function documents(): Promise<Record<string, string[]>> {
    const names = (await service.connection.listCollections()).map(({ name }) => name).sort();
    const read = async (name: string) => {
      const found = service.connection.collection(name).find({}, { raw: true }).sort({ _id: 1 });
      const raw = (await found.toArray()) as unknown as Buffer[]; // what raw means
      return [name, raw.map((document) => document.toString('hex'))] as const;
    };
    return Object.fromEntries(await Promise.all(names.map(read)));
  }

  it('bring everything back after a drop: responses, documents, indexes and the next id', async () => {
    const key = await fill();
    await cli.json('schema --migrate');
    const indexes = await cli.json('indexes');
    const answered = await answers(key);
    await service.flushAudit();
    const kept = await documents();
    expect(Object.keys(kept)).to.include.members(['users', 'api_keys', 'tickets', 'games', 'schema_version']);

    const { collections } = await cli.json(`backup ${directory.path}/monday`);
    expect(collections).to.have.members(Object.keys(kept));
    await service.connection.dropDatabase();
    expect((await service.call('GET', '/me', { key })).status).to.equal(401);

    const restored = await cli.json(`restore ${directory.path}/monday`);
    expect(restored.documents).to.equal(Object.values(kept).flat().length);
    expect(await documents()).to.deep.equal(kept);
    expect(await answers(key)).to.deep.equal(answered);
    expect(await cli.json('indexes')).to.deep.equal(indexes);
    expect(indexes.every(({ state }: { state: string }) => state === 'built')).to.equal(true);
    expect(await openTicket(key, 'Four')).to.equal(4);
  });

  it('capture one moment while the service runs: every ticket is complete and its id is counted', async () => {
    const key = await fill();
    let isOver = false;
    const writing = (async () => {
      for (let count = 0; !isOver; count += 1) await openTicket(key, `Meanwhile ${count}`);
    })();
    await cli.json(`backup ${directory.path}/live`);
    isOver = true;
    await writing;
    await cli.json(`restore ${directory.path}/live --drop`);
    const tickets = await service.connection.collection('tickets').find().sort({ _id: 1 }).toArray();
    const sequences = service.connection.collection<{ _id: string; value: number }>('sequences');
    const { value = 0 } = (await sequences.findOne({ _id: 'ticket' })) ?? {};
    expect(tickets.length).to.be.greaterThan(3);
    expect(tickets.map(({ _id }) => _id)).to.deep.equal(tickets.map((_, index) => index + 1));
    // Inserts in progress at that moment have only counted their ids.
    expect(value).to.be.within(tickets.length, tickets.length + 1);
    expect(await openTicket(key, 'After')).to.equal(value + 1);
  });

  it('never mix data: restore needs an empty database, or --drop, which removes all old data', async () => {
    const key = await fill();
    await cli.json(`backup ${directory.path}/monday`);
    await openTicket(key, 'Since');
    await service.connection.collection('of_a_newer_program').insertOne({});
    expect(await cli.refusal(`restore ${directory.path}/monday`)).to.match(/not empty \(--drop/);
    await cli.json(`restore ${directory.path}/monday --drop`);
    expect(Object.keys(await documents())).to.not.include('of_a_newer_program');
    expect((await service.call('GET', '/tickets', { key })).body.tickets).to.have.lengthOf(3);
  });

  it('never overwrite a backup, let only its owner read it, and leave no incomplete directory', async () => {
    await fill();
    await cli.json(`backup ${directory.path}/monday/`);
    expect(await cli.refusal(`backup ${directory.path}/monday`)).to.match(/exists already$/);
    expect(await readdir(directory.path)).to.deep.equal(['monday']);
    for (const name of await readdir(`${directory.path}/monday`))
      expect((await stat(`${directory.path}/monday/${name}`)).mode & 0o777, name).to.equal(0o600);
    const { indexes } = JSON.parse(await readFile(`${directory.path}/monday/users.metadata.json`, 'utf8'));
    expect(indexes[0]).to.deep.include({ name: '_id_', key: { _id: { $numberInt: '1' } } });
  });

  it('refuse a truncated or foreign directory before they drop anything', async () => {
    const key = await fill();
    expect(await cli.refusal(`restore ${directory.path} --drop`)).to.match(/^no backup in /);
    await cli.json(`backup ${directory.path}/monday`);
    await truncate(`${directory.path}/monday/users.bson`, 100);
    expect(await cli.refusal(`restore ${directory.path}/monday --drop`)).to.match(
      /ends in the middle of a document$/,
    );
    await writeFile(`${directory.path}/monday/users.bson`, Buffer.alloc(64));
    expect(await cli.refusal(`restore ${directory.path}/monday --drop`)).to.match(/users\.bson/);
    const giant = Buffer.alloc(5);
    giant.writeInt32LE(1024 ** 3);
    await writeFile(`${directory.path}/monday/users.bson`, giant);
    await truncate(`${directory.path}/monday/users.bson`, 64 * 1024 ** 2);
    expect(await cli.refusal(`restore ${directory.path}/monday --drop`)).to.match(/does not hold BSON$/);
    expect((await service.call('GET', '/me', { key })).status).to.equal(200);
  });
});

describe('restore while other processes run', () => {
  const database = useForEach(openTestModels);
  const directory = useForEach(makeDirectory);
  const cli = createCli(() => ({ MONGODB_URI: database.databaseUri }));
  const announce = () => cli.json('announcement add --title News --message Kept.');
  const announced = async () => (await cli.json('announcement list')).length;

  it('is refused before it drops anything, until they stop or --force is given', async () => {
    await cli.json(`backup ${directory.path}/empty`);
    const processes = await Promise.all(
      [1, 2].map(() => startProgram({ MONGODB_URI: database.databaseUri })),
    );
    await announce();
    expect(await cli.refusal(`restore ${directory.path}/empty --drop`)).to.equal(
      '2 processes of the service run on this database: stop all of them first. A process that died still counts for 30 seconds; --force restores anyway',
    );
    expect(await announced()).to.equal(1);
    await cli.json(`restore ${directory.path}/empty --drop --force`);
    expect(await announced()).to.equal(0);

    await Promise.all(processes.map((each) => each.stop()));
    await announce();
    await cli.json(`restore ${directory.path}/empty --drop`);
    expect(await announced()).to.equal(0);
  });

  it('is refused for 30 seconds after a process died', async () => {
    await cli.json(`backup ${directory.path}/empty`);
    const leases = database.connection.collection('process_leases');
    const one = await startProgram({ MONGODB_URI: database.databaseUri });
    await one.stop('SIGKILL');
    expect(await cli.refusal(`restore ${directory.path}/empty --drop`)).to.match(
      /^1 process of the service runs /,
    );
    await leases.updateMany({}, [{ $set: { leaseEndsAt: { $subtract: ['$leaseEndsAt', 30_000] } } }]);
    await cli.json(`restore ${directory.path}/empty --drop`);
  });
});

describe('a copy of DATA_DIR', () => {
  const first = useEmbedded();
  const second = useEmbedded();

  it('is a complete database that starts anywhere, if the service was stopped when it was made', async () => {
    const database = await first.open();
    await storeNote(database.uri, 'kept');
    await database.stop();
    await cp(first.dataDir, second.dataDir, { recursive: true });
    const again = await first.open();
    await storeNote(again.uri, 'after the copy');
    // The first copy still runs, so this one needs another port than the one it remembers.
    expect(await readNotes((await second.open()).uri)).to.deep.equal(['kept']);
  });
});
