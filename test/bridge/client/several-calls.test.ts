/** The client's methods that take several calls: lists page by page, the wait for a backup, and uploads. */
import { expect } from 'chai';
import { importClient } from '../../support/client.ts';
import { failureOf } from '../../support/failure-of.ts';
import { startFaultyHost } from '../../support/faulty-host.ts';
import { panelBackup, panelServer } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { useOwner } from '../../support/use-key.ts';
import { useStarted } from '../../support/use-started.ts';

type Client = InstanceType<Awaited<ReturnType<typeof importClient>>['Gamehost']>;

const server_identifier = 'a1b2c3d4';
const backup_uuid = '904df120-a66f-4b9d-8f30-2c1b7f8c0d3f';
const server = panelServer({ identifier: server_identifier });

describe('the client', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000, panel: { progressTtlMs: 50 } });
  const host = useStarted(() => startFaultyHost(service.url));
  let gamehost: Client;

  before(async () => {
    const { Gamehost } = await importClient();
    gamehost = new Gamehost({ baseUrl: host.url, key: service.key, retries: 0 });
  });
  beforeEach(() => {
    resetPanel(service, [server]);
    host.answerNext();
  });
  afterEach(() => service.panel.closeAll());

  describe('reads each item of a list once', () => {
    const numbers = [1, 2, 3, 4, 5];
    const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
      const collected: Item[] = [];
      for await (const item of items) collected.push(item);
      return collected;
    };
    const addTickets = async () => {
      for (const number of numbers)
        await gamehost.tickets.createTicket({ title: `Ticket ${number}`, message: 'Please help.' });
    };

    before(addTickets);

    it('whose pages end with the oldest: tickets', async () => {
      const tickets = gamehost.paginate(gamehost.tickets.listMyTickets, { limit: 2, status: 'New' });
      const subjects = (await collect(tickets)).map(({ subject }) => subject);
      expect(subjects).to.deep.equal(numbers.map((number) => `Ticket ${number}`).reverse());
      expect(host.received).to.have.lengthOf(3);
      for (const { path } of host.received) expect(path).to.include('limit=2&status=New');
    });

    it('that says whether more follow: activity', async () => {
      const activity = await collect(gamehost.paginate(gamehost.activity.listMyActivity, { limit: 2 }));
      expect(new Set(activity.map(({ id }) => id))).to.have.lengthOf(activity.length);
      expect(activity).to.have.length.above(4);
    });

    it('within an item: the messages of a ticket', async () => {
      const { ticket } = await gamehost.tickets.createTicket({ title: 'Long', message: '1' });
      for (const message of ['2', '3'])
        await gamehost.tickets.replyToTicket({ ticket_id: ticket.id, message });
      const messages = gamehost.paginate(gamehost.tickets.getTicket, { ticket_id: ticket.id, limit: 2 });
      expect((await collect(messages)).map(({ message }) => message)).to.deep.equal(['1', '2', '3']);
    });

    it('with numbered pages: announcements', async () => {
      const draft = { summary: '', message: 'News', tag: null, showInRibbon: false };
      for (const title of ['First', 'Second', 'Third'])
        await service.models.announcements.add({ ...draft, title, status: 'published' }, new Date());
      const { paginate } = gamehost;
      const news = paginate(gamehost.announcements.listAnnouncements, { per_page: 1 });
      expect((await collect(news)).map(({ title }) => title)).to.have.members(['First', 'Second', 'Third']);
    });

    it('that is cut after a size: files', async () => {
      const files = service.panel.filesOf(server);
      for (let number = 0; number < 2_100; number++) files.write(`/world/${1_000 + number}`, '', 0);
      const at = { server_identifier, directory: '/world' };
      const listed = gamehost.paginate(gamehost.files.listServerFiles, at);
      expect(new Set((await collect(listed)).map(({ name }) => name))).to.have.lengthOf(2_100);
      expect(host.received).to.have.length.above(1);
    });

    it('by identifier: the states of servers', async () => {
      const identifiers = ['a1', 'b2', 'c3'];
      const servers = identifiers.map((identifier, id) => panelServer({ identifier, id: id + 1 }));
      resetPanel(service, servers);
      const states = await collect(gamehost.paginate(gamehost.servers.listServerStates, { limit: 1 }));
      expect(states.map(({ server: of }) => of)).to.deep.equal(identifiers);
    });

    it('until the loop breaks, the signal aborts, or a page comes again', async () => {
      const list = gamehost.tickets.listMyTickets;
      for await (const { id } of gamehost.paginate(list, { limit: 2 })) if (id) break;
      expect(host.received).to.have.lengthOf(1);
      const signal = AbortSignal.abort(new Error('Enough'));
      expect((await failureOf(collect(gamehost.paginate(list, {}, { signal })))).message).to.equal('Enough');
      const body = JSON.stringify({ announcements: [{ title: 'Again' }] });
      host.answerNext({ status: 200, body }, { status: 200, body });
      const news = gamehost.paginate(gamehost.announcements.listAnnouncements, { per_page: 1 });
      expect(await failureOf(collect(news))).to.have.property('code', 'unexpected_response');
    });
  });

  describe('waits for a backup', () => {
    const backup = { server_identifier, backup_uuid };
    const pending = { completed_at: null, is_successful: false };
    const setBackup = (overrides: object) =>
      service.panel.backups.set(server_identifier, [panelBackup({ uuid: backup_uuid, ...overrides })]);

    it('longer than timeoutMs, and resolves to it when it is completed, successful or not', async () => {
      for (const is_successful of [true, false]) {
        setBackup(pending);
        const waiting = gamehost.waitForBackup(backup, { timeoutMs: 500 });
        setTimeout(() => setBackup({ is_successful }), 1_000);
        expect(await waiting).to.include({ uuid: backup_uuid, is_successful });
        service.clock.advance(60_000);
      }
      expect(host.received.map(({ path }) => path.split('?')[1])).to.include('wait=25');
    });

    it('until the signal aborts', async () => {
      setBackup(pending);
      const reason = new Error('The user left');
      const leaving = new AbortController();
      const waiting = failureOf(gamehost.waitForBackup(backup, { signal: leaving.signal }));
      setTimeout(() => leaving.abort(reason), 200);
      expect(await waiting).to.equal(reason);
    });
  });

  describe('uploads', () => {
    const at = { server_identifier, directory: '/plugins' };

    it('text, bytes and blobs', async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
      for (const data of ['text', bytes, bytes.buffer, new Blob([bytes]), Buffer.from(bytes)]) {
        await gamehost.uploadFile({ ...at, name: 'new.jar', data });
        const expected = Buffer.from(await new Response(data).arrayBuffer());
        expect(service.panel.filesOf(server).get('/plugins/new.jar')?.content?.equals(expected)).to.equal(
          true,
        );
      }
    });

    const linkTo = (url: string) => ({
      status: 201,
      body: JSON.stringify({ upload: { url, method: 'POST', field: 'files' } }),
    });
    const upload = (options = {}) =>
      failureOf(gamehost.uploadFile({ ...at, name: 'a.jar', data: 'x' }, options));

    it("without the key, and reports the machine's refusal in a bounded message", async () => {
      const body = `Too large\u001b[2J${'.'.repeat(9_000)}`;
      host.answerNext(linkTo(`${host.url}/upload?token=t`), { status: 413, body });
      const failure = await upload();
      expect(failure).to.include({ name: 'GamehostError', status: 413, code: 'upload_refused' });
      expect(failure.message).to.match(
        /^The server's machine refused a\.jar with status 413: Too large \[2J\.+$/,
      );
      expect(failure.message).to.have.length.below(600);
      expect(host.received[1]?.headers).not.to.have.property('authorization');
    });

    it('until the connection is lost, or for at most timeoutMs', async () => {
      host.answerNext(linkTo('http://127.0.0.1:1/upload?token=t'));
      const lost = await upload();
      expect(lost).to.include({ name: 'GamehostError', code: 'connection_failed' });
      expect(lost.message).to.equal('127.0.0.1:1 could not be reached');
      host.answerNext(linkTo(`${host.url}/upload?token=t`), 'late');
      expect(await upload({ timeoutMs: 300 })).to.include({ name: 'GamehostError', code: 'timeout' });
    });
  });
});
