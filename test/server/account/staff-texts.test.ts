/** Texts of the support desk that no customer sees: notes on tickets, and saved answers. */
import { expect } from 'chai';
import { refusalOf, useDeskService } from '../../support/desk.ts';
import { createSendMessage, toolCall } from '../../support/mcp.ts';

describe('at the support desk', () => {
  const { at, open, addWebhook } = useDeskService();

  describe('a note', () => {
    it('is shown to the staff with its author, on closed and archived tickets too', async () => {
      const id = await open();
      await at.robin.api.support.addNote.mutate({ ticket_id: id, text: 'Has asked this before.' });
      await at.kim.api.support.setStatus.mutate({ ticket_id: id, status: 'Archived' });
      await at.kim.api.support.addNote.mutate({ ticket_id: id, text: 'Refunded.' });
      const { notes } = await at.kim.api.support.get.query({ ticket_id: id });
      expect(notes.map(({ name, text }) => [name, text])).to.deep.equal([
        ['Robin', 'Has asked this before.'],
        [at.kim.user.email, 'Refunded.'],
      ]);
    });

    it('reaches its customer by no way: REST, tRPC, MCP, the page, webhooks or activity', async () => {
      const { user, key } = at.dana;
      await addWebhook();
      const id = await open();
      await at.robin.api.support.claim.mutate({ ticket_id: id, from: null });
      await at.robin.api.support.addNote.mutate({ ticket_id: id, text: 'Looks like a known cheat.' });
      await at.robin.api.support.answer.mutate({ ticket_id: id, message: 'We look into it.' });
      await at.dana.api.tickets.reply.mutate({ ticket_id: id, message: 'Thank you.' });
      await at.service.flushAudit();
      const encoded = encodeURIComponent(JSON.stringify({ ticket_id: id }));
      const ways: unknown[] = [
        (await at.service.call('GET', `/tickets/${id}`, { key })).body,
        (await at.service.call('GET', '/tickets?limit=10', { key })).body,
        (await at.service.call('GET', '/activity', { key })).body,
        (await at.service.callAt('GET', `/trpc/tickets.get?input=${encoded}`, { key })).body,
        (await createSendMessage(at.service.url)(toolCall('get_ticket', { ticket_id: id }), { key })).body,
        await at.dana.api.tickets.get.query({ ticket_id: id }),
        await at.dana.api.tickets.list.query({}),
        await at.dana.api.activity.list.query({}),
        await at.service.connection.collection('webhook_events').find({ userId: user._id }).toArray(),
      ];
      for (const way of ways) {
        expect(JSON.stringify(way)).to.include(String(id));
        expect(JSON.stringify(way)).not.to.match(/cheat|assignee|Note|note/);
      }
    });

    it('400: a ticket has at most 100 notes, and 128 KiB of them', async () => {
      const id = await open();
      const refusal = '400 The ticket has as many notes as it can have';
      const add = (text: string) => at.robin.api.support.addNote.mutate({ ticket_id: id, text });
      for (let count = 0; count < 8; count += 1) await add('\u{1F600}'.repeat(4000));
      expect(await refusalOf(add('\u{1F600}'.repeat(4000)))).to.equal(refusal);
      for (let count = 8; count < 100; count += 1) await add('Short.');
      expect(await refusalOf(add('Short.'))).to.equal(refusal);
      expect((await at.robin.api.support.get.query({ ticket_id: id })).notes).to.have.lengthOf(100);
    });

    it('stays with its ticket when who wrote it, who works on it and the customer are deleted', async () => {
      const { userAccess, tickets, staffTexts } = at.service.models;
      const id = await open();
      const { _id: userId } = await at.service.addUser({ isSupport: true, nickname: 'Former' });
      const note = { id: 'former', userId, title: '', text: 'Was here.', createdAt: new Date() };
      await staffTexts.add({ id, userId: at.dana.user._id }, note);
      await tickets.assign({ ticketId: id, from: null, to: userId });
      for (const deleted of [userId, at.dana.user._id]) await userAccess.delete(deleted, new Date());
      const { ticket, notes } = await at.robin.api.support.get.query({ ticket_id: id });
      expect(notes.map(({ name, text }) => [name, text])).to.deep.equal([['deleted user', 'Was here.']]);
      expect(ticket).to.deep.include({ assignee: { id: userId, name: 'deleted user' } });
      await at.robin.api.support.claim.mutate({ ticket_id: id, from: userId });
    });

    it('404: of a ticket that does not exist', async () => {
      const adding = at.robin.api.support.addNote.mutate({ ticket_id: 999_999_999, text: 'Nobody.' });
      expect(await refusalOf(adding)).to.equal('404 Ticket not found');
    });

    it('each of several at once is kept', async () => {
      const id = await open();
      const texts = ['one', 'two', 'three', 'four'];
      await Promise.all(texts.map((text) => at.robin.api.support.addNote.mutate({ ticket_id: id, text })));
      const { notes } = await at.robin.api.support.get.query({ ticket_id: id });
      expect(notes.map(({ text }) => text)).to.have.members(texts);
    });
  });

  describe('a saved answer', () => {
    const saved = async () => (await at.kim.api.answers.list.query()).answers;

    it('is shared by the staff until one of them deletes it', async () => {
      await at.robin.api.answers.save.mutate({ title: 'Refund', text: 'We refunded it.' });
      const [answer] = await saved();
      expect(answer).to.deep.include({ title: 'Refund', text: 'We refunded it.' });
      await at.kim.api.answers.delete.mutate({ id: answer?.id ?? '' });
      expect(await saved()).to.deep.equal([]);
      const again = at.robin.api.answers.delete.mutate({ id: answer?.id ?? '' });
      expect(await refusalOf(again)).to.equal('404 Saved answer not found');
    });

    it('400: there are at most 100, and one may be deleted for another', async () => {
      const save = () => at.robin.api.answers.save.mutate({ title: 'Hello', text: 'Hello!' });
      for (let count = 0; count < 100; count += 1) await save();
      expect(await refusalOf(save())).to.equal(
        '400 There are as many saved answers as there can be; delete one first',
      );
      const [first] = await saved();
      await at.kim.api.answers.delete.mutate({ id: first?.id ?? '' });
      await save();
      expect(await saved()).to.have.lengthOf(100);
    });
  });
});
