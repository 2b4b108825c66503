/** Simultaneous writes of one customer change the same documents, and none may fail for that reason. */
import { expect } from 'chai';
import { profile } from '../../support/profiler.ts';
import { useService } from '../../support/service.ts';
import { webhookSettings } from '../../support/webhook-service.ts';

describe('simultaneous changes by one customer to one webhook', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000, config: { webhooks: webhookSettings } });

  it('all succeed on the first attempt', async () => {
    const { secret: key } = await service.addKey();
    const body = { url: 'https://example.com/first', events: ['*'] };
    const { webhook } = (await service.call('POST', '/webhooks', { key, body })).body;
    const change = async (number: number) => {
      const changed = { url: `https://example.com/${number}` };
      const { status } = await service.call('PATCH', `/webhooks/${webhook.id}`, { key, body: changed });
      expect(status).to.equal(200);
    };
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const calls = await profile(
      service.connection,
      async () => void (await Promise.all(numbers.map(change))),
    );
    const locks = calls.filter(({ op, ns }) => op === 'update' && ns.endsWith('.key_rings'));
    expect(locks).to.have.lengthOf(numbers.length);
  });
});
