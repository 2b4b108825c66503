/** What the HTTP server keeps of requests that are not read, and of those whose client leaves. */
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { receiveBody } from '../../../server/http/request.ts';
import { createHttpServer } from '../../../server/http/server.ts';
import { eventually } from '../../support/eventually.ts';
import { failureOf } from '../../support/failure-of.ts';

describe('an HTTP server keeps of a request that is not read', () => {
  let server: Server;
  const received: IncomingMessage[] = [];

  before(async () => {
    server = createHttpServer((req) => received.push(req));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const receive = async (bytes: string): Promise<IncomingMessage> => {
    const { port } = server.address() as AddressInfo; // it listens on a port
    connect(port, '127.0.0.1')
      .on('error', () => {})
      .write(bytes);
    await eventually(async () => expect(received).to.have.lengthOf(1));
    return received.splice(0)[0] as IncomingMessage; // there is one
  };
  const tinyChunks = (count: number) =>
    `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(count)}`;

  it('a body of tiny chunks whole and in few pieces, as each takes a hundred bytes more', async () => {
    const req = await receive(`${tinyChunks(900)}0\r\n\r\n`);
    await eventually(async () => expect(req.complete).to.equal(true));
    const pieces: Buffer[] = [];
    await once(
      req.on('data', (piece) => pieces.push(piece)),
      'end',
    );
    expect(Buffer.concat(pieces).toString()).to.equal('x'.repeat(900));
    expect(pieces.length).to.be.below(10);
  });

  it('no more than a thousand tiny chunks', async () => {
    const req = await receive(tinyChunks(10_000));
    await eventually(async () => expect(req.readableLength).to.be.above(900));
    expect(req.readableLength).to.be.at.most(1001);
  });

  it('nothing, when its client left before the body was received: the request ends', async () => {
    const { port } = server.address() as AddressInfo; // it listens on a port
    const client = connect(port, '127.0.0.1');
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{');
    await eventually(async () => expect(received).to.have.lengthOf(1));
    const req = received.splice(0)[0] as IncomingMessage; // there is one
    client.resetAndDestroy();
    await eventually(async () => expect(req.destroyed).to.equal(true));
    const { message } = await failureOf(receiveBody(req, 100, () => true));
    expect(message).to.equal('The body could not be read to its end');
  });
});
