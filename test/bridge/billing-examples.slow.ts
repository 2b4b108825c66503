/** The two PHP files for billing systems run against the service, with their system's functions replaced. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { findPhp } from '../support/programs.ts';
import { useService } from '../support/service.ts';

const run = promisify(execFile);
const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

describe('examples for billing systems', () => {
  const service = useService();
  let php: string;
  let key: string;

  before(async function () {
    this.timeout(120_000); // the first run fetches PHP
    php = await findPhp();
    const admin = await service.addUser({ isAdmin: true });
    key = (await service.addKey({ user: admin, scopes: ['admin:users'] })).secret;
  });

  /** Resolves to the output, which is empty on success. */
  async function play(file: string, events: unknown[], settings: object = {}) {
    const system = file.replace(/-.*/, '');
    const args = [pathOf(`test/support/php/${system}.php`), pathOf(`bridge/examples/${file}`)];
    const env = { GAMEHOST_URL: service.url, GAMEHOST_KEY: key, ...settings };
    return (await run(php, [...args, JSON.stringify(events)], { env })).stdout;
  }

  const userOf = async (id: string) => (await service.call('GET', `/admin/users/${id}`, { key })).body.user;

  async function subscriptionsOf(email: string) {
    const user = await service.models.users.findByEmail(email);
    return service.models.subscriptions.list(user?._id ?? 0);
  }

  const statusesOf = async (email: string) => (await subscriptionsOf(email)).map(({ status }) => status);

  it('are valid PHP, which php -l confirms', async () => {
    const files = (await readdir(pathOf('bridge/examples'), { recursive: true })).filter((name) =>
      name.endsWith('.php'),
    );
    expect(files).to.have.lengthOf(2);
    for (const file of files) {
      const { stdout } = await run(php, ['-l', pathOf(`bridge/examples/${file}`)]);
      expect(stdout).to.match(/^No syntax errors/);
    }
  });

  describe('the hook of WHMCS', () => {
    const hook = 'whmcs-hook/gamehost.php';
    const uuid = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';
    const details = { id: 7, uuid, email: 'Dana@example.com', firstname: 'Dana', lastname: 'Miller' };
    const client = { ...details, status: 'Active', currency_code: 'EUR' };
    const product = { params: { userid: 7, serviceid: 41, moduletype: 'pterodactyl' } };

    it('sends the user to the API when a client is added or edited', async () => {
      const renamed = { ...client, lastname: 'Moore' };
      const events = [
        ['ClientAdd', { userid: 7, client_id: 7 }, client],
        ['ClientEdit', { userid: 7 }, renamed],
      ];
      expect(await play(hook, events)).to.equal('');
      expect(await userOf(uuid)).to.include({
        ...{ email: 'dana@example.com', first_name: 'Dana', last_name: 'Moore', active: true },
      });
    });

    it('sends the subscription with its state for products of the panel only', async () => {
      const other = { params: { ...product.params, serviceid: 42, moduletype: 'cpanel' } };
      const steps = {
        AfterModuleCreate: 'active',
        AfterModuleSuspend: 'suspended',
        AfterModuleUnsuspend: 'active',
        AfterModuleTerminate: 'canceled',
      };
      for (const [point, status] of Object.entries(steps)) {
        expect(
          await play(hook, [
            [point, product, client],
            [point, other, client],
          ]),
        ).to.equal('');
        expect(await statusesOf('dana@example.com')).to.deep.equal([status]);
      }
      const [subscription] = await subscriptionsOf('dana@example.com');
      expect(subscription).to.include({ name: 'Survival 8 GB', price: '12.00 EUR, monthly' });
    });

    it('suspends the user of a closed client, resumes that of a reopened one, and deletes that of a deleted one', async () => {
      const vars = { userid: 7 };
      expect(await play(hook, [['ClientClose', vars, client]])).to.equal('');
      expect((await userOf(uuid)).active).to.equal(false);
      const reopened = { ...vars, olddata: { status: 'Closed' } };
      expect(await play(hook, [['ClientEdit', reopened, client]])).to.equal('');
      expect((await userOf(uuid)).active).to.equal(true);
      expect(await play(hook, [['PreDeleteClient', vars, client]])).to.equal('');
      expect(await userOf(uuid)).to.equal(undefined);
    });

    it('keeps a user suspended after the host did so, whatever the client changes or buys', async () => {
      const vars = { userid: 7, olddata: { status: 'Active' } };
      expect(await play(hook, [['ClientAdd', vars, client]])).to.equal('');
      await service.call('PUT', `/admin/users/${uuid}`, { key, body: { active: false } });
      const events = [
        ['ClientEdit', vars, client],
        ['AfterModuleCreate', product, client],
      ];
      expect(await play(hook, events)).to.equal('');
      expect((await userOf(uuid)).active).to.equal(false);
      expect(await play(hook, [['PreDeleteClient', vars, client]])).to.equal('');
    });

    it('writes refusals and missing answers to the activity log and never interrupts WHMCS', async () => {
      const wrong = { ...client, uuid: 'another', email: 'nonsense' };
      expect(await play(hook, [['ClientAdd', { userid: 7 }, wrong]])).to.match(
        /^gamehost: PUT \/users\/another: HTTP\/1\.1 400 .*email must be/,
      );
      const nowhere = { GAMEHOST_URL: 'http://127.0.0.1:1' };
      expect(await play(hook, [['ClientAdd', { userid: 7 }, client]], nowhere)).to.equal(
        `gamehost: PUT /users/${uuid}: no answer \n`,
      );
    });
  });

  describe('the listener of Paymenter', () => {
    const listener = 'paymenter-listener/Gamehost.php';
    const user = { id: 1042, email: 'kim@example.com', first_name: 'Kim', last_name: 'Park' };

    it('sends a created or changed user to the API', async () => {
      const events = [
        ['User\\Created', user],
        ['User\\Updated', { ...user, first_name: 'Kimberly' }],
      ];
      expect(await play(listener, events)).to.equal('');
      expect(await userOf('1042')).to.include({ email: 'kim@example.com', first_name: 'Kimberly' });
    });

    it('sends the subscription of a paid service with its later states, by its user or its order', async () => {
      const service = (status: string) => ({ id: 9, status, user });
      expect(await play(listener, [['Service\\Created', service('pending')]])).to.equal('');
      expect(await statusesOf(user.email)).to.deep.equal([]);
      const expected = { active: 'active', suspended: 'suspended', cancelled: 'canceled' };
      for (const [status, shown] of Object.entries(expected)) {
        const ofOrder = { id: 9, status, user: null, order: { user } };
        for (const changed of [service(status), ofOrder])
          expect(await play(listener, [['Service\\Updated', changed]])).to.equal('');
        expect(await statusesOf(user.email)).to.deep.equal([shown]);
      }
    });

    it('sends the name, the price and the renewal of a service, as far as it has them', async () => {
      const service = { id: 10, status: 'active', user };
      const described = { product: { name: 'Survival 8 GB' }, price: '12.00', currency_code: 'EUR' };
      const renewed = { ...service, ...described, expires_at: '2026-12-01 00:00:00' };
      expect(await play(listener, [['Service\\Updated', renewed]])).to.equal('');
      const [paid] = await subscriptionsOf(user.email);
      expect(paid).to.include({ name: 'Survival 8 GB', price: '12.00 EUR' });
      expect(paid?.renewsAt).to.deep.equal(new Date('2026-12-01T00:00:00Z'));
      expect(await play(listener, [['Service\\Updated', service]])).to.equal('');
      const [free] = await subscriptionsOf(user.email);
      expect(free).to.include({ name: null, price: null, renewsAt: null });
    });

    it('fails when the API refuses, so that the queue retries', async () => {
      const wrong = { ...user, email: 'nonsense' };
      expect(await play(listener, [['User\\Created', wrong]])).to.match(/ 400 .*email must be/);
    });
  });
});
