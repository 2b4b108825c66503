/** One Idempotency-Key sent to two real processes at once: the operation runs once, in either of them. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { scopes } from '../../routers/scopes.ts';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import { createSendMessage, toolCall } from '../support/mcp.ts';
import { openTestModels, type TestModels } from '../support/models.ts';
import { startProgram } from '../support/program.ts';
import { type StandInPanel, startStandInPanel } from '../support/stand-in-panel.ts';

type Program = Awaited<ReturnType<typeof startProgram>>;

describe('an Idempotency-Key at two processes at once', () => {
  const ownerId = 7;
  const identifier = 'a1b2c3d4';
  const rounds = 5;
  let database: TestModels;
  let panel: StandInPanel;
  let programs: Program[];
  let key: string;

  before(async () => {
    [database, panel] = await Promise.all([openTestModels(), startStandInPanel()]);
    panel.servers.set(ownerId, [panelServer({ identifier })]);
    const settings = {
      MONGODB_URI: database.databaseUri,
      ...{ PANEL_URL: panel.url, PANEL_APPLICATION_KEY: panel.applicationKey },
      ...{ PANEL_CLIENT_KEY: panel.clientKey, RATE_LIMIT_PER_MINUTE: '1000000' },
    };
    programs = await Promise.all([startProgram(settings), startProgram(settings)]);
    const profile = { email: 'owner@example.com', password: 'correct horse', panelUserId: ownerId };
    const user = await database.models.users.add(profile, new Date());
    const newKey = { userId: user?._id ?? 0, name: 'test', scopes, expiresAt: null };
    ({ secret: key } = await database.models.apiKeys.issue(newKey, new Date()));
  });
  after(async () => {
    await Promise.all(programs.map((program) => program.stop()));
    await panel.stop();
    await database.stop();
  });

  /** The same request three times at each of them. */
  const atBoth = <Answer>(ask: (program: Program) => Promise<Answer>) =>
    Promise.all([...programs, ...programs, ...programs].map(ask));

  async function post(url: string, body: object, headers: Record<string, string>) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  }

  /** A repeat while the first is running waits for its response, in whichever process that runs. */
  function expectOne(answers: { status: number; text: string }[], status: number): void {
    const told = new Set(answers.map((answer) => `${answer.status} ${answer.text}`));
    expect([...told]).to.have.lengthOf(1);
    expect(answers[0]?.status).to.equal(status);
  }

  const tickets = () => database.connection.collection('tickets');

  for (const [protocol, path, status] of [
    ['REST', '/api/v1/tickets', 201],
    ['tRPC', '/trpc/tickets.create', 200],
  ] as const)
    it(`opens one ticket, over ${protocol}`, async () => {
      for (let round = 0; round < rounds; round += 1) {
        const body = { title: `${protocol} ${round}`, message: 'Since noon.' };
        const headers = { 'Idempotency-Key': randomUUID() };
        expectOne(await atBoth(({ url }) => post(url + path, body, headers)), status);
        expect(await tickets().countDocuments({ subject: body.title })).to.equal(1);
      }
    });

  it('opens one ticket, over MCP by its argument', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const ticket = { title: `MCP ${round}`, message: 'Since noon.', idempotency_key: randomUUID() };
      const message = toolCall('create_ticket', ticket);
      expectOne(await atBoth(({ url }) => createSendMessage(url)(message, { key })), 200);
      expect(await tickets().countDocuments({ subject: ticket.title })).to.equal(1);
    }
  });

  it('sends one signal to the panel', async () => {
    for (let round = 0; round < rounds; round += 1) {
      panel.forget();
      const headers = { 'Idempotency-Key': randomUUID() };
      const path = `/api/v1/servers/${identifier}/power`;
      expectOne(await atBoth(({ url }) => post(url + path, { signal: 'restart' }, headers)), 202);
      expect(panel.signals).to.deep.equal([`${identifier} restart`]);
    }
  });

  it('is claimed by one of two different requests, and the other is refused', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const headers = { 'Idempotency-Key': randomUUID() };
      const asked = programs.map(({ url }, index) =>
        post(`${url}/api/v1/tickets`, { title: `Either ${round}`, message: `At ${index}` }, headers),
      );
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(statuses.toSorted()).to.deep.equal([201, 400]);
      expect(await tickets().countDocuments({ subject: `Either ${round}` })).to.equal(1);
    }
  });
});
