/** The OpenAPI document is valid, matches the contract, and the service does all it says. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { createOpenApiDocument, type OpenApiDocument } from '../../bridge/openapi/document.ts';
import { appRouter } from '../../routers/index.ts';
import { oauthUrlsOf } from '../../server/oauth/documents.ts';
import { expectError } from '../support/expect-error.ts';
import {
  addDeliveries,
  addListed,
  type OpenApiFixture,
  openOpenApiFixture,
  provocations,
  restore,
  restoreServer,
  restoreWebhook,
} from '../support/openapi-fixture.ts';
import {
  exampleRequest,
  linkedRequests,
  linksOf,
  operationsOf,
  partsOf,
  readPages,
  statusesOf,
} from '../support/openapi-reader.ts';
import { createExpectDescribed, examplesNotSent } from '../support/openapi-validator.ts';
import { apiOperations, withQuery } from '../support/samples.ts';
import { type Answer, useService } from '../support/service.ts';

const baseUrl = 'https://api.gamehost.example';
const document = createOpenApiDocument(appRouter, { baseUrl });
const operations = operationsOf(document);

/** Part one of the contract, section 4, which never changes: the statuses of each endpoint. */
const partOne: Record<string, number[]> = {
  'GET /catalog/games': [200, 401, 403, 500],
  'GET /catalog/games/{slug}': [200, 401, 403, 404, 500],
  'GET /announcements': [200, 401, 403, 500],
  'GET /me': [200, 401, 403, 404, 500],
  'GET /servers': [200, 401, 403, 500, 502],
  'GET /tickets': [200, 401, 403, 500],
  'GET /subscriptions': [200, 401, 403, 500],
  'GET /openapi.json': [200, 400],
  'POST /tickets': [201, 400, 401, 403, 500],
  'POST /tickets/{ticket_id}/reply': [201, 400, 401, 403, 404, 500],
  'POST /servers/{server_identifier}/power': [202, 400, 401, 403, 404, 500, 502],
  'GET /admin/announcements': [200, 401, 403],
  'POST /admin/announcements': [201, 400, 401, 403],
};

/** Statuses that other sections add: 400 for invalid input (7), 429 and similar (8), 500 of any endpoint; the rest are ours. */
const added = [400, 409, 413, 429, 500, 503];

describe('the OpenAPI document', () => {
  for (const [endpoint, statuses] of Object.entries(partOne))
    it(`describes ${endpoint} with the statuses of the contract`, () => {
      const described = operations.find(({ method, path }) => `${method} ${path}` === endpoint);
      const found = described ? statusesOf(described) : [];
      expect(found).to.include.members(statuses);
      expect(found.filter((status) => !statuses.includes(status) && !added.includes(status))).to.deep.equal(
        [],
      );
    });

  it('describes every endpoint of the router, and no others', () => {
    const described = operations.map(({ method, path }) => `${method} ${path}`);
    expect(described).to.have.members(apiOperations.map(({ method, path }) => `${method} ${path}`));
  });

  it("is valid by OpenAPI 3.1's own schema", async () => {
    const { valid, errors } = await new Validator().validate(document);
    expect(valid, JSON.stringify(errors)).to.equal(true);
  });

  for (const ruleset of ['recommended', 'recommended-strict'] as const)
    it(`has no problem by Redocly's ${ruleset} rules and some stricter ones`, async () => {
      const config = await createConfig({
        extends: [ruleset],
        rules: {
          'operation-tag-defined': 'error',
          'operation-description': 'error',
          'operation-singular-tag': 'error',
          'parameter-description': 'error',
        },
      });
      const source = JSON.stringify(document);
      const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
      expect(problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)).to.deep.equal([]);
    });
});

describe("the OpenAPI document's promise", () => {
  const expectDescribed = createExpectDescribed(document);
  let fixture: OpenApiFixture;

  before(async () => {
    fixture = await openOpenApiFixture();
  });
  after(() => fixture.close());

  describe('of pages', () => {
    before(() => addListed(fixture));
    after(() => restore(fixture));

    for (const documented of operations) {
      const { 'x-pagination': pagination } = documented.operation;
      if (!pagination) continue;
      it(`holds for ${documented.path}: a program that follows x-pagination reads each item once`, async () => {
        if (documented.path.endsWith('/deliveries')) await addDeliveries(documented, fixture);
        const { service, key } = fixture;
        const { path } = exampleRequest(documented);
        const ask = async (query: string) => {
          const { status, body } = await service.call('GET', withQuery(path, query), { key });
          expect(status, query).to.equal(200);
          return body;
        };
        const { list, field, size, more } = pagination;
        const idsOf = (items: Record<string, unknown>[]) => items.map((item) => item[field ?? 'id']);
        const first = await ask('');
        const listed = idsOf(first[list]);
        const limit = documented.operation.parameters?.find(({ name }) => name === size)?.schema.default;
        if (more === null) expect(listed).to.have.lengthOf.below(Number(limit));
        const ids = idsOf(await readPages(pagination, ask));
        expect(ids.slice(0, listed.length)).to.deep.equal(listed);
        expect(ids.length > listed.length).to.equal(more !== null && first[more]);
        expect(ids).to.have.lengthOf.at.least(3);
        expect(new Set(ids)).to.have.lengthOf(ids.length);
      });
    }
  });

  describe('of links', () => {
    after(() => restore(fixture));

    it('covers every link that a procedure declares', () => {
      const declared = apiOperations.flatMap(({ links = {} }) => Object.keys(links));
      expect(operations.flatMap((each) => Object.keys(linksOf(each)))).to.have.members(declared);
    });

    for (const documented of operations.filter((each) => Object.keys(linksOf(each)).length > 0))
      it(`holds for ${documented.method} ${documented.path}: each leads to a call that succeeds`, async () => {
        restoreServer(fixture, documented);
        await restoreWebhook(fixture, documented);
        const { service, key } = fixture;
        const { method, path, ...rest } = exampleRequest(documented);
        const { body } = await service.call(method, path, { key, ...rest });
        for (const linked of linkedRequests(documented, body, operations)) {
          const answer = await service.call(linked.method, linked.path, { key, body: linked.body });
          expect(answer.status, `${linked.path} ${answer.text}`).to.be.within(200, 299);
        }
      });
  });

  for (const documented of operations)
    describe(`${documented.method} ${documented.path}`, () => {
      for (const status of statusesOf(documented))
        it(`of ${status} can happen and is as described`, async () => {
          const provoke = provocations[status];
          if (!provoke) throw new Error(`No test knows how to provoke ${status}: document what happens`);
          if (documented.path.includes('/webhooks')) await restoreWebhook(fixture, documented);
          if (documented.path.startsWith('/servers')) restoreServer(fixture, documented);
          const answers = [await provoke(documented, fixture)].flat();
          for (const answer of answers) expectDescribed(documented, status, answer);
          expect(answers, 'no answer with this status').not.to.deep.equal([]);
          expect(examplesNotSent(documented, status, answers)).to.deep.equal([]);
          if (status < 300)
            expect(answers.flatMap(listsIn), 'too few list items to check their schema').not.to.deep.include(
              [],
            );
        });
    });

  it('is compared with responses by a check that can fail', async () => {
    const [listGames] = operations;
    if (!listGames) throw new Error('there is no operation');
    const answer = await fixture.service.call('GET', '/catalog/games', { key: fixture.key });
    expectDescribed(listGames, 200, answer);
    const { games } = answer.body;
    const headers = new Headers(answer.headers);
    headers.delete('X-RateLimit-Reset');
    const wrong = [
      { ...answer, status: 201 },
      { ...answer, headers },
      { ...answer, body: {} },
      { ...answer, body: { games, total: 3 } },
      { ...answer, body: { games: [{ ...games[0], _id: 1 }] } },
    ];
    for (const each of wrong) expect(() => expectDescribed(listGames, 200, each)).to.throw();
  });
});

const listsIn = ({ body }: Answer) => Object.values(body).filter(Array.isArray);

describe('GET /openapi.json', () => {
  const service = useService({ config: { publicUrl: baseUrl } });

  it('returns the document without a key (200)', async () => {
    const answer = await service.call('GET', '/openapi.json');
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
    const served = createOpenApiDocument(appRouter, {
      baseUrl,
      publicUrl: baseUrl,
      oauth: oauthUrlsOf(baseUrl),
    });
    expect(answer.body).to.deep.equal(served);
  });

  it('answers 304 to the ETag of the first response', async () => {
    const { headers } = await service.call('GET', '/openapi.json');
    const request = { headers: { 'If-None-Match': headers.get('ETag') ?? '', 'Cache-Control': 'max-age=0' } };
    const { status, text } = await service.call('GET', '/openapi.json', request);
    expect([status, text]).to.deep.equal([304, '']);
  });

  it('returns valid OpenAPI 3.0 with ?version=3.0, different in schemas only (200)', async () => {
    const { body } = await service.call('GET', '/openapi.json?version=3.0');
    const { valid, errors } = await new Validator().validate(structuredClone(body));
    expect(valid, JSON.stringify(errors)).to.equal(true);
    expect(body.openapi).to.match(/^3\.0\./);
    expect(body.servers).to.deep.equal(document.servers);
    expect(Object.keys(body.components.schemas)).to.deep.equal(Object.keys(document.components.schemas));
    const { body: newer } = await service.call('GET', '/openapi.json');
    expect(body.components.securitySchemes).to.deep.equal(newer.components.securitySchemes);
    const keptOf = (each: OpenApiDocument) =>
      operationsOf(each).map((operation) => [operation.operation.security, linksOf(operation)]);
    expect(keptOf(body)).to.deep.equal(keptOf(newer));
    const openEnumsOf = (each: unknown) => partsOf(each).filter((part) => part['x-extensible-enum']);
    expect(openEnumsOf(body).map(({ example }) => example)).to.deep.equal(
      openEnumsOf(newer).map((part) => part['x-extensible-enum']?.[0]),
    );
  });

  it('refuses an unknown version (400 bad_request)', async () => {
    const response = await service.call('GET', '/openapi.json?version=2.0');
    expectError(response, 'bad_request', 'version must be one of 3.1, 3.0');
  });
});
