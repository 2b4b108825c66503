/** Clients that do not read their responses are disconnected, which frees the memory held for them. */
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { largeBatch, longestPages, type SentRequest, sendHostile } from '../../support/hostile-client.ts';
import { useService } from '../../support/service.ts';

/** A client is disconnected after 20 seconds without progress, and any idle connection after 60. */
const cutOffWithinMs = 50_000;

describe('clients that do not read their responses', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  const sent: SentRequest[] = [];

  before(async () => {
    const { secret: key } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const body = { title: 'Large', message: 'x'.repeat(9000), status: 'published' };
    for (let count = 0; count < 100; count += 1)
      await service.call('POST', '/admin/announcements', { key, body });
  });
  after(() => {
    for (const { socket } of sent) socket.destroy();
  });

  async function isServedAgain(bytesPerSecond: number): Promise<void> {
    const { secret: key } = await service.addKey();
    const request = { ...largeBatch(longestPages(10)), key };
    const statusNow = async () => {
      service.clock.advance(60_000); // past the minute in which a user's results have a bound
      const read = sendHostile(service.url, request);
      sent.push(read);
      return read.status;
    };
    await eventually(async () => {
      sent.push(sendHostile(service.url, request, { bytesPerSecond, times: 8 }));
      expect(await statusNow()).to.equal(429);
    });
    await eventually(async () => expect(await statusNow()).to.equal(207), cutOffWithinMs);
  }

  it('are disconnected, even if they read slowly, and their users are served again', () =>
    Promise.all([isServedAgain(0), isServedAgain(1024)]));
});
