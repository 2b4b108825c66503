/** Unparsable input, sent repeatedly while others work: each gets a 400 with the error envelope, and other callers are unaffected. */
import { expect } from 'chai';
import { mapWithin } from '../../../models/support/queue.ts';
import { isAdminScope } from '../../../routers/scopes.ts';
import { badInputsOf } from '../../support/bad-inputs.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startProgram } from '../../support/program.ts';
import { keyedOperations, restRequestOf } from '../../support/samples.ts';
import { addCustomers } from '../customers.ts';
import { callApi } from './call.ts';
import { endInOrder } from './ledger.ts';
import { Load } from './load.ts';

const unreadable = ['', '{', '[]', '"text"', 'null', '{"title":"\\ud800"}', '{"a":'.repeat(50_000)];

interface BadRequest {
  label: string;
  method: string;
  path: string;
  body?: string;
}

const spoiled = keyedOperations
  .filter(({ scope }) => !isAdminScope(scope ?? '')) // the customers are not administrators
  .flatMap((row) =>
    badInputsOf(row).map(({ field, spoiling, input }): BadRequest => {
      const { method, path, body } = restRequestOf(row, input);
      const what = `${method} ${row.path}, ${field} ${spoiling}`;
      return { label: what, method, path, ...(body && { body: JSON.stringify(body) }) };
    }),
  );

const broken = unreadable.map((body): BadRequest => {
  return { label: `POST /tickets, ${body.slice(0, 20)}`, method: 'POST', path: '/tickets', body };
});

/** Fewer than one customer may have running and queued. */
const atOnce = 20;

/** These settings turn on all operations. */
const settings = { CONSOLE_COMMANDS: 'true', SECRETS_KEY: Buffer.alloc(32, 'faults').toString('base64') };

describe('the service under load', () => {
  it('answers 400 to bad input of every kind and still accepts the writes of other customers', async () => {
    const uri = testDatabaseUri();
    const program = await startProgram({
      ...settings,
      MONGODB_URI: uri,
      RATE_LIMIT_PER_MINUTE: '1000000',
      TICKETS_PER_DAY: '0',
    });
    const [badCaller = '', ...keys] = await addCustomers(uri, 11);
    const load = new Load({ urls: [program.url], keys });
    const answerTo = async ({ label, path, ...request }: BadRequest) => {
      const { status, body } = await callApi(program.url, path, { key: badCaller, ...request });
      return `${label}: ${status} ${body.error.code}`;
    };
    const requests = [...spoiled, ...broken];
    const rounds = 5;
    for (let round = 0; round < rounds; round += 1) {
      const answers = await mapWithin(atOnce, requests, answerTo);
      expect(answers.filter((answer) => !answer.endsWith(': 400 bad_request'))).to.deep.equal([]);
    }
    await load.acknowledges(100);
    const figures = { 'bad inputs tried': rounds * requests.length };
    await endInOrder('bad input of every kind', { load, uri, program, figures });
    await program.stop();
  });
});
