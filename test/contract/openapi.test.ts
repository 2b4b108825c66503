/** The document of the API tells the truth: it is valid OpenAPI, it is the contract, and the service does all it says. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { createOpenApiDocument } from '../../bridge/openapi.ts';
import { appRouter } from '../../routers/index.ts';
import { createJudge } from '../support/openapi-judge.ts';
import { operationsOf, statusesOf } from '../support/openapi-reader.ts';
import { openStage, provocations, type Stage } from '../support/openapi-stage.ts';
import { rows } from '../support/samples.ts';
import { type Answer, startTestService, type TestService } from '../support/service.ts';

const document = createOpenApiDocument(appRouter, rows);
const operations = operationsOf(document);

/**
 * The table of the contract's section 4, with what other sections add to its statuses: 429 wherever a key is needed
 * (section 8), 400 wherever input can be wrong (section 7). 409, 413 and 503 are ours.
 */
const promised = {
  'GET /catalog/games': [200, 401, 403, 429, 500, 503],
  'GET /catalog/games/{slug}': [200, 400, 401, 403, 404, 429, 500, 503],
  'GET /announcements': [200, 400, 401, 403, 429, 500, 503],
  'GET /me': [200, 401, 403, 404, 429, 500, 503],
  'GET /servers': [200, 401, 403, 429, 500, 502, 503],
  'GET /tickets': [200, 401, 403, 429, 500, 503],
  'GET /subscriptions': [200, 401, 403, 429, 500, 503],
  'GET /openapi.json': [200],
  'POST /tickets': [201, 400, 401, 403, 409, 413, 429, 500, 503],
  'POST /tickets/{ticket_id}/reply': [201, 400, 401, 403, 404, 409, 413, 429, 500, 503],
  'POST /servers/{server_identifier}/power': [202, 400, 401, 403, 404, 409, 413, 429, 500, 502, 503],
  'GET /admin/announcements': [200, 401, 403, 429, 500, 503],
  'POST /admin/announcements': [201, 400, 401, 403, 409, 413, 429, 500, 503],
};

/** What we offer beside the contract. */
const offered = {
  'GET /key': [200, 401, 429, 500, 503],
};

describe('the OpenAPI document', () => {
  it('has the endpoints and the statuses of the contract, those of our own, and no others', () => {
    const described = operations.map((operation) => [
      `${operation.method} ${operation.path}`,
      statusesOf(operation),
    ]);
    expect(Object.fromEntries(described)).to.deep.equal({ ...promised, ...offered });
  });

  it("is valid by OpenAPI's own schema of 3.1", async () => {
    const { valid, errors } = await new Validator().validate(document);
    expect(valid, JSON.stringify(errors)).to.equal(true);
  });

  it("keeps Redocly's recommended rules, and some that are stricter", async () => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        'operation-tag-defined': 'error',
        'operation-description': 'error',
        'operation-singular-tag': 'error',
        'parameter-description': 'error',
      },
    });
    const source = JSON.stringify(document);
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
    expect(problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)).to.deep.equal([
      // By the contract the description itself cannot fail.
      'operation-4xx-response #/paths/~1openapi.json/get/responses',
    ]);
  });
});

describe('what the OpenAPI document says', () => {
  const judge = createJudge(document);
  let stage: Stage;

  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  for (const documented of operations)
    describe(`${documented.method} ${documented.path}`, () => {
      for (const status of statusesOf(documented))
        it(`${status}: can happen, and is as described`, async () => {
          const provoke = provocations[status];
          if (!provoke) throw new Error(`No test knows how to provoke ${status}: document what happens`);
          const answer = await provoke(documented, stage);
          judge(documented, status, answer);
          if (status < 300)
            expect(listsIn(answer), 'lists too empty to prove their items').not.to.deep.include([]);
        });
    });

  it('is held against answers by a judge that can say no', async () => {
    const [listGames] = operations;
    if (!listGames) throw new Error('there is no operation');
    const answer = await stage.service.call('GET', '/catalog/games', { key: stage.key });
    judge(listGames, 200, answer);
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
    for (const each of wrong) expect(() => judge(listGames, 200, each)).to.throw();
  });
});

const listsIn = ({ body }: Answer) => Object.values(body).filter(Array.isArray);

describe('GET /openapi.json', () => {
  let service: TestService;

  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

  it('200: the document, without a key', async () => {
    const answer = await service.call('GET', '/openapi.json');
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
    expect(answer.body).to.deep.equal(document);
  });
});
