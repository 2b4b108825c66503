/** A console over TLS: a node with an untrusted certificate gets no token. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { readConsoleSocket } from '../../../server/panel/console-socket.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { times } from './start-console-test.ts';

describe('panel client: the console of a node with a wrong certificate', () => {
  it('is 502, and the node gets no request, and so no token', async () => {
    let upgrades = 0;
    const node = createServer(selfSigned);
    node.on('upgrade', () => {
      upgrades += 1;
    });
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    const { port } = node.address() as AddressInfo; // a listening TCP server has one
    const access = { token: 'token', socket: `wss://127.0.0.1:${port}/` };
    const settings = { url: 'https://panel.example', consoleTimes: times };
    const failure = await readConsoleSocket(access, settings).catch((error: unknown) => error);
    expect(String(failure)).to.match(/node .*self-signed certificate/);
    expect(upgrades).to.equal(0);
    await new Promise((resolve) => node.close(resolve));
  });
});
