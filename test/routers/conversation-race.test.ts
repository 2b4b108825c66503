/** 100 concurrent replies by both sides of a ticket: every reader sees each one once and in order. */
import { expect } from 'chai';
import { useCustomer } from '../support/use-key.ts';

interface Message {
  number: number;
  author: 'customer' | 'staff';
  message: string;
}

/** Half of the writers are customers, half staff; each sends its replies one after the other. */
const writerCount = 20;
const repliesEach = 5;
const replyCount = writerCount * repliesEach;

const writers = Array.from({ length: writerCount }, (_, writer) =>
  Array.from({ length: repliesEach }, (_, turn) => turn * writerCount + writer + 1),
);

describe('a race of replies by both sides', () => {
  const service = useCustomer({ rateLimitPerMinute: 1_000_000 });
  let staffKey: string;
  let id: number;
  let isWritten = false;

  before(async () => {
    ({ secret: staffKey } = await service.addKey({ user: await service.addUser({ isAdmin: true }) }));
    const body = { title: 'Lag', message: 'message 0' };
    id = (await service.call('POST', '/tickets', { key: service.key, body })).body.ticket.id;
  });

  async function reply(index: number): Promise<void> {
    const isStaff = index % 2 === 0;
    const path = isStaff ? `/admin/tickets/${id}/reply` : `/tickets/${id}/reply`;
    const request = {
      key: isStaff ? staffKey : service.key,
      body: { message: `message ${index}` },
      headers: { 'Idempotency-Key': `reply-${index}` },
    };
    const times = index % 3 === 0 ? 2 : 1;
    await Promise.all(Array.from({ length: times }, () => service.call('POST', path, request)));
  }

  /** Follows the conversation by its cursor until all replies are written and it has reached the end. */
  async function follow(path: string, reader: string): Promise<Message[]> {
    const seen: Message[] = [];
    for (let isEnd = false; !isEnd; ) {
      const isLast = isWritten;
      const query = `?after=${seen.at(-1)?.number ?? 0}&limit=20`;
      const { messages } = (await service.call('GET', `${path}${query}`, { key: reader })).body;
      seen.push(...messages);
      isEnd = isLast && messages.length === 0;
    }
    return seen;
  }

  it('shows every reader the same messages in the same order, each once', async () => {
    const readers = [
      follow(`/tickets/${id}`, service.key),
      follow(`/admin/tickets/${id}`, staffKey),
      follow(`/tickets/${id}`, service.key),
    ];
    const write = async (indexes: number[]) => {
      for (const index of indexes) await reply(index);
    };
    await Promise.all(writers.map(write));
    isWritten = true;
    const indexes = writers.flat();
    const [first = [], ...others] = await Promise.all(readers);
    expect(first.map(({ number }) => number)).to.deep.equal(first.map((_, index) => index + 1));
    expect(first.map(({ message }) => message)).to.have.members([0, ...indexes].map((n) => `message ${n}`));
    for (const { message, author } of first.slice(1))
      expect(author, message).to.equal(Number(message.slice(8)) % 2 === 0 ? 'staff' : 'customer');
    const order = first.map(({ message }) => Number(message.slice(8)));
    for (const sent of writers)
      expect(order.filter((index) => sent.includes(index))).to.deep.equal(
        sent,
        "one writer's replies are in order",
      );
    for (const other of others) expect(other).to.deep.equal(first);
    const { ticket } = (await service.call('GET', `/tickets/${id}`, { key: service.key })).body;
    expect(ticket).to.include({ message_count: replyCount + 1, last_reply_by: first.at(-1)?.author });
  });
});
