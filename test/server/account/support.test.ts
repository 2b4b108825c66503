/** The procedures of the support desk: searching, who works on a ticket, answers that cross, notes and saved answers. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { type Account, signedIn } from '../../support/account.ts';
import { eventually } from '../../support/eventually.ts';
import { createSendMessage, toolCall } from '../../support/mcp.ts';
import { useService } from '../../support/service.ts';

describe('the procedures of the support desk', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let robin: { user: UserRecord; api: Account['api'] };
  let kim: { user: UserRecord; api: Account['api'] };
  let dana: { user: UserRecord; api: Account['api']; key: string };

  async function enter(user: UserRecord) {
    return { user, api: (await signedIn(service.url, user)).api };
  }

  before(async () => {
    robin = await enter(await service.addUser({ isSupport: true, nickname: 'Robin' }));
    kim = await enter(await service.addUser({ isAdmin: true, nickname: ' ' }));
  });
  beforeEach(async () => {
    const { user, secret: key } = await service.addKey({ user: await service.addUser({ nickname: 'dana' }) });
    dana = { ...(await enter(user)), key };
  });

  const open = async (title = 'Lag since noon'): Promise<number> => {
    const { ticket } = await dana.api.conversations.create.mutate({ title, message: 'Players time out.' });
    return ticket.id;
  };
  const failureOf = (call: Promise<unknown>) =>
    call.then(
      () => 'none',
      ({ data, message }) => `${data.httpStatus} ${message}`,
    );

  const addWebhook = ({ _id: userId }: UserRecord) =>
    service.models.webhooks.add(
      {
        ...{ userId, audience: 'customer', url: 'https://hooks.example.com/', format: 'standard' },
        ...{ events: ['*'], description: null, keyId: '' },
      },
      new Date(),
    );

  describe('a search', () => {
    const find = async (search: string) =>
      (await robin.api.support.list.query({ search })).tickets.map(({ id }) => id);

    it('finds subjects with all of its words, in any order and case', async () => {
      const id = await open('Cannot upload the world after the update');
      await open('Cannot upload a plugin');
      expect(await find('WORLD  cannot upload')).to.deep.equal([id]);
      expect(await find('world plugin')).to.deep.equal([]);
    });

    it('finds a ticket by its number, with or without #, beside subjects with that number', async () => {
      const id = await open();
      const other = await open(`About ticket ${id}`);
      expect(await find(`#${id}`)).to.deep.equal([id]);
      expect(await find(String(id))).to.deep.equal([other, id]);
      expect(await find('#999999999')).to.deep.equal([]);
    });

    it('takes notice of eight words', async () => {
      const id = await open('one two three four five six seven eight');
      expect(await find('one two three four five six seven eight nine')).to.deep.equal([id]);
    });
  });

  describe('an answer', () => {
    const answer = (by: typeof robin, ticket_id: number, seen: number) =>
      by.api.support.answer.mutate({ ticket_id, message: `By ${by.user.nickname}`, seen });
    const messagesOf = async (ticket_id: number) =>
      (await robin.api.support.get.query({ ticket_id })).messages.map(({ message }) => message);

    it('409: is not sent where a message came in that its author has not seen', async () => {
      const id = await open();
      await answer(kim, id, 1);
      const refusal = '409 There are new messages; read them, then send your answer again';
      expect(await failureOf(answer(robin, id, 1))).to.equal(refusal);
      expect(await messagesOf(id)).to.deep.equal(['Players time out.', 'By  ']);
      await answer(robin, id, 2);
      expect(await messagesOf(id)).to.deep.equal(['Players time out.', 'By  ', 'By Robin']);
    });

    it('409: the same where a webhook gets the reply, and of two at once one is sent', async () => {
      await addWebhook(dana.user);
      const id = await open();
      const results = await Promise.all([robin, kim].map((by) => failureOf(answer(by, id, 1))));
      expect(results.map((result) => result.slice(0, 4)).sort()).to.deep.equal(['409 ', 'none']);
      expect(await messagesOf(id)).to.have.lengthOf(2);
    });

    it('400: says of a closed ticket that it is closed, whatever its author has seen', async () => {
      const id = await open();
      await kim.api.support.answer.mutate({ ticket_id: id, message: 'Done.', close: true });
      expect(await failureOf(answer(robin, id, 1))).to.equal(
        '400 The ticket is closed or archived and takes no replies',
      );
    });
  });

  describe('an assignee', () => {
    const assigneeOf = async (ticket_id: number) =>
      (await kim.api.support.get.query({ ticket_id })).ticket.assignee;
    const mine = async (by: typeof robin) =>
      (await by.api.support.listMine.query()).tickets.map(({ id }) => id);

    it('takes a ticket, is shown to colleagues, and releases it', async () => {
      const id = await open();
      await robin.api.support.take.mutate({ ticket_id: id, from: null });
      expect(await assigneeOf(id)).to.deep.equal({ id: robin.user._id, name: 'Robin' });
      expect(await mine(robin)).to.include(id);
      expect(await mine(kim)).not.to.include(id);
      const [listed] = (await kim.api.support.list.query({ search: `#${id}` })).tickets;
      expect(listed?.assignee?.name).to.equal('Robin');
      await robin.api.support.release.mutate({ ticket_id: id, from: robin.user._id });
      expect(await assigneeOf(id)).to.equal(null);
      expect(await mine(robin)).not.to.include(id);
    });

    it('409: one who takes what another has just taken is told, and may then take it over', async () => {
      const id = await open();
      await robin.api.support.take.mutate({ ticket_id: id, from: null });
      const taking = kim.api.support.take.mutate({ ticket_id: id, from: null });
      expect(await failureOf(taking)).to.equal('409 Somebody else has just taken or released this ticket');
      await kim.api.support.take.mutate({ ticket_id: id, from: robin.user._id });
      expect(await assigneeOf(id)).to.deep.equal({ id: kim.user._id, name: kim.user.email });
    });

    it('keeps the time for which the ticket waits', async () => {
      const id = await open();
      const before = (await robin.api.support.get.query({ ticket_id: id })).ticket.updated_at;
      service.clock.advance(60_000);
      await robin.api.support.take.mutate({ ticket_id: id, from: null });
      expect((await robin.api.support.get.query({ ticket_id: id })).ticket.updated_at).to.equal(before);
    });
  });

  describe('a note', () => {
    it('is shown to the staff with its author, on closed and archived tickets too', async () => {
      const id = await open();
      await robin.api.support.addNote.mutate({ ticket_id: id, text: 'Has asked this before.' });
      await kim.api.support.setStatus.mutate({ ticket_id: id, status: 'Archived' });
      await kim.api.support.addNote.mutate({ ticket_id: id, text: 'Refunded.' });
      const { notes } = await kim.api.support.get.query({ ticket_id: id });
      expect(notes.map(({ name, text }) => [name, text])).to.deep.equal([
        ['Robin', 'Has asked this before.'],
        [kim.user.email, 'Refunded.'],
      ]);
    });

    it('reaches its customer by no way: REST, tRPC, MCP, the page, webhooks, activity, notices of them', async () => {
      const { user, key } = dana;
      await addWebhook(user);
      const id = await open();
      await robin.api.support.take.mutate({ ticket_id: id, from: null });
      await robin.api.support.addNote.mutate({ ticket_id: id, text: 'Looks like a known cheat.' });
      await robin.api.support.answer.mutate({ ticket_id: id, message: 'We look into it.' });
      await dana.api.conversations.reply.mutate({ ticket_id: id, message: 'Thank you.' });
      await service.flushAudit();
      const encoded = encodeURIComponent(JSON.stringify({ ticket_id: id }));
      const ways: unknown[] = [
        (await service.call('GET', `/tickets/${id}`, { key })).body,
        (await service.call('GET', '/tickets?limit=10', { key })).body,
        (await service.call('GET', '/activity', { key })).body,
        (await service.callAt('GET', `/trpc/tickets.get?input=${encoded}`, { key })).body,
        (await createSendMessage(service.url)(toolCall('get_ticket', { ticket_id: id }), { key })).body,
        await dana.api.conversations.get.query({ ticket_id: id }),
        await dana.api.conversations.list.query({}),
        await dana.api.activity.list.query({}),
        await service.connection.collection('webhook_events').find({ userId: user._id }).toArray(),
      ];
      for (const way of ways) {
        expect(JSON.stringify(way)).to.include(String(id));
        expect(JSON.stringify(way)).not.to.match(/cheat|assignee|Note|note/);
      }
    });

    it('400: a ticket has at most 100 notes, and 128 KiB of them', async () => {
      const id = await open();
      const refusal = '400 The ticket has as many notes as it can have';
      const add = (text: string) => robin.api.support.addNote.mutate({ ticket_id: id, text });
      for (let count = 0; count < 8; count += 1) await add('\u{1F600}'.repeat(4000));
      expect(await failureOf(add('\u{1F600}'.repeat(4000)))).to.equal(refusal);
      for (let count = 8; count < 100; count += 1) await add('Short.');
      expect(await failureOf(add('Short.'))).to.equal(refusal);
      expect((await robin.api.support.get.query({ ticket_id: id })).notes).to.have.lengthOf(100);
    });

    it('404: of a ticket that does not exist', async () => {
      const adding = robin.api.support.addNote.mutate({ ticket_id: 999_999_999, text: 'Nobody.' });
      expect(await failureOf(adding)).to.equal('404 Ticket not found');
    });

    it('each of several at once is kept', async () => {
      const id = await open();
      const texts = ['one', 'two', 'three', 'four'];
      await Promise.all(texts.map((text) => robin.api.support.addNote.mutate({ ticket_id: id, text })));
      const { notes } = await robin.api.support.get.query({ ticket_id: id });
      expect(notes.map(({ text }) => text)).to.have.members(texts);
    });
  });

  describe('a saved answer', () => {
    const saved = async () => (await kim.api.support.listAnswers.query()).answers;

    it('is shared by the staff until one of them deletes it', async () => {
      await robin.api.support.saveAnswer.mutate({ title: 'Refund', text: 'We refunded it.' });
      const [answer] = await saved();
      expect(answer).to.deep.include({ title: 'Refund', text: 'We refunded it.' });
      await kim.api.support.deleteAnswer.mutate({ id: answer?.id ?? '' });
      expect(await saved()).to.deep.equal([]);
      const again = robin.api.support.deleteAnswer.mutate({ id: answer?.id ?? '' });
      expect(await failureOf(again)).to.equal('404 Saved answer not found');
    });

    it('400: there are at most 100, and one may be deleted for another', async () => {
      const save = () => robin.api.support.saveAnswer.mutate({ title: 'Hello', text: 'Hello!' });
      for (let count = 0; count < 100; count += 1) await save();
      expect(await failureOf(save())).to.equal(
        '400 There are as many saved answers as there can be; delete one first',
      );
      const [first] = await saved();
      await kim.api.support.deleteAnswer.mutate({ id: first?.id ?? '' });
      await save();
      expect(await saved()).to.have.lengthOf(100);
    });
  });

  it('403: serve nobody but the staff', async () => {
    const id = await open();
    const { support, customer } = dana.api;
    const calls = [
      () => support.listMine.query(),
      () => support.take.mutate({ ticket_id: id, from: null }),
      () => support.release.mutate({ ticket_id: id, from: null }),
      () => support.addNote.mutate({ ticket_id: id, text: 'Mine.' }),
      () => support.listAnswers.query(),
      () => support.saveAnswer.mutate({ title: 'Mine', text: 'Mine.' }),
      () => support.deleteAnswer.mutate({ id: 'x' }),
      () => customer.resources.query({ ticket_id: id, server_identifier: 'a1b2c3d4' }),
    ];
    for (const call of calls)
      expect(await failureOf(call())).to.equal('403 Only administrators and support may do this');
  });
});

describe('the counts of tickets', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });

  it('tell a customer how many answers are unread, until the page has shown them, and staff how many tickets wait', async () => {
    const staff = await signedIn(service.url, await service.addUser({ isSupport: true }));
    const customer = await signedIn(service.url, await service.addUser());
    const { conversations } = customer.api;
    const ids: number[] = [];
    for (const title of ['Lag', 'Crash', 'Refund'])
      ids.push((await conversations.create.mutate({ title, message: 'Help.' })).ticket.id);
    const [lag = 0, crash = 0] = ids;
    expect(await staff.api.conversations.counts.query()).to.deep.equal({ unread: 0, waiting: 3 });
    await staff.api.support.answer.mutate({ ticket_id: lag, message: 'Better?' });
    await staff.api.support.answer.mutate({ ticket_id: crash, message: 'Fixed.', close: true });
    expect(await staff.api.conversations.counts.query()).to.deep.equal({ unread: 0, waiting: 1 });
    expect(await conversations.counts.query()).to.deep.equal({ unread: 2, waiting: null });
    await conversations.get.query({ ticket_id: lag });
    await conversations.reply.mutate({ ticket_id: lag, message: 'Yes.' });
    expect(await conversations.counts.query()).to.deep.equal({ unread: 1, waiting: null });
    await conversations.get.query({ ticket_id: crash, limit: 1 });
    expect(await conversations.counts.query()).to.deep.equal({ unread: 1, waiting: null });
    const { ticket } = await conversations.get.query({ ticket_id: crash });
    expect(ticket.is_unread).to.equal(true);
    await eventually(async () => expect((await conversations.counts.query()).unread).to.equal(0));
  });
});
