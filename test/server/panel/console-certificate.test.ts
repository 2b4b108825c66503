/** A console over TLS: a node with an untrusted certificate gets no token. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { readConsoleSocket } from '../../../server/panel/console-socket.ts';
import { times } from './start-console-test.ts';

/** Of the right address, 127.0.0.1, for a hundred years, and signed by itself. */
const certificate = [
  'MIIBlzCCATygAwIBAgIUbuG2qoORwldFwe94ZioxHvG2DwgwCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwMbm9kZS5l',
  'eGFtcGxlMCAXDTI2MTEyNDIyMTA1NVoYDzIxMjYxMDMxMjIxMDU1WjAXMRUwEwYDVQQDDAxub2RlLmV4YW1wbGUw',
  'WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASYR7yOWAlB8xwV2fl/3eQD6oKYJtPlWcirr9MjLVcaxfSTXeZ5RHhr',
  'q365yN/hvSXmN4X+AmMOFoeuNeMXBOUqo2QwYjAdBgNVHQ4EFgQUyocWSZWleBDOCmXGkALF3BbUaDowHwYDVR0j',
  'BBgwFoAUyocWSZWleBDOCmXGkALF3BbUaDowDwYDVR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqG',
  'SM49BAMCA0kAMEYCIQCULLcRjIsjuRSdttR2jmRHRjZuuGdtFabE/BHb4yclOAIhANpZEDpJxpiO3gGn/diVW96n',
  'hYhfWv/Y/LXV8S8RUUKL',
].join('');
const key = [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnkr8mPBUxzRaLrUbShj5+OHpOvSs/MnngLqiwgyi',
  'dF6hRANCAASYR7yOWAlB8xwV2fl/3eQD6oKYJtPlWcirr9MjLVcaxfSTXeZ5RHhrq365yN/hvSXmN4X+AmMOFoeu',
  'NeMXBOUq',
].join('');
const pem = (what: string, base64: string) =>
  ['-----BEGIN', ` ${what}-----\n${base64.replace(/(.{64})/g, '$1\n')}\n-----END`, ` ${what}-----\n`].join(
    '',
  );

describe('panel client: the console of a node with a wrong certificate', () => {
  it('is 502, and the node gets no request, and so no token', async () => {
    let upgrades = 0;
    const node = createServer({ key: pem('PRIVATE KEY', key), cert: pem('CERTIFICATE', certificate) });
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
