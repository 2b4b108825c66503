/** `user import --from-panel` adds all customers of a panel by their panel ids, and leaves known users unchanged. */
import { once } from 'node:events';
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { refusal } from '../../../server/panel/demo/answers.ts';
import { createCli, startCliProcess } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { useService } from '../../support/service.ts';

describe('npm run cli: user import --from-panel', () => {
  const service = useService();
  const settings = () => ({
    MONGODB_URI: service.databaseUri,
    PANEL_URL: service.panel.url,
    PANEL_APPLICATION_KEY: service.panel.applicationKey,
    PANEL_CLIENT_KEY: service.panel.clientKey,
  });
  const cli = createCli(settings);
  const users = () => service.connection.collection<UserRecord>('users');
  const panelUser = (id: number, more: object = {}) => ({
    ...{ id, external_id: null, email: `Customer${id}@Example.com` },
    ...more,
  });

  beforeEach(async () => {
    await users().deleteMany({});
    service.panel.users.length = 0;
    service.panel.recover();
    service.panel.forget();
  });

  it('adds a user with names, address and external id for each customer, and skips root administrators', async () => {
    service.panel.users.push(
      panelUser(1, { root_admin: true }),
      panelUser(2, { external_id: 'customer-2', first_name: 'Una', last_name: 'Åkesson' }),
      panelUser(3, { external_id: '', first_name: '', last_name: '', username: 'three' }),
    );
    const report = await cli.json('user import --from-panel');
    expect(report).to.deep.equal({ created: 2, known: 0, root_administrators: 1, conflicts: [] });
    const stored = await users().find().sort({ panelUserId: 1 }).toArray();
    expect(stored.map(({ panelUserId }) => panelUserId)).to.deep.equal([2, 3]);
    expect(stored[0]).to.deep.include({
      ...{ email: 'customer2@example.com', externalId: 'customer-2', firstName: 'Una', lastName: 'Åkesson' },
      ...{ nickname: null, isAdmin: false, isActive: true, passwordHash: null },
    });
    expect(stored[1]).to.deep.include({ externalId: null, firstName: null, nickname: 'three' });
  });

  it('with --invite, invites each user who has never signed in once, and no one if mail is off', async () => {
    service.panel.users.push(panelUser(2), panelUser(3));
    const command = 'user import --from-panel --invite --per-minute 60000';
    expect(await cli.refusal(command)).to.include('mail is not configured');
    expect(await users().countDocuments()).to.equal(0);
    await service.models.notices.applySettings(['customer'], new Date());
    expect(await cli.json(command)).to.include({ created: 2, invited: 2 });
    service.panel.users.push(panelUser(4));
    expect(await cli.json(command)).to.include({ created: 1, known: 2, invited: 1 });
    const events = service.connection.collection('webhook_events');
    expect(await events.countDocuments({ type: 'user.invited' })).to.equal(3);
    await service.models.notices.applySettings([], new Date());
  });

  it('gives the users their servers', async () => {
    service.panel.users.push(panelUser(7));
    await cli.json('user import --from-panel');
    const user = await service.models.users.findByEmail('customer7@example.com');
    const { secret: key } = await service.addKey({ user: user ?? (await service.addUser()) });
    expect((await service.call('GET', '/servers', { key })).status).to.equal(200);
    expect(service.panel.requests.at(-1)?.path).to.match(/^\/api\/application\/users\/7\?/);
  });

  it('changes nothing on a second run, and leaves users that already have a panel id unchanged', async () => {
    service.panel.users.push(panelUser(2), panelUser(3));
    await service.addUser({ email: 'own@example.com', panelUserId: 3, nickname: 'own' });
    await cli.json('user import --from-panel');
    const before = await users().find().toArray();
    Object.assign(service.panel.users[0] ?? {}, { email: 'moved@example.com', first_name: 'Other' });
    const again = await cli.json('user import --from-panel');
    expect(again).to.deep.equal({ created: 0, known: 2, root_administrators: 0, conflicts: [] });
    expect(await users().find().toArray()).to.deep.equal(before);
  });

  it('exits with 1 and prints a line for each conflict, skips it, and imports the other users', async () => {
    const staff = await service.addUser({ email: 'customer2@example.com', isAdmin: true });
    await service.addUser({ email: 'billing@example.com', externalId: 'customer-3' });
    service.panel.users.push(
      ...[panelUser(2), panelUser(3, { external_id: 'customer-3' }), panelUser(4), panelUser(5)],
      ...[panelUser(6, { email: 'no address' }), panelUser(8, { external_id: 'a/b' })],
    );
    const { code, stdout } = await cli.run('user import --from-panel');
    expect(code).to.equal(1);
    expect(stdout.trimEnd().split('\n')).to.deep.equal([
      'conflict: panel user 2, customer2@example.com: email belongs to another user',
      'conflict: panel user 3, customer3@example.com: external_id belongs to another user',
      'conflict: panel user 6, no address: email must be an e-mail address, such as ada@example.com',
      'conflict: panel user 8, Customer8@Example.com: external_id must consist of A-Z a-z 0-9 . _ : @ -',
      'Users of the panel: 2 created, 0 known already, 0 left out as root administrators, 4 in conflict.',
    ]);
    expect(await service.models.users.find(staff._id)).to.deep.include({ panelUserId: null, isAdmin: true });
  });

  it('exits with 1, names a malformed user of the panel and skips it, and imports the others', async () => {
    service.panel.users.push(
      ...[panelUser(2), panelUser(3, { email: null }), panelUser(4, { root_admin: undefined })],
      panelUser(5, { id: null }),
    );
    const { code, stdout } = await cli.run('user import --from-panel');
    expect(code).to.equal(1);
    expect(stdout.trimEnd().split('\n')).to.deep.equal([
      'conflict: panel user without an id, Customer5@Example.com: id must be a number',
      'conflict: panel user 3: email must be a string',
      'conflict: panel user 4, Customer4@Example.com: root_admin is required',
      'Users of the panel: 1 created, 0 known already, 0 left out as root administrators, 3 in conflict.',
    ]);
  });

  it('prints the first five of equal mistakes as text, and all of them as JSON', async () => {
    service.panel.users.push(...Array.from({ length: 8 }, (_, at) => panelUser(at + 2, { email: 'none' })));
    const { stdout } = await cli.run('user import --from-panel');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).to.have.lengthOf(7);
    expect(lines[5]).to.equal('and 3 more: email must be an e-mail address, such as ada@example.com');
    const { stdout: json } = await cli.run('user import --from-panel --json');
    expect(JSON.parse(json).conflicts).to.have.lengthOf(8);
  });

  it('with --dry-run, prints what would change and changes nothing', async () => {
    service.panel.users.push(panelUser(2), panelUser(3));
    await service.addUser({ email: 'customer3@example.com' });
    const { code, stdout } = await cli.run('user import --from-panel --dry-run');
    expect(code).to.equal(1);
    expect(stdout).to.equal(
      'would create panel user 2, customer2@example.com\n' +
        'conflict: panel user 3, customer3@example.com: email belongs to another user\n' +
        'Users of the panel: 1 would be created, 0 known already, 0 left out as root administrators, 1 in conflict.\n',
    );
    expect(await users().countDocuments()).to.equal(1);
  });

  const many = (count: number) => Array.from({ length: count }, (_, index) => panelUser(index + 1));

  it('imports 10,000 users in under a minute with 100 reads and as many writes, and shows its progress', async () => {
    service.panel.users.push(...many(10_000));
    const cpuBefore = process.cpuUsage();
    const { code, stdout, stderr } = await cli.run('user import --from-panel');
    expect(code, stderr).to.equal(0);
    const { user, system } = process.cpuUsage(cpuBefore);
    expect((user + system) / 1_000_000, 'seconds of our own time').to.be.below(60);
    expect(stdout).to.match(/^Users of the panel: 10000 created/);
    expect(stderr).to.include('Page 50 of 100 is read; the panel has 10000 users.');
    expect(service.panel.requests).to.have.lengthOf(100);
    const ids = await users().distinct('panelUserId');
    expect(ids).to.have.lengthOf(10_000);
  });

  it('continues where a signal or a failing panel stopped it', async () => {
    service.panel.users.push(...many(3_000));
    const proper = { after: Promise.resolve() };
    service.panel.respondNext(proper, proper, proper, { after: new Promise(() => {}) });
    const running = await startCliProcess(['user', 'import', '--from-panel'], settings());
    await eventually(async () => expect(await users().countDocuments()).to.equal(300));
    running.kill('SIGINT');
    await once(running, 'close');
    expect(await users().countDocuments()).to.equal(300);
    service.panel.recover();
    service.panel.respondNext(
      { after: Promise.resolve() },
      refusal(403, 'AccessDeniedHttpException', 'This IP'),
    );
    expect(await cli.refusal('user import --from-panel')).to.match(
      /^The panel refused our key: .* \(PANEL_APPLICATION_KEY: This IP\) \(stopped after page 1 of 30; run it again to continue\)$/,
    );
    const { created, known } = await cli.json('user import --from-panel');
    expect(created + known).to.equal(3_000);
    expect(await users().countDocuments()).to.equal(3_000);
  });

  it('waits while the panel limits its requests', async () => {
    service.panel.users.push(...many(150));
    service.panel.respondNext({
      ...refusal(429, 'ThrottleRequestsException'),
      headers: { 'Retry-After': '1' },
    });
    expect((await cli.json('user import --from-panel')).created).to.equal(150);
  });

  it('exits with 1 without a panel, or if the panel refuses the key', async () => {
    const uri = { MONGODB_URI: service.databaseUri };
    expect(await createCli(uri).refusal('user import --from-panel')).to.match(/^PANEL_URL is not set/);
    const refused = createCli(() => ({ ...settings(), PANEL_APPLICATION_KEY: 'ptla_revoked' }));
    expect(await refused.refusal('user import --from-panel')).to.match(/^The panel refused our key: check/);
  });
});
