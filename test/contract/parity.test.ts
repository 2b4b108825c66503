/** What REST says, tRPC and MCP say: for every procedure the same data to the same question, and the same refusal. */
import { expect } from 'chai';
import { type Row, readCatalogue } from '../../bridge/catalogue.ts';
import { badInputsOf } from '../support/bad-inputs.ts';
import { createSendMessage, legacyRequest } from '../support/mcp.ts';
import { addSampled, keyedRows, rows, sampleInputOf } from '../support/samples.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { testRouter } from '../support/test-router.ts';
import { type Outcome, tonguesOf } from '../support/tongues.ts';

interface Question {
  input: Record<string, unknown>;
  key?: string;
}

/** Asks in every tongue that a row is spoken in; the one outcome that all of them came to. */
async function agreed(service: TestService, row: Row, { input, key }: Question): Promise<Outcome> {
  const { rest, ...others } = tonguesOf(service, row);
  const first = await rest(row, input, key);
  for (const [tongue, ask] of Object.entries(others)) {
    const outcome = await ask(row, input, key);
    expect(comparable(row, outcome), `${tongue} on ${JSON.stringify(input)}`).to.deep.equal(
      comparable(row, first),
    );
  }
  return first;
}

/** But for what is new each time: ids and times of what a write makes, and how long one has to wait by now. */
function comparable({ type }: Row, outcome: Outcome): unknown {
  if ('code' in outcome) return { ...outcome, message: outcome.message.replace(/\d+ s$/, 'N s') };
  if (type === 'query') return outcome;
  return JSON.parse(JSON.stringify(outcome), (field, value) =>
    isNewEachTime.test(field) ? typeof value : value,
  );
}

const isNewEachTime = /^(id|\w+_at)$/;

const awkwardNames = ['nowhere', 'a/b', 'a%2fb', 'a b', 'a?b=c#d', 'sämple', '%', '{"$ne":""}', '__proto__'];

describe('REST, tRPC and MCP agree', () => {
  let service: TestService;
  let narrow: TestService;
  let key: string;

  before(async () => {
    service = await startTestService({ rateLimitPerMinute: 1_000_000 });
    narrow = await startTestService({ rateLimitPerMinute: 1 });
    ({ key } = await addSampled(service));
  });
  after(async () => {
    await service.stop();
    await narrow.stop();
  });

  for (const row of rows)
    describe(`on ${row.name}`, () => {
      const good = sampleInputOf(row);

      it('in the data they give to a good question', async () => {
        const outcome = await agreed(service, row, { input: good, key });
        if (!('data' in outcome)) throw new Error(`it was refused: ${outcome.message}`);
        expect(row.output.parse(outcome.data)).to.deep.equal(outcome.data);
      });

      it('bad_request: in what they say of each bad input', async () => {
        for (const [label, input] of badInputsOf(row))
          expect(await agreed(service, row, { input, key }), label).to.include({ code: 'bad_request' });
      });
    });

  for (const row of keyedRows)
    describe(`on ${row.name}`, () => {
      const good = sampleInputOf(row);

      it('unauthorized: without a key', async () => {
        expect(await agreed(service, row, { input: good })).to.include({ code: 'unauthorized' });
      });

      it('rate_limited: when the calls are used up', async () => {
        const { secret } = await narrow.addKey();
        await narrow.call('GET', '/me', { key: secret });
        expect(await agreed(narrow, row, { input: good, key: secret })).to.include({ code: 'rate_limited' });
      });
    });

  for (const row of keyedRows.filter(({ scope }) => scope !== 'any'))
    it(`insufficient_scope: on ${row.name}, naming ${row.scope}`, async () => {
      const { secret } = await service.addKey({ scopes: [] });
      const message = `This key lacks the scope ${row.scope}`;
      const outcome = await agreed(service, row, { input: sampleInputOf(row), key: secret });
      expect(outcome).to.deep.equal({ code: 'insufficient_scope', message });
    });

  for (const row of rows.filter(({ pathParameters }) => pathParameters.length > 0)) {
    const good = sampleInputOf(row);
    const [field = ''] = row.pathParameters;

    it(`not_found: on ${row.name} of what does not exist, whatever it is called`, async () => {
      for (const name of typeof good[field] === 'number' ? [999_999] : awkwardNames) {
        const outcome = await agreed(service, row, { input: { ...good, [field]: name }, key });
        expect(outcome).to.include({ code: 'not_found' });
      }
    });

    if (row.type === 'mutation')
      it(`not_found: on ${row.name} of what belongs to somebody else`, async () => {
        const { secret } = await service.addKey();
        expect(await agreed(service, row, { input: good, key: secret })).to.include({ code: 'not_found' });
      });
  }

  it('bad_request: on a reply to a closed ticket', async () => {
    const { body } = await service.call('POST', '/tickets', { key, body: { title: 'Old', message: 'Done' } });
    await service.models.tickets.setStatus(body.ticket.id, 'Closed', new Date());
    const outcome = await agreed(service, rowOf('tickets.reply'), {
      input: { ticket_id: body.ticket.id, message: 'So?' },
      key,
    });
    expect(outcome).to.include({ code: 'bad_request' });
  });

  it('upstream_error: on whatever asks a panel that fails', async () => {
    const panelFailures = rows.filter(({ refusals }) => refusals?.upstream_error);
    for (const row of panelFailures) {
      const failing = await startTestService();
      const sampled = await addSampled(failing);
      failing.panel.failWith(500, 'HttpException');
      const outcome = await agreed(failing, row, { input: sampleInputOf(row), key: sampled.key });
      await failing.stop();
      expect(outcome).to.include({ code: 'upstream_error' });
    }
  });

  describe('on a procedure more', () => {
    const echo = rowOf('test.echo', readCatalogue(testRouter));
    let extended: TestService;
    let secret: string;

    before(async () => {
      extended = await startTestService({ router: testRouter });
      ({ secret } = await extended.addKey());
    });
    after(() => extended.stop());

    it('in the data they give and in what they say of bad inputs', async () => {
      const outcome = await agreed(extended, echo, { input: { name: 'a/b', times: null }, key: secret });
      expect(outcome).to.have.deep.nested.property('data.name', 'a/b');
      for (const [label, input] of badInputsOf(echo))
        expect(await agreed(extended, echo, { input, key: secret }), label).to.include({
          code: 'bad_request',
        });
    });

    it('which the description and the list of tools have too', async () => {
      const { body: document } = await extended.call('GET', '/openapi.json');
      expect(document.paths[echo.path]).to.include.keys('post');
      const listTools = legacyRequest('tools/list');
      const { body: list } = await createSendMessage(extended.url)(listTools, { key: secret });
      expect(list.result.tools.map(({ name }: { name: string }) => name)).to.include('test_echo');
    });
  });
});

function rowOf(name: string, among = rows): Row {
  const row = among.find((candidate) => candidate.name === name);
  if (!row) throw new Error(`there is no procedure ${name}`);
  return row;
}
