/** Any input, however malformed, gets an answer below 500 in the error envelope. */
import { expect } from 'chai';
import fc from 'fast-check';
import { takesBody } from '../../bridge/rest/input.ts';
import { errorTable } from '../../routers/errors.ts';
import { addSamples, apiOperations, type Sample, sampleOf, withQuery } from '../support/samples.ts';
import { type Answer, useService } from '../support/service.ts';

const knownStatuses = new Set<number>(Object.values(errorTable).map(({ status }) => status));

/** Includes fragments that have broken servers before. */
const nastyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '\udfff\ud800',
    '__proto__',
    'constructor',
    '$ne',
    '$where',
    'a.b',
    '..',
    '𝒳',
    '\u202e',
  ),
);

const nastyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }),
  nastyText,
  fc.constantFrom(2 ** 53, -0, 1e308, -1, 1.5, null, true),
  fc.dictionary(nastyText, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
);

/** Each run tries other inputs; the nightly run tries many more. */
const thoroughness = Number(process.env['FUZZ_THOROUGHNESS'] ?? 1);

describe('the API on malformed input', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let key: string;

  before(async () => {
    ({ key } = await addSamples(service));
    // No archive exists at this address, so delete_files is refused with 400.
    service.panel.nodeScript.archiveUrl = `${service.url}/no-archive`;
  });
  afterEach('logs no failure of the service', () => {
    expect(service.logLines).to.deep.equal([]);
  });

  function expectOurs(answer: Answer): void {
    if (answer.status < 300) return;
    expect(knownStatuses).to.include(answer.status);
    expect(answer.status, answer.text).to.be.below(500);
    expect(Object.keys(answer.body)).to.deep.equal(['error']);
    expect(Object.keys(answer.body.error)).to.deep.equal(['code', 'message']);
    expect(answer.body.error.message).to.be.a('string').that.is.not.empty;
    expect(answer.body.error.message.isWellFormed()).to.equal(true);
  }

  /** The panel's server refuses everything while it is being reinstalled. */
  function endInstallations(): void {
    for (const server of [...service.panel.servers.values()].flat())
      if (server['status'] === 'installing') server['status'] = null;
  }

  const send = ({ method, path, body }: Sample) => service.call(method, path, { key, body });

  for (const row of apiOperations) {
    const sample = sampleOf(row);

    describe(`${row.method} ${row.path}`, () => {
      if (!takesBody(row))
        it('answers any query with a status below 500 in the error envelope', async () => {
          const query = fc.array(
            fc.tuple(fc.oneof(nastyText, fc.constantFrom(...Object.keys(row.input.shape), 'x')), nastyText),
            { maxLength: 3 },
          );
          await fc.assert(
            fc.asyncProperty(query, async (pairs) => {
              const search = new URLSearchParams(pairs);
              expectOurs(await send({ ...sample, path: withQuery(sample.path, String(search)) }));
            }),
            { numRuns: 4 * thoroughness },
          );
        });

      if (takesBody(row))
        it('answers any body with a status below 500 in the error envelope', async () => {
          const fields = fc.record(
            Object.fromEntries(Object.keys(sample.body ?? {}).map((field) => [field, nastyJson])),
            { requiredKeys: [] },
          );
          const body = fc.oneof(
            fields.map((some) => ({ ...sample.body, ...some })),
            fc.dictionary(nastyText, nastyJson),
            nastyJson,
          );
          await fc.assert(
            fc.asyncProperty(body, async (any) => {
              expectOurs(await service.call(row.method, sample.path, { key, body: JSON.stringify(any) }));
              endInstallations();
            }),
            { numRuns: 8 * thoroughness },
          );
        });

      if (row.pathParameters.length > 0)
        it('answers any path with a status below 500 in the error envelope', async () => {
          await fc.assert(
            fc.asyncProperty(nastyText, async (text) => {
              const path = row.path.replace(
                /\{\w+\}/g,
                encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2e'),
              );
              expectOurs(await send({ ...sample, path }));
            }),
            { numRuns: 5 * thoroughness },
          );
        });
    });
  }

  it('refuses bytes that are not JSON (400 bad_request)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
        const response = await fetch(`${service.url}/api/v1/tickets`, {
          method: 'POST',
          headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
          body: bytes,
        });
        expect(response.status).to.equal(400);
        expect(await response.json()).to.have.nested.property('error.code', 'bad_request');
      }),
      { numRuns: 8 * thoroughness },
    );
  });
});
