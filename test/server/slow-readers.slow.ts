/** Clients that do not read their responses are disconnected in the end, and what was held for them is free again. */
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { largeBatch, longestPages, type SentRequest, sendHostile } from '../support/hostile-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** A client is disconnected after 20 seconds without progress, and any idle connection after 60. */
const cutOffWithinMs = 50_000;

describe('a client that leaves its responses unread', () => {
  let service: TestService;
  let key: string;
  const sent: SentRequest[] = [];

  before(async () => {
    service = await startTestService({ rateLimitPerMinute: 1_000_000 });
    ({ secret: key } = await service.addKey());
    const { secret } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const body = { title: 'Large', message: 'x'.repeat(9000), status: 'published' };
    for (let count = 0; count < 100; count += 1)
      await service.call('POST', '/admin/announcements', { key: secret, body });
  });
  after(async () => {
    for (const { socket } of sent) socket.destroy();
    await service.stop();
  });

  const request = () => ({ ...largeBatch(longestPages(10)), key });
  const statusNow = async () => {
    const read = sendHostile(service.url, request());
    sent.push(read);
    return read.status;
  };

  it('is disconnected, after which its user is served again', async () => {
    await eventually(async () => {
      sent.push(sendHostile(service.url, request(), { bytesPerSecond: 0, times: 8 }));
      expect(await statusNow()).to.equal(503);
    });
    await eventually(async () => expect(await statusNow()).to.equal(207), cutOffWithinMs);
  });

  it('is disconnected when it reads less than a floor', async () => {
    await eventually(async () => {
      sent.push(sendHostile(service.url, request(), { bytesPerSecond: 1024, times: 8 }));
      expect(await statusNow()).to.equal(503);
    });
    await eventually(async () => expect(await statusNow()).to.equal(207), cutOffWithinMs);
  });
});
