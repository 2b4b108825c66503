/** nginx holds as many calls as the service accepts while the service works on them. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { startNginx } from '../support/nginx.ts';
import { useStarted } from '../support/use-started.ts';

/** The limit in nginx.conf: more requests of one network are refused. */
const connectionsOfNetwork = 200;
const ofTwoProcesses = 2000;

describe('nginx in front of slow services', () => {
  const held: ServerResponse[] = [];
  let service: Server;

  before(async () => {
    service = createServer(({ url }, response) => (url === '/held' ? held.push(response) : response.end()));
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
  });
  after(() => service.close());
  const nginx = useStarted(() => {
    const { port } = service.address() as AddressInfo; // a listening TCP server has one
    return startNginx(`http://127.0.0.1:${port}`);
  });

  it('holds as many calls as two processes accept, and resets none', async () => {
    const calls: Promise<unknown[]>[] = [];
    for (let network = 1; calls.length < ofTwoProcesses; network += 1) {
      const options = { localAddress: `127.0.1.${network}`, agent: false };
      const more = Array.from({ length: connectionsOfNetwork }, () => get(`${nginx.url}/held`, options));
      calls.push(...more.map((request) => once(request, 'response')));
      const areHeld = eventually(async () => expect(held).to.have.lengthOf(calls.length));
      await Promise.race([areHeld, Promise.all(calls)]);
    }
    for (const response of held) response.end();
    const answers = (await Promise.all(calls)) as [IncomingMessage][]; // as Node emits it
    expect(answers.map(([{ statusCode }]) => statusCode)).to.deep.equal(calls.map(() => 200));
  });
});
