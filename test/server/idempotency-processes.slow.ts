/** One Idempotency-Key sent to two real processes at once: the operation runs once, in either of them. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { panelServer } from '../support/panel/attributes.ts';
import type { TestProgram } from '../support/program.ts';
import { startStandInPanel } from '../support/stand-in-panel.ts';
import { useTwoPrograms } from '../support/two-programs.ts';
import { useStarted } from '../support/use-started.ts';

describe('the same Idempotency-Key at two processes at once', () => {
  const ownerId = 7;
  const identifier = 'a1b2c3d4';
  const rounds = 5;
  const panel = useStarted(startStandInPanel);
  const service = useTwoPrograms(() => ({
    ...{ PANEL_URL: panel.url, PANEL_APPLICATION_KEY: panel.applicationKey },
    ...{ PANEL_CLIENT_KEY: panel.clientKey, RATE_LIMIT_PER_MINUTE: '1000000' },
  }));
  let key: string;

  before(async () => {
    panel.servers.set(ownerId, [panelServer({ identifier })]);
    ({ secret: key } = await service.addKey({ user: await service.addUser({ panelUserId: ownerId }) }));
  });

  const programs = () => [service.one, service.other];

  const atBoth = <Answer>(ask: (program: TestProgram) => Promise<Answer>) =>
    Promise.all([...programs(), ...programs(), ...programs()].map(ask));

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

  const tickets = () => service.connection.collection('tickets');

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

  it('sends one signal to the panel', async () => {
    for (let round = 0; round < rounds; round += 1) {
      panel.forget();
      const headers = { 'Idempotency-Key': randomUUID() };
      const path = `/api/v1/servers/${identifier}/power`;
      expectOne(await atBoth(({ url }) => post(url + path, { signal: 'restart' }, headers)), 202);
      expect(panel.signals).to.deep.equal([`${identifier} restart`]);
    }
  });

  it('accepts one of two different requests and refuses the other', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const headers = { 'Idempotency-Key': randomUUID() };
      const asked = programs().map(({ url }, index) =>
        post(`${url}/api/v1/tickets`, { title: `Either ${round}`, message: `At ${index}` }, headers),
      );
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(statuses.toSorted()).to.deep.equal([201, 400]);
      expect(await tickets().countDocuments({ subject: `Either ${round}` })).to.equal(1);
    }
  });
});
