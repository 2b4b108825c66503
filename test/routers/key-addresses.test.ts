/** A key can be restricted to addresses, and every operation refuses it from any other. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { createBatchCall, protocolsOf } from '../support/protocol-clients.ts';
import { refusalMessageOf, startWithRestrictedKeys } from '../support/restricted-keys.ts';
import { sampleInputOf } from '../support/sample-inputs.ts';
import { keyedOperations, sampleOf } from '../support/samples.ts';
import { startTestService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

describe('a key restricted', () => {
  const service = useStarted(() => startWithRestrictedKeys());
  beforeEach(() => service.removeKeys());

  describe('to addresses', () => {
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const call = (key: string, address: string) =>
      service.call('GET', '/key', { key, headers: from(address) });

    it('is refused from any other address in every operation, which the error names (403 forbidden_address)', async () => {
      const { secret } = await service.makeKey({ addresses: ['203.0.113.0/24'] });
      for (const row of keyedOperations) {
        const { method, path, body } = sampleOf(row);
        const answer = await service.call(method, path, { key: secret, body, headers: from('198.51.100.7') });
        expectError(answer, 'forbidden_address', 'This key cannot be used from the address 198.51.100.7');
        expect(answer.headers.has('X-RateLimit-Limit')).to.equal(false);
      }
      expect((await call(secret, '203.0.113.9')).body.key.addresses).to.deep.equal(['203.0.113.0/24']);
    });

    const inside: [range: string, address: string][] = [
      ['203.0.113.7', '203.0.113.7'],
      ['203.0.113.7', '::ffff:203.0.113.7'],
      ['203.0.113.7', '::FFFF:cb00:7107'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['::ffff:203.0.113.0/120', '203.0.113.200'],
      ['203.0.113.9/24', '203.0.113.1'],
      ['2001:db8::/48', '2001:db8:0:ffff::1'],
      ['2001:DB8:0:0::1', '2001:db8::1'],
    ];
    const outside: [range: string, address: string][] = [
      ['203.0.113.7', '203.0.113.8'],
      ['203.0.113.0/25', '203.0.113.128'],
      ['2001:db8::/48', '2001:db8:1::1'],
      ['2001:db8::/48', '203.0.113.7'],
      ['::/1', '203.0.113.7'],
      ['203.0.113.0/24', 'not an address'],
    ];
    it('is accepted from an address in its range in any notation (200)', async () => {
      for (const [range, address] of inside) {
        const { secret } = await service.create({ addresses: [range] });
        expect((await call(secret, address)).status, `${range} ${address}`).to.equal(200);
      }
    });

    it('is refused from an address outside its range (403)', async () => {
      for (const [range, address] of outside) {
        const { secret } = await service.create({ addresses: [range] });
        const { body } = await call(secret, address);
        expect(body.error.code, `${range} ${address}`).to.equal('forbidden_address');
      }
    });

    it('is refused from other addresses in every protocol and in batches (403 forbidden_address)', async () => {
      const { secret } = await service.makeKey({ addresses: ['203.0.113.0/24'] });
      const message = 'This key cannot be used from the address 127.0.0.1';
      for (const name of ['servers.list', 'tickets.create']) {
        const row = keyedOperations.find((each) => each.name === name);
        if (!row) throw new Error(`there is no ${name}`);
        const protocols = { ...protocolsOf(service, row), batch: createBatchCall(service) };
        for (const [protocol, ask] of Object.entries(protocols)) {
          const outcome = await ask(row, sampleInputOf(row), secret);
          expect(outcome, `${name} ${protocol}`).to.deep.equal({ code: 'forbidden_address', message });
        }
      }
    });

    it('is checked against the last of several addresses in X-Forwarded-For', async () => {
      const { secret } = await service.makeKey({ addresses: ['203.0.113.7'] });
      expect((await call(secret, '203.0.113.7, 198.51.100.7')).status).to.equal(403);
      expect((await call(secret, '198.51.100.7, 203.0.113.7')).status).to.equal(200);
    });

    it('is refused with 401 first, then for the address, then for the scope', async () => {
      const { key, secret } = await service.create({ addresses: ['203.0.113.7'] });
      const codeFrom = async (address: string) =>
        (await service.call('GET', '/admin/users', { key: secret, headers: from(address) })).body.error.code;
      expect(await codeFrom('203.0.113.7')).to.equal('insufficient_scope');
      expect(await codeFrom('198.51.100.7')).to.equal('forbidden_address');
      await service.models.apiKeys.revoke(key.id, new Date());
      expect(await codeFrom('198.51.100.7')).to.equal('unauthorized');
    });

    it('shows its owner the refused calls', async () => {
      const { key, secret } = await service.makeKey({ addresses: ['203.0.113.7'] });
      await call(secret, '198.51.100.77');
      await service.flushAudit();
      const [refused] = await service.models.auditEntries.listOwned({ userId: service.user._id, limit: 1 });
      expect(refused).to.include({ keyId: key._id, code: 'forbidden_address', address: '198.51.100.77' });
    });

    it('cannot be created with a malformed range, one that covers every address, or too long a list', async () => {
      const everything = ['203.0.113.0/0', '::/0', '::ffff:0:0/96'];
      const wrong = [...everything, '', 'x', '203.0.113.0/33', 'fe80::1%eth0', '1.2.3'];
      for (const range of wrong)
        expect(await refusalMessageOf(service.create({ addresses: [range] })), range).to.include(
          'must be an address or a range',
        );
      expect(await refusalMessageOf(service.create({ addresses: [] }))).to.include('addresses');
      const many = Array.from({ length: 51 }, (_, index) => `203.0.113.${index}`);
      expect(await refusalMessageOf(service.create({ addresses: many }))).to.include('addresses');
    });
  });
});

describe('calls from an address that a key does not allow', () => {
  it('count against the address, like calls without a valid key, and not against the key (429)', async () => {
    const config = { trustProxy: true, addressLimitPerMinute: 3 };
    const service = await startTestService({ config, rateLimitPerMinute: 2 });
    const user = await service.addUser();
    const newKey = { userId: user._id, name: 'test', scopes: ['read:account'], expiresAt: null };
    const restricted = { ...newKey, addresses: ['203.0.113.7'] };
    const { secret } = await service.models.apiKeys.issue(restricted, new Date());
    const statuses = async (address: string, calls: number) => {
      const seen = [];
      for (let made = 0; made < calls; made += 1)
        seen.push(
          (await service.call('GET', '/me', { key: secret, headers: { 'X-Forwarded-For': address } })).status,
        );
      return seen;
    };
    expect(await statuses('198.51.100.7', 5)).to.deep.equal([403, 403, 403, 429, 429]);
    expect(await statuses('203.0.113.7', 3)).to.deep.equal([200, 200, 429]);
    await service.stop();
  });
});
