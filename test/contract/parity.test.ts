/** REST, tRPC and MCP give the same data for the same call, and the same refusal, for every procedure. */
import { expect } from 'chai';
import { type Operation, readOperations } from '../../bridge/operations.ts';
import { takesBody } from '../../bridge/rest/input.ts';
import { badInputsOf } from '../support/bad-inputs.ts';
import { createSendMessage, legacyRequest } from '../support/mcp.ts';
import { type Outcome, protocolsOf } from '../support/protocol-clients.ts';
import { fieldsOf, sampleInputOf } from '../support/sample-inputs.ts';
import {
  addSamples,
  apiOperations,
  explainRefusal,
  isUpsert,
  keyedOperations,
  missingNameOf,
  oneOfEachKind,
  requestKindOf,
} from '../support/samples.ts';
import { type TestService, useService } from '../support/service.ts';
import { testRouter } from '../support/test-router.ts';

interface Question {
  input: Record<string, unknown>;
  key?: string;
  restore?: (() => Promise<void>) | undefined;
}

/** Calls an operation over every protocol that offers it, and returns the outcome they all share. */
async function sameOnAllProtocols(
  service: TestService,
  row: Operation,
  { input, key, restore }: Question,
): Promise<Outcome> {
  const { rest, ...others } = protocolsOf(service, row);
  const first = await rest(row, input, key);
  for (const [protocol, ask] of Object.entries(others)) {
    await restore?.();
    const outcome = await ask(row, input, key);
    expect(comparable(row, outcome), `${protocol} on ${JSON.stringify(input)}`).to.deep.equal(
      comparable(row, first),
    );
  }
  await restore?.();
  return first;
}

/** Without what is new each time: ids and times from a write, and the remaining time to wait. */
function comparable({ type, hasSecretOutput }: Operation, outcome: Outcome): unknown {
  if ('code' in outcome) return { ...outcome, message: outcome.message.replace(/\d+ s$/, 'N s') };
  return JSON.parse(JSON.stringify(outcome), (field, value) =>
    countsCalls.test(field) ||
    (type === 'mutation' && isNewEachTime.test(field)) ||
    (hasSecretOutput && typeof value === 'string')
      ? typeof value
      : value,
  );
}

/** Totals of the caller's own activity. */
const countsCalls = /^(calls|errors)$/;
const isNewEachTime = /^(id|uuid|\w+_at|event_id)$/;

const awkwardNames = ['nowhere', 'a/b', 'a%2fb', 'a b', 'a?b=c#d', 'sämple', '%', '{"$ne":""}', '__proto__'];

/** Bad inputs of all operations, one of each kind of field and error: the same code refuses all others. */
const kindsOfBadInput = oneOfEachKind(
  apiOperations.flatMap((row) => badInputsOf(row).map((bad) => ({ row, ...bad }))),
  ({ row, field, spoiling }) => ({
    spoiling,
    isInPath: row.pathParameters.includes(field),
    isInBody: takesBody(row),
    schema: { ...fieldsOf(row.input)[field], description: null, examples: null },
    hasTool: Boolean(row.tool),
  }),
);

/** Operations that name something, one of each kind of name. */
const kindsOfName = oneOfEachKind(
  apiOperations.filter((row) => row.pathParameters.length > 0 && !isUpsert(row)),
  ({ pathParameters: [field = ''], input, method }) => [
    method,
    fieldsOf(input)[field]?.pattern,
    fieldsOf(input)[field]?.type,
  ],
);

describe('REST, tRPC and MCP', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  const narrow = useService({ rateLimitPerMinute: 1 });
  let key: string;
  let restore: () => Promise<void>;
  let scopeless: string;

  before(async () => {
    ({ key, restore } = await addSamples(service));
    ({ secret: scopeless } = await service.addKey({ scopes: [] }));
  });

  for (const row of apiOperations)
    it(`return the same data for a valid call of ${row.name}`, async () => {
      const writes = row.type === 'mutation';
      const question = { input: sampleInputOf(row), key, restore: writes ? restore : undefined };
      const outcome = await sameOnAllProtocols(service, row, question);
      if (!('data' in outcome)) throw new Error(explainRefusal(outcome));
      expect(row.output.parse(outcome.data)).to.deep.equal(outcome.data);
    });

  it('describe each kind of bad input alike (bad_request)', async () => {
    for (const { row, field, spoiling, input } of kindsOfBadInput)
      expect(
        await sameOnAllProtocols(service, row, { input, key }),
        `${row.name} ${field} ${spoiling}`,
      ).to.include({
        code: 'bad_request',
      });
  });

  for (const row of oneOfEachKind(keyedOperations, requestKindOf)) {
    const good = sampleInputOf(row);

    it(`refuse ${row.name} without a key alike (unauthorized)`, async () => {
      expect(await sameOnAllProtocols(service, row, { input: good })).to.include({ code: 'unauthorized' });
    });

    if (row.scope !== 'any')
      it(`refuse ${row.name} alike, naming ${row.scope} (insufficient_scope)`, async () => {
        const outcome = await sameOnAllProtocols(service, row, { input: good, key: scopeless });
        const message = `This key lacks the scope ${row.scope}: create a key with it at /account#keys`;
        expect(outcome).to.deep.equal({ code: 'insufficient_scope', message });
      });

    it(`refuse ${row.name} alike when the calls are used up (rate_limited)`, async () => {
      const { secret } = await narrow.addKey();
      await narrow.call('GET', '/me', { key: secret });
      const question = { input: good, key: secret };
      expect(await sameOnAllProtocols(narrow, row, question)).to.include({ code: 'rate_limited' });
    });
  }

  for (const row of kindsOfName)
    it(`answer ${row.name} alike for missing data of any name`, async () => {
      const good = sampleInputOf(row);
      const [field = ''] = row.pathParameters;
      for (const name of [missingNameOf(row), ...awkwardNames]) {
        const outcome = await sameOnAllProtocols(service, row, { input: { ...good, [field]: name }, key });
        // A malformed name is refused before any look-up.
        const mayBeRefused = !row.input.shape[field]?.safeParse(name).success;
        expect(outcome).to.include({ code: mayBeRefused ? 'bad_request' : 'not_found' });
      }
    });

  it('refuse a reply to a closed ticket alike (bad_request)', async () => {
    const { body } = await service.call('POST', '/tickets', { key, body: { title: 'Old', message: 'Done' } });
    await service.models.tickets.setStatus({ id: body.ticket.id, status: 'Closed' }, new Date());
    const outcome = await sameOnAllProtocols(service, rowOf('tickets.reply'), {
      input: { ticket_id: body.ticket.id, message: 'So?' },
      key,
    });
    expect(outcome).to.include({ code: 'bad_request' });
  });

  describe('with a failing panel', () => {
    const failing = useService({
      panel: { retryDelayMs: 1, failureThreshold: 1000, callsPerCustomer: 0 },
    });
    let failingKey: string;

    before(async () => {
      ({ key: failingKey } = await addSamples(failing));
      failing.panel.failWith(500, 'HttpException');
    });

    for (const row of apiOperations.filter(({ refusals }) => refusals?.upstream_error))
      it(`fail alike on ${row.name} (upstream_error)`, async () => {
        const question = { input: sampleInputOf(row), key: failingKey };
        expect(await sameOnAllProtocols(failing, row, question)).to.include({ code: 'upstream_error' });
      });
  });

  describe('with an added procedure', () => {
    const echo = rowOf('test.echo', readOperations(testRouter));
    const extended = useService({ router: testRouter });
    let secret: string;

    before(async () => {
      ({ secret } = await extended.addKey());
    });

    it('return the same data and the same errors', async () => {
      const outcome = await sameOnAllProtocols(extended, echo, {
        input: { name: 'a/b', times: null },
        key: secret,
      });
      expect(outcome).to.have.deep.nested.property('data.name', 'a/b');
      for (const { spoiling, input } of badInputsOf(echo))
        expect(await sameOnAllProtocols(extended, echo, { input, key: secret }), spoiling).to.include({
          code: 'bad_request',
        });
    });

    it('include it in the OpenAPI document and the list of tools', async () => {
      const { body: document } = await extended.call('GET', '/openapi.json');
      expect(document.paths[echo.path]).to.include.keys('post');
      const listTools = legacyRequest('tools/list');
      const { body: list } = await createSendMessage(extended.url)(listTools, { key: secret });
      expect(list.result.tools.map(({ name }: { name: string }) => name)).to.include('test_echo');
    });
  });
});

function rowOf(name: string, among = apiOperations): Operation {
  const row = among.find((candidate) => candidate.name === name);
  if (!row) throw new Error(`there is no procedure ${name}`);
  return row;
}
