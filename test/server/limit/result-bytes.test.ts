/** The limit on bytes of results per user and minute, so that reading large ones leaves time for others. */
import { expect } from 'chai';
import { type Account, signInAccount } from '../../support/account.ts';
import { expectError } from '../../support/expect-error.ts';
import { createSendMessage, toolCall, toolErrorOf } from '../../support/mcp.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import type { Answer } from '../../support/service.ts';
import { useOwner } from '../../support/use-key.ts';

const bytesMax = 32 * 1024 * 1024;
const id = 'a1b2c3d4';
const server = panelServer({ identifier: id });
const filePath = `/servers/${id}/files/content?file=/large.txt`;
/** Returns the seconds to wait before the next request. */
function expectRefusal(answer: Answer): number {
  const seconds = Number(answer.headers.get('Retry-After'));
  expect(seconds).to.be.within(1, 60);
  const message = `Your results in this minute reach the maximum of 32 MiB; retry calls with large results in ${seconds} s`;
  expectError(answer, 'rate_limited', message);
  return seconds;
}

describe('the results for one user', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000 });
  let keys: string[];
  let page: Account;
  let ticketId: number;
  let ticketPath: string;

  const fill = async (ticket: number) => {
    const text = 'äöüß'.repeat(1250);
    const texts = { id: 'x'.repeat(36), userId: 1, keyId: 'x'.repeat(24), text, createdAt: new Date() };
    const messages = Array(40).fill(texts);
    await service.connection
      .collection('tickets')
      .updateOne({ _id: ticket as never }, { $set: { messages } });
  };
  const openFullTicket = async (key: string): Promise<number> => {
    const { body } = await service.call('POST', '/tickets', { key, body: { title: 'Full', message: 'x' } });
    await fill(body.ticket.id);
    return body.ticket.id;
  };

  beforeEach(async () => {
    resetPanel(service, [server]);
    service.panel.filesOf(server).write('/large.txt', 'x'.repeat(250 * 1024), 0);
    const user = await service.addUser({ panelUserId: 7 });
    const made = [await service.addKey({ user }), await service.addKey({ user })];
    keys = made.map(({ secret }) => secret);
    page = await signInAccount(service.url, user);
    ticketId = await openFullTicket(keys[0] ?? '');
    ticketPath = `/tickets/${ticketId}?limit=100`;
  });
  afterEach(() => service.connection.collection('users').updateMany({}, { $unset: { panelUserId: 1 } }));

  const read = (path: string, key = keys[0] ?? '') => service.call('GET', path, { key });
  /** Reads until it is refused; resolves to the number of bytes received, and the refusal. */
  const readAll = async (path: string) => {
    for (let bytes = 0; ; ) {
      const answer = await read(path);
      if (answer.status !== 200) return { bytes, refused: answer };
      bytes += Buffer.byteLength(answer.text);
    }
  };

  for (const [what, pathOf] of [
    ['pages of a full ticket', () => ticketPath],
    ['the contents of a file', () => filePath],
  ] as const)
    it(`total at most 32 MiB a minute of ${what}, and get 429 until the minute ends`, async () => {
      const { bytes, refused } = await readAll(pathOf());
      expect(bytes).to.be.within(bytesMax - 1024 * 1024, bytesMax);
      const seconds = expectRefusal(refused);
      service.clock.advance(seconds * 1000);
      expect((await read(pathOf())).status).to.equal(200);
    });

  it('are counted together for all keys, protocols and the page, and small results continue', async () => {
    await readAll(ticketPath);
    const send = createSendMessage(service.url);
    const [, other = ''] = keys;
    expectRefusal(await read(ticketPath, other));
    expectRefusal(await read(filePath, other));
    const told = toolErrorOf(await send(toolCall('get_ticket', { ticket_id: ticketId }), { key: other }));
    expect(told.error.code).to.equal('rate_limited');
    const input = encodeURIComponent(JSON.stringify({ ticket_id: ticketId }));
    expect((await page.call(`tickets.get?input=${input}`)).status).to.equal(429);
    expectRefusal(await read('/announcements', other));

    for (const path of ['/me', '/tickets', '/servers', `/servers/${id}/files`])
      expect((await read(path)).status, path).to.equal(200);
    const reply = { key: other, body: { message: 'It still arrives.' } };
    expect((await service.call('POST', `/tickets/${ticketId}/reply`, reply)).status).to.equal(201);
    const { body } = await send(toolCall('list_my_tickets'), { key: other });
    expect(body.result.isError).to.not.equal(true);
  });

  it('stay within the limit when many are requested at once, and leave other users alone', async () => {
    const { secret: other } = await service.addKey();
    const otherPath = `/tickets/${await openFullTicket(other)}?limit=100`;
    let bytes = 0;
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => read(ticketPath)));
      for (const { status, text } of answers) if (status === 200) bytes += Buffer.byteLength(text);
    }
    expect(bytes).to.be.within(bytesMax - 1024 * 1024, bytesMax);
    expect((await read(otherPath, other)).status).to.equal(200);
  });
});
