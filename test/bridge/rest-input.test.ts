/** Accepted paths and queries, and the messages that refuse all others. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { requestOf, sendRaw } from '../support/raw-http.ts';
import { useSamples } from '../support/use-key.ts';

describe('the input of a REST request', () => {
  const service = useSamples({ rateLimitPerMinute: 1_000_000 });

  /** Sends a path unchanged: a real client would normalize it. */
  const send = (method: string, path: string, body?: object) => {
    const text = body ? JSON.stringify(body) : '';
    const headers = body && { 'Content-Type': 'application/json', 'Content-Length': String(text.length) };
    return sendRaw(
      service.url,
      requestOf(`${method} /api/v1${path} HTTP/1.1`, { 'X-API-Key': service.key, ...headers }, text),
    );
  };

  describe('in the query', () => {
    const refused: [query: string, message: string][] = [
      ['page=0', 'page must be at least 1'],
      ['page=-1', 'page must be at least 1'],
      ['page=abc', 'page must be an integer'],
      ['page=', 'page must be an integer'],
      ['page', 'page must be an integer'],
      ['page=1.5', 'page must be an integer'],
      ['page=1e3', 'page must be an integer'],
      ['page=0x1', 'page must be an integer'],
      ['page=01', 'page must be an integer'],
      ['page=%2B1', 'page must be an integer'],
      ['page=%201', 'page must be an integer'],
      ['page=9007199254740993', 'page must be at most 9007199254740991'],
      [`page=${'9'.repeat(300)}`, 'page must be at most 9007199254740991'],
      [`page=${'9'.repeat(400)}`, 'page must be an integer'],
      ['per_page=0', 'per_page must be at least 1'],
      ['per_page=101', 'per_page must be at most 100'],
      ['page=0&per_page=101', 'page must be at least 1; per_page must be at most 100'],
      ['page=1&page=1', 'page must be given once'],
      ['surprise=1&surprise=2', 'surprise must be given once'],
      ['page[]=1', 'page[] is not a known field'],
      ['page[$gt]=1', 'page[$gt] is not a known field'],
      ['page=1;per_page=2', 'page must be an integer'],
      ['__proto__=1', '__proto__ is not a known field'],
      ['constructor=1', 'constructor is not a known field'],
      ['=1', '"" is not a known field'],
      ['a%00b%0a=1', 'a\\u0000b\\n is not a known field'],
      ['a%00=1&a%00=2', 'a\\u0000 must be given once'],
      [`${'x'.repeat(500)}=1`, `${'x'.repeat(64)} is not a known field`],
      [`${'x'.repeat(500)}=1&${'x'.repeat(500)}=2`, `${'x'.repeat(64)} must be given once`],
    ];
    for (const [query, message] of refused)
      it(`is refused with 400 bad_request when it is ?${query.slice(0, 60)}`, async () => {
        expectError(await send('GET', `/announcements?${query}`), 'bad_request', message);
      });

    it('is accepted when it is valid or empty', async () => {
      for (const query of ['', '?', '?&', '?page=1', '?per_page=100', '?page=9007199254740991&per_page=1'])
        expect((await send('GET', `/announcements${query}`)).status, query).to.equal(200);
    });

    it('is refused with 400 bad_request when it is a field of the body', async () => {
      const answer = await send('POST', '/servers/sample/power?signal=start', {});
      expectError(answer, 'bad_request', 'signal must be sent in the JSON body');
    });
  });

  describe('with a ticket id in the path', () => {
    const refused: [id: string, message: string][] = [
      ['0', 'ticket_id must be at least 1'],
      ['-1', 'ticket_id must be at least 1'],
      ['-0', 'ticket_id must be at least 1'],
      ['9007199254740992', 'ticket_id must be at most 9007199254740991'],
      ['99999999999999999999999999', 'ticket_id must be at most 9007199254740991'],
      ...'abc 1.0 1.5 1e0 0x1 01 +1 %201 1%00 NaN Infinity $ne .. %2e%2e'
        .split(' ')
        .map((id): [string, string] => [id, 'ticket_id must be an integer']),
    ];
    it('is refused with 400 bad_request when the id is out of range or not a plain integer', async () => {
      for (const [id, message] of refused)
        expectError(await send('POST', `/tickets/${id}/reply`, { message: 'Hello' }), 'bad_request', message);
    });

    it('gets 404 not_found for the greatest possible id', async () => {
      const answer = await send('POST', '/tickets/9007199254740991/reply', { message: 'Hello' });
      expectError(answer, 'not_found', 'Ticket not found');
    });

    it('is refused with 400 bad_request when the body repeats the id', async () => {
      const answer = await send('POST', '/tickets/1/reply', { ticket_id: 1, message: 'Hello' });
      expectError(answer, 'bad_request', 'ticket_id is part of the path and must not be sent again');
    });

    it('is accepted when the digits are percent-encoded', async () => {
      expect((await send('POST', '/tickets/%31/reply', { message: 'Hello' })).status).to.equal(201);
    });
  });

  describe('with a name in the path', () => {
    const unknown = '. .. %2e %2e%2e %2E%2E%2F ..%2f.. ..%5c.. %2F %zz % %ED%A0%80 $ne __proto__ a;b *';
    it('gets 404 not_found without a call of the panel when the name is unknown, whatever it looks like', async () => {
      service.panel.forget();
      for (const name of [...unknown.split(' '), 'SAMPLE', 'sample%20', '%C3%BC', 'x'.repeat(100)]) {
        const power = await send('POST', `/servers/${name}/power`, { signal: 'start' });
        expectError(power, 'not_found', 'Server not found; take its identifier from the list of servers');
        expectError(await send('GET', `/catalog/games/${name}`), 'not_found', 'Game not found');
      }
      expect(service.panel.requests.filter(({ method }) => method !== 'GET')).to.deep.equal([]);
    });

    const refused: [name: string, rule: string][] = [
      ['a%00b', 'must not contain NUL characters'],
      ['%20', 'must not be empty'],
      ['x'.repeat(101), 'must be at most 100 characters'],
    ];
    it('is refused with 400 bad_request when the name is impossible', async () => {
      for (const [name, rule] of refused) {
        const power = await send('POST', `/servers/${name}/power`, { signal: 'start' });
        expectError(power, 'bad_request', `server_identifier ${rule}`);
        expectError(await send('GET', `/catalog/games/${name}`), 'bad_request', `slug ${rule}`);
      }
    });

    it('is refused with 400 bad_request when the query repeats the name', async () => {
      const answer = await send('GET', '/catalog/games/sample?slug=other');
      expectError(answer, 'bad_request', 'slug is part of the path and must not be sent again');
    });
  });
});
