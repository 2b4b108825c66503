/** The support desk's procedures: search, crossing answers, saved answers, and counts. */
import { expect } from 'chai';
import { signInAccount } from '../../support/account.ts';
import { describeRefusal, useDeskService } from '../../support/desk.ts';
import { eventually } from '../../support/eventually.ts';
import { useService } from '../../support/service.ts';

describe('the procedures of the support desk', () => {
  const { at, open, addWebhook } = useDeskService();

  it('find tickets whose subject has all words of a search, in any order and folded alike, and those that it names otherwise', async () => {
    const find = async (search: string) =>
      (await at.robin.api.admin.listTickets.query({ search })).tickets.map(({ id }) => id);
    const world = await open('Cannot upload the world after the update');
    await open('Cannot upload a plugin');
    const folded = await open('STRAẞE in İzmir: Cafe\u0301 ﬁnanzen ＳＥＲＶＥＲ ΟΔΟΣ');
    const about = await open(`About ticket ${world}`);
    const counted = await open('one two three four five six seven eight');
    const address = at.dana.user.email.replace(/@.*/, '@');
    const found: [search: string, ids: number[]][] = [
      ['WORLD  cannot upload', [world]],
      ['world plugin', []],
      [`#${world}`, [world]],
      [String(world), [world, about]],
      ['#999999999', []],
      ...[
        ...['strasse', 'Straße', ' izmir  STRASSE ', 'ızmir', 'café', 'CAFE', 'finanzen', 'server', 'οδος'],
        ...['aß', 'ße', 'nanz café'],
      ].map((search): [string, number[]] => [search, [folded]]),
      ...['strase', 'izmir kaffee', '.*', '[s]'].map((search): [string, number[]] => [search, []]),
      [`world ${address}`, [world]],
      ['world nobody@', []],
      ['one two three four five six seven eight nine', [counted]], // Only eight words are searched.
    ];
    for (const [search, ids] of found) expect(await find(search), search).to.deep.equal(ids);
  });

  describe('given an answer', () => {
    const answer = (by: typeof at.robin, ticket_id: number, seen: number) =>
      by.api.admin.answerTicket.mutate({ ticket_id, message: `By ${by.user.nickname}`, seen });
    const messagesOf = async (ticket_id: number) =>
      (await at.robin.api.admin.getTicket.query({ ticket_id })).messages.map(({ message }) => message);

    it('409: do not send it if a message arrived that its author has not seen', async () => {
      const id = await open();
      await answer(at.kim, id, 1);
      const refusal = '409 There are new messages: read them, then send your answer again';
      expect(await describeRefusal(answer(at.robin, id, 1))).to.equal(refusal);
      expect(await messagesOf(id)).to.deep.equal(['Players time out.', 'By  ']);
      await answer(at.robin, id, 2);
      expect(await messagesOf(id)).to.deep.equal(['Players time out.', 'By  ', 'By Robin']);
    });

    it('409: refuse it the same way if a webhook gets the reply, and send only one of two simultaneous answers', async () => {
      await addWebhook();
      const id = await open();
      const results = await Promise.all([at.robin, at.kim].map((by) => describeRefusal(answer(by, id, 1))));
      expect(results.map((result) => result.slice(0, 4)).sort()).to.deep.equal(['409 ', 'none']);
      expect(await messagesOf(id)).to.have.lengthOf(2);
    });

    it('400: report a closed ticket as closed, whatever its author has seen', async () => {
      const id = await open();
      await at.kim.api.admin.answerTicket.mutate({ ticket_id: id, message: 'Done.', close: true });
      expect(await describeRefusal(answer(at.robin, id, 1))).to.equal(
        '400 The ticket is closed or archived and takes no replies',
      );
    });
  });

  describe('given a saved answer', () => {
    const saved = async () => (await at.kim.api.answers.list.query()).answers;

    it('share it among the staff until one of them deletes it', async () => {
      await at.robin.api.answers.save.mutate({ title: 'Refund', text: 'We refunded it.' });
      const [answer] = await saved();
      expect(answer).to.deep.include({ title: 'Refund', text: 'We refunded it.' });
      await at.kim.api.answers.delete.mutate({ id: answer?.id ?? '' });
      expect(await saved()).to.deep.equal([]);
      const again = at.robin.api.answers.delete.mutate({ id: answer?.id ?? '' });
      expect(await describeRefusal(again)).to.equal('404 Saved answer not found');
    });

    it('400: keep at most 100, and deleting one makes room for another', async () => {
      const save = () => at.robin.api.answers.save.mutate({ title: 'Hello', text: 'Hello!' });
      for (let count = 0; count < 100; count += 1) await save();
      expect(await describeRefusal(save())).to.equal(
        '400 The list of saved answers is full; delete one first',
      );
      const [first] = await saved();
      await at.kim.api.answers.delete.mutate({ id: first?.id ?? '' });
      await save();
      expect(await saved()).to.have.lengthOf(100);
    });
  });

  it('show the customer of a ticket to the staff: whether suspended, last sign-in, live keys with scopes and use, and no secret', async () => {
    const id = await open();
    await at.service.addKey({ user: at.dana.user, scopes: ['read:account'] });
    const about = () => at.robin.api.customer.get.query({ ticket_id: id });
    const shown = await about();
    expect(shown.active).to.equal(true);
    expect(Date.parse(shown.last_sign_in_at ?? '')).to.be.at.most(at.service.clock.now());
    const [key] = shown.keys;
    expect(key).to.deep.include({ name: 'test', scopes: ['read:account'], last_used_at: null });
    expect(shown.tickets.map(({ id: number }) => number)).to.deep.equal([id]);
    expect(JSON.stringify(shown)).to.not.include(at.dana.key);
    const stored = at.service.connection.collection<{ _id: number }>('users');
    await stored.updateOne({ _id: at.dana.user._id }, { $set: { isActive: false } });
    expect((await about()).active).to.equal(false);
  });

  it('403: refuse everyone except the staff', async () => {
    const id = await open();
    const { answers, admin, customer } = at.dana.api;
    const calls = [
      () => admin.listTickets.query({}),
      () => admin.answerTicket.mutate({ ticket_id: id, message: 'Mine.', seen: 1 }),
      () => admin.noteTicket.mutate({ ticket_id: id, note: 'Mine.' }),
      () => answers.list.query(),
      () => answers.save.mutate({ title: 'Mine', text: 'Mine.' }),
      () => answers.delete.mutate({ id: 'x' }),
      () => customer.get.query({ ticket_id: id }),
      () => customer.resources.query({ ticket_id: id, server_identifier: 'a1b2c3d4' }),
    ];
    for (const call of calls)
      expect(await describeRefusal(call())).to.equal('403 Only administrators and support may do this');
  });
});

describe('the ticket counts', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });

  it('show a customer the unread answers until the page has shown them, and staff the waiting tickets', async () => {
    const staff = await signInAccount(service.url, await service.addUser({ isSupport: true }));
    const customer = await signInAccount(service.url, await service.addUser());
    const { tickets } = customer.api;
    const ids: number[] = [];
    for (const title of ['Lag', 'Crash', 'Refund'])
      ids.push((await tickets.create.mutate({ title, message: 'Help.' })).ticket.id);
    const [lag = 0, crash = 0] = ids;
    expect(await staff.api.tickets.counts.query()).to.deep.equal({ unread: 0, waiting: 3 });
    await staff.api.admin.answerTicket.mutate({ ticket_id: lag, message: 'Better?' });
    await staff.api.admin.answerTicket.mutate({ ticket_id: crash, message: 'Fixed.', close: true });
    expect(await staff.api.tickets.counts.query()).to.deep.equal({ unread: 0, waiting: 1 });
    expect(await tickets.counts.query()).to.deep.equal({ unread: 2, waiting: null });
    await tickets.get.query({ ticket_id: lag });
    await tickets.reply.mutate({ ticket_id: lag, message: 'Yes.' });
    expect(await tickets.counts.query()).to.deep.equal({ unread: 1, waiting: null });
    await tickets.get.query({ ticket_id: crash, limit: 1 });
    expect(await tickets.counts.query()).to.deep.equal({ unread: 1, waiting: null });
    const { ticket } = await tickets.get.query({ ticket_id: crash });
    expect(ticket.is_unread).to.equal(true);
    await eventually(async () => expect((await tickets.counts.query()).unread).to.equal(0));
  });
});
