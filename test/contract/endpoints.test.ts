/** Every endpoint keeps its promised form: status, fields and headers, and no others. */
import { expect } from 'chai';
import { z } from 'zod';
import { takesBody } from '../../bridge/rest/input.ts';
import { expectError } from '../support/expect-error.ts';
import { fieldsOf } from '../support/sample-inputs.ts';
import {
  addSamples,
  apiOperations,
  explainRefusal,
  keyedOperations,
  oneOfEachKind,
  requestKindOf,
  sampleOf,
  withQuery,
} from '../support/samples.ts';
import { useService } from '../support/service.ts';

/** Part one of the contract, section 4, which never changes: method, path, status, scope and tool of each endpoint. */
const partOne = [
  'GET /admin/announcements 200 admin:announcements',
  'GET /announcements 200 read:catalog list_announcements',
  'GET /catalog/games 200 read:catalog list_games',
  'GET /catalog/games/{slug} 200 read:catalog get_game',
  'GET /me 200 read:account get_my_profile',
  'GET /openapi.json 200',
  'GET /servers 200 read:account list_my_servers',
  'GET /subscriptions 200 read:account list_my_subscriptions',
  'GET /tickets 200 read:account list_my_tickets',
  'POST /admin/announcements 201 admin:announcements',
  'POST /servers/{server_identifier}/power 202 write:servers set_server_power',
  'POST /tickets 201 write:tickets create_ticket',
  'POST /tickets/{ticket_id}/reply 201 write:tickets reply_to_ticket',
];

const kindsOfBodyField = oneOfEachKind(
  apiOperations.filter(takesBody).flatMap((row) => {
    const { required = [] } = z.toJSONSchema(row.input, { io: 'input' });
    const fields = Object.keys(sampleOf(row).body ?? {});
    return fields.map((field) => ({ row, field, isRequired: required.includes(field) }));
  }),
  ({ row, field, isRequired }) => [field, isRequired, fieldsOf(row.input)[field]],
);

describe('endpoints', () => {
  const service = useService({ rateLimitPerMinute: 10_000 });
  let key: string;
  let restore: () => Promise<void>;

  before(async () => {
    ({ key, restore } = await addSamples(service));
  });
  beforeEach(() => service.clock.advance(60_000)); // Past the rate limit that the previous test used.

  it('include those of part one of the contract, with their statuses, scopes and tools', () => {
    const offered = apiOperations.map(({ method, path, status, scope, tool }) =>
      [method, path, status, scope, tool?.name].filter(Boolean).join(' '),
    );
    expect(offered).to.include.members(partOne);
  });

  it("do not block their user's other calls while they wait for the panel", async () => {
    const callers: [operation: string, slot: string][] = [];
    for (const row of apiOperations) {
      service.clock.advance(60_000); // Past the cache of the panel's answers.
      service.panel.forget();
      const { method, path, body } = sampleOf(row);
      await service.call(method, path, { key, body });
      if (row.type === 'mutation') await restore();
      if (service.panel.requests.length > 0) callers.push([row.name, row.slot]);
    }
    expect(callers).to.have.length.above(5);
    expect(callers.filter(([, slot]) => !slot.match(/panel/i))).to.deep.equal([]);
  });

  for (const row of apiOperations) {
    const { method, path, body } = sampleOf(row);

    describe(`${method} ${row.path}`, () => {
      it(`answers in JSON with its schema's fields and no others (${row.status})`, async () => {
        const headers = { 'Accept-Encoding': 'identity' };
        const answer = await service.call(method, path, { key, body, headers });
        if (row.type === 'mutation') await restore();
        expect(answer.status, explainRefusal(answer.body?.error)).to.equal(row.status);
        expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
        expect(answer.headers.get('Content-Length')).to.equal(String(Buffer.byteLength(answer.text)));
        expect(answer.headers.get('X-Request-Id')).to.match(/^[0-9a-f]{32}$/);
        // The description is the same for every caller.
        const caching = row.path === '/openapi.json' ? 'no-cache' : 'no-store';
        expect(answer.headers.get('Cache-Control')).to.equal(caching);
        expect(row.output.parse(answer.body)).to.deep.equal(answer.body);
      });
    });
  }

  for (const row of apiOperations.filter(({ method }) => method === 'GET')) {
    const { path } = sampleOf(row);

    it(`answer HEAD ${row.path} like GET, without the body`, async () => {
      const [get, head] = [
        await service.call('GET', path, { key }),
        await service.call('HEAD', path, { key }),
      ];
      expect(head.status).to.equal(get.status);
      expect(head.text).to.equal('');
      expect(head.headers.get('Content-Type')).to.equal(get.headers.get('Content-Type'));
      // The first call may appear in activity's second answer.
      if (!row.path.startsWith('/activity'))
        expect(head.headers.get('Content-Length')).to.equal(get.headers.get('Content-Length'));
    });
  }

  for (const row of oneOfEachKind(keyedOperations, requestKindOf)) {
    const { method, path, body } = sampleOf(row);

    it(`send the rate limit in whole numbers on ${method} ${row.path}, on errors too`, async () => {
      const { user, secret } = await service.addKey();
      await service.models.users.change(user.email, { isAdmin: true });
      const answers = [
        await service.call(method, path, { key: secret, body }),
        await service.call(method, withQuery(path, 'surprise=1'), { key: secret, body }),
        await service.call('PROPFIND', path, { key: secret }),
      ];
      for (const [index, { headers }] of answers.entries()) {
        expect(headers.get('X-RateLimit-Limit')).to.equal('10000');
        expect(headers.get('X-RateLimit-Remaining')).to.equal(String(9999 - index));
        const reset = Number(headers.get('X-RateLimit-Reset'));
        expect(reset).to.satisfy(Number.isInteger);
        expect(reset - service.clock.now() / 1000).to.be.within(0, 61);
      }
    });
  }

  it('name each missing field of a body and each operator object (400 bad_request)', async () => {
    for (const { row, field, isRequired } of kindsOfBodyField) {
      const { path, body = {} } = sampleOf(row);
      const { [field]: value, ...rest } = body;
      if (isRequired) {
        const answer = await service.call(row.method, path, { key, body: rest });
        expectError(answer, 'bad_request', `${field} is required`);
      }
      const list = Array.isArray(value) && typeof value[0] === 'string' ? [{ $ne: '' }] : ['$ne'];
      for (const operator of [{ $ne: '' }, { $gt: '' }, { $where: '1' }, list]) {
        const answer = await service.call(row.method, path, { key, body: { ...body, [field]: operator } });
        expect(answer.status).to.equal(400);
        expect(answer.body.error.code).to.equal('bad_request');
        expect(answer.body.error.message).to.match(
          new RegExp(
            `^${field}((\\.0)? must be (an?|one of|true or false)( |$)|\\.\\$\\w+ is not a variable )`,
          ),
        );
      }
    }
  });
});
