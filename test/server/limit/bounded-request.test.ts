/** The memory that the HTTP server holds for unread requests, and for those whose client leaves. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { createHttpServer } from '../../../server/http/server.ts';
import { receiveBody } from '../../../server/limit/bounded-request.ts';
import { eventually } from '../../support/eventually.ts';
import { failureOf } from '../../support/failure-of.ts';
import { listenLocally } from '../../support/local-server.ts';
import { useStarted } from '../../support/use-started.ts';

describe('an unread request', () => {
  const received: IncomingMessage[] = [];
  const server = useStarted(() => listenLocally(createHttpServer((req) => received.push(req))));

  /** A request whose client has sent these bytes. */
  const receive = async (bytes: string) => {
    const client = connect(server.port, '127.0.0.1').on('error', () => {});
    client.write(bytes);
    await eventually(async () => expect(received).to.have.lengthOf(1));
    return { client, req: received.splice(0)[0] as IncomingMessage }; // there is one
  };
  const tinyChunks = (count: number) =>
    `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(count)}`;

  it('keeps a body of tiny chunks complete in a few buffers, because each chunk costs a hundred bytes more', async () => {
    const { req } = await receive(`${tinyChunks(900)}0\r\n\r\n`);
    await eventually(async () => expect(req.complete).to.equal(true));
    const pieces: Buffer[] = [];
    await once(
      req.on('data', (piece) => pieces.push(piece)),
      'end',
    );
    expect(Buffer.concat(pieces).toString()).to.equal('x'.repeat(900));
    expect(pieces.length).to.be.below(10);
  });

  it('keeps at most a thousand tiny chunks', async () => {
    const { req } = await receive(tinyChunks(10_000));
    await eventually(async () => expect(req.readableLength).to.be.above(900));
    expect(req.readableLength).to.be.at.most(1001);
  });

  it('ends and keeps nothing if its client leaves before the body has arrived', async () => {
    const { client, req } = await receive('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{');
    client.resetAndDestroy();
    await eventually(async () => expect(req.destroyed).to.equal(true));
    const { message } = await failureOf(receiveBody(req, 100, () => null));
    expect(message).to.equal('The body could not be read to the end');
  });
});
