/** Where the host of an app's metadata document is, as the name servers of the app's author say it. */
import { createSocket, type Socket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ask, authorizeUrl } from '../../support/oauth-app.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const addressQuestion = 1;

/** The name and the type of a question, and the bytes that ask it. */
function readQuestion(message: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), bytes: message.subarray(12, at + 5) };
}

/** An answer with one IPv4 address, or with none to another question. */
function answerTo(message: Buffer, address: string): Buffer {
  const { type, bytes } = readQuestion(message);
  const count = type === addressQuestion ? 1 : 0;
  const header = Buffer.from([...message.subarray(0, 2), 0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0]);
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)];
  return Buffer.concat([header, bytes, Buffer.from(count ? record : [])]);
}

describe("the host of an app's metadata document", () => {
  let service: TestService;
  let nameServer: Socket;
  let asked: string[];
  /** Null: the name server never answers. */
  let address: string | null;
  const configured = dns.getServers();

  before(async () => {
    service = await startTestService({ hasApps: true });
    nameServer = createSocket('udp4').bind(0, '127.0.0.1');
    nameServer.on('message', (message, { port }) => {
      asked.push(readQuestion(message).name);
      if (address !== null) nameServer.send(answerTo(message, address), port, '127.0.0.1');
    });
    await once(nameServer, 'listening');
    dns.setServers([`127.0.0.1:${(nameServer.address() as AddressInfo).port}`]);
  });
  after(async () => {
    dns.setServers(configured);
    nameServer.close();
    await service.stop();
  });
  beforeEach(() => {
    asked = [];
  });

  const authorize = (host: string) =>
    ask(authorizeUrl(service, { clientId: `https://${host}/client` }, 'verifier'));

  it('400: is not connected to where its name leads to a private address', async () => {
    for (const each of ['127.0.0.1', '10.1.2.3', '169.254.169.254']) {
      address = each;
      const { status, text } = await authorize(`inside.${each}.example`);
      expect([status, text.includes('invalid_client')]).to.deep.equal([400, true]);
      expect(asked).to.include(`inside.${each}.example`);
    }
  });

  it('400: is given up where its name servers never answer, and holds no thread that others wait for', async () => {
    address = null;
    const hosts = ['a', 'b', 'c', 'd'].map((each) => `silent-${each}.example`);
    const answers = await Promise.all(hosts.map(authorize));
    expect(answers.map(({ status }) => status)).to.deep.equal([400, 400, 400, 400]);
    // The system's own lookup, which waits in a thread, asks other servers than these.
    expect(asked).to.include.members(hosts);
  });
});
