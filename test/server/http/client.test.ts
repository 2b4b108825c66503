/** Addresses of clients as proxies write them. */
import { expect } from 'chai';
import { clientAddress } from '../../../server/http/request.ts';

describe('an address in X-Forwarded-For', () => {
  const written = {
    '203.0.113.7': '203.0.113.7',
    '203.0.113.7:5678': '203.0.113.7',
    '[2001:db8::1]:5678': '2001:db8::1',
    '[2001:db8::1]': '2001:db8::1',
    '2001:db8::1': '2001:db8::1',
  };
  for (const [address, expected] of Object.entries(written))
    it(`counts ${address} as ${expected}`, () => {
      expect(clientAddress(address)).to.equal(expected);
    });
});
