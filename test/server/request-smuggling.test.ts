/** Requests whose end two readers could see in different places: a proxy before us and we never disagree to anybody's gain. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { useService } from '../support/service.ts';

const smuggled = 'GET /api/v1/smuggled HTTP/1.1\r\nHost: gamehost\r\n\r\n';
const head = 'POST /api/v1/tickets HTTP/1.1\r\nHost: gamehost\r\nContent-Type: application/json\r\n';
const length = smuggled.length;

/** What stands between the head and the body in which a request is hidden. */
const shapes: Record<string, string> = {
  'two lengths': `Content-Length: 2\r\nContent-Length: ${length}\r\n\r\n`,
  'two lengths in one': `Content-Length: 2, ${length}\r\n\r\n`,
  'a length and chunks': `Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks and a length': `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  'a length with a sign': 'Content-Length: +2\r\n\r\n{}',
  'a length in hexadecimal': 'Content-Length: 0x2\r\n\r\n{}',
  'a length that is negative': 'Content-Length: -1\r\n\r\n',
  'a length with a space before the colon': 'Content-Length : 2\r\n\r\n{}',
  'a folded length': `Content-Length:\r\n ${length}\r\n\r\n`,
  'an encoding with a space before the colon': 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
  'an encoding that is none': `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'chunks that are not last': `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  'a hidden encoding': `X-A: a\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  'a hidden end of the head': `X-A: a\r\r\nContent-Length: 2\r\n\r\n{}`,
  'a chunk size with a sign': 'Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n',
  'a chunk size beyond counting': 'Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n',
  'a chunk without its end': 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n',
};

describe('request smuggling', () => {
  const service = useService({ logLevel: 'info' });

  for (const [shape, rest] of Object.entries(shapes))
    it(`one refusal, a closed connection, and no response to the hidden request: ${shape}`, async () => {
      const { hostname, port } = new URL(service.url);
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(head + rest + smuggled);
      const answers = await text(socket); // to the end of the connection
      // A head that stands may be answered, for want of a key, before its body is found to be none.
      expect(answers.match(/HTTP\/1\.1 \d{3}/g)?.join()).to.be.oneOf(['HTTP/1.1 400', 'HTTP/1.1 401']);
      expect(service.logLines.join()).not.to.include('smuggled');
    });
});
