/** Who counts as one when tries at passwords are counted by address. */
import { expect } from 'chai';
import { networkOf } from '../../../server/account/network-of.ts';

describe('networkOf', () => {
  const examples = {
    '203.0.113.7': '203.0.113.7',
    '::ffff:203.0.113.7': '203.0.113.7',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:0db8:0001:0002::1': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '::1': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '': '',
  };
  for (const [address, network] of Object.entries(examples))
    it(`${address || 'no address'} belongs to ${network || 'nobody'}`, () => {
      expect(networkOf(address)).to.equal(network);
    });
});
