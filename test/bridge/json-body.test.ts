/** Accepted bodies of writes, and the messages that refuse all others. */
import { expect } from 'chai';
import { canOmitBody, takesBody } from '../../bridge/rest/input.ts';
import { bodyBytesMax } from '../../models/bounds.ts';
import { expectError } from '../support/expect-error.ts';
import { requestOf, sendRaw } from '../support/raw-http.ts';
import { apiOperations, sampleOf } from '../support/samples.ts';
import { useSamples } from '../support/use-key.ts';

const json = { 'Content-Type': 'application/json' };
const right = JSON.stringify({ title: 'Lag', message: 'Since noon.' });

describe('the body of a write', () => {
  const service = useSamples({ rateLimitPerMinute: 1_000_000 });

  const post = (path: string, body?: string | Buffer, headers: Record<string, string> = {}) =>
    sendBody(`POST ${path}`, body, headers);
  const sendBody = (target: string, body?: string | Buffer, headers: Record<string, string> = {}) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const head = requestOf(`${target.replace(' ', ' /api/v1')} HTTP/1.1`, {
      'X-API-Key': service.key,
      ...length,
      ...headers,
    });
    return sendRaw(service.url, Buffer.concat([Buffer.from(head), Buffer.from(body ?? '')]));
  };

  const missing = 'The body is missing; send a JSON object';
  const notAnObject = 'The body must be a JSON object';
  const refused: [what: string, body: string | undefined, message: string][] = [
    ['missing', undefined, missing],
    ['empty', '', missing],
    ['only white space', ' \r\n\t', 'The body is empty; send a JSON object'],
    ['cut off', '{"title":', 'The body is not valid JSON'],
    ['two objects', '{}{}', 'The body is not valid JSON'],
    ['JavaScript', "{title: 'Lag'}", 'The body is not valid JSON'],
    ['an array', `[${right}]`, notAnObject],
    ['a string', '"Lag"', notAnObject],
    ['a number', '7', notAnObject],
    ['null', 'null', notAnObject],
  ];
  for (const [what, body, message] of refused)
    it(`is refused with 400 bad_request when it is ${what}`, async () => {
      expectError(await post('/tickets', body, json), 'bad_request', message);
    });

  it('is refused with 400 bad_request when an operation needs it and it is missing or null', async () => {
    for (const row of apiOperations.filter((each) => takesBody(each) && !canOmitBody(each))) {
      const target = `${row.method} ${sampleOf(row).path}`;
      expectError(await sendBody(target, undefined, json), 'bad_request', missing);
      expectError(await sendBody(target, 'null', json), 'bad_request', notAnObject);
    }
  });

  describe('with its Content-Type', () => {
    it('is accepted as application/json in any spelling', async () => {
      for (const type of [
        'application/json',
        'application/json; charset=utf-8',
        'Application/JSON;Charset="UTF-8"',
        'application/json; profile=x; charset=utf8',
      ])
        expect((await post('/tickets', right, { 'Content-Type': type })).status, type).to.equal(201);
    });

    it('is refused with 400 bad_request when that is missing or another', async () => {
      const others = [
        'text/plain',
        'text/json',
        'application/jsonp',
        'application/x-www-form-urlencoded',
        'json',
      ];
      for (const headers of [{}, ...others.map((type) => ({ 'Content-Type': type }))])
        expectError(
          await post('/tickets', right, headers),
          'bad_request',
          'Content-Type must be application/json',
        );
    });

    it('is refused with 400 bad_request in another charset', async () => {
      const answer = await post('/tickets', right, { 'Content-Type': 'application/json; charset=latin1' });
      expectError(answer, 'bad_request', 'The body must be UTF-8');
    });
  });

  describe('as bytes', () => {
    it('is refused with 400 bad_request when it is not UTF-8', async () => {
      const answer = await post('/tickets', Buffer.from(right.replace('Lag', 'L\xe4g'), 'latin1'), json);
      expectError(answer, 'bad_request', 'The body must be valid UTF-8');
    });

    it('is refused with 400 bad_request when it is compressed', async () => {
      const answer = await post('/tickets', right, { ...json, 'Content-Encoding': 'gzip' });
      expectError(answer, 'bad_request', 'The body must not be compressed');
    });

    it('is accepted with a byte-order mark before the object', async () => {
      expect((await post('/tickets', `\uFEFF${right}`, json)).status).to.equal(201);
    });

    it('is accepted at the size limit', async () => {
      expect((await post('/tickets', right.padEnd(bodyBytesMax), json)).status).to.equal(201);
    });
  });

  describe('around the size limit', () => {
    const message = 'The body must be at most 262144 bytes';
    const head = (headers: Record<string, string>) =>
      requestOf('POST /api/v1/tickets HTTP/1.1', {
        'X-API-Key': service.key,
        Connection: 'keep-alive',
        ...json,
        ...headers,
      });
    const inChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

    it('is refused unread with 413 payload_too_large by its Content-Length, and the connection is closed', async () => {
      const answer = await sendRaw(service.url, head({ 'Content-Length': String(bodyBytesMax + 1) }));
      expectError(answer, 'payload_too_large', message);
      expect(answer.headers.get('Connection')).to.equal('close');
    });

    it('is refused with 413 payload_too_large once its chunks exceed the limit, and the connection is closed', async () => {
      const request = head({ 'Transfer-Encoding': 'chunked' }) + inChunk('x'.repeat(bodyBytesMax + 1));
      const answer = await sendRaw(service.url, request);
      expectError(answer, 'payload_too_large', message);
      expect(answer.headers.get('Connection')).to.equal('close');
    });

    it('is accepted in chunks when they are within the limit', async () => {
      const chunks = inChunk(right.slice(0, 9)) + inChunk(right.slice(9));
      const headers = { 'Transfer-Encoding': 'chunked', Connection: 'close' };
      expect((await sendRaw(service.url, `${head(headers)}${chunks}0\r\n\r\n`)).status).to.equal(201);
    });

    it('is refused with 400 bad_request when its chunks are empty', async () => {
      const headers = { 'Transfer-Encoding': 'chunked', Connection: 'close' };
      const answer = await sendRaw(service.url, `${head(headers)}0\r\n\r\n`);
      expectError(answer, 'bad_request', 'The body is empty; send a JSON object');
    });

    it('gets one error envelope when a chunk is malformed', async () => {
      const answer = await sendRaw(service.url, `${head({ 'Transfer-Encoding': 'chunked' })}zz\r\n`);
      expectError(answer, 'bad_request', 'The request is not valid HTTP');
    });
  });

  it('is read only after the caller is authorized: 403 comes before 413', async () => {
    const { secret } = await service.addKey({ scopes: [] });
    const headers = { ...json, 'Content-Length': String(bodyBytesMax + 1), 'X-API-Key': secret };
    const answer = await sendRaw(service.url, requestOf('POST /api/v1/tickets HTTP/1.1', headers));
    expectError(
      answer,
      'insufficient_scope',
      'This key lacks the scope write:tickets: create a key with it at /account#keys',
    );
  });
});
