/** The network whose requests and failed sign-ins are counted together for an address. */
import { expect } from 'chai';
import { networkOf } from '../../../server/limit/owner.ts';

describe('networkOf', () => {
  const examples = {
    '203.0.113.7': '203.0.113.7',
    '::ffff:203.0.113.7': '203.0.113.7',
    '::ffff:cb00:7107': '203.0.113.7',
    '0:0:0:0:0:FFFF:CB00:7107': '203.0.113.7',
    '64:ff9b::cb00:7107': '203.0.113.7',
    '2002:cb00:7107::1': '203.0.113.7',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:0db8:0001:0002::1': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8::/64',
    '::1': '::/64',
    'fe80::1%eth0': 'fe80::/64',
    '': '',
  };
  for (const [address, network] of Object.entries(examples))
    it(`maps ${address || 'an empty address'} to ${network || 'an empty network'}`, () => {
      expect(networkOf(address)).to.equal(network);
    });

  it('maps an IPv6 address to its /48 and an IPv4 address to itself for a site', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6', 48)).to.equal('2001:db8:1::/48');
    expect(networkOf('203.0.113.7', 48)).to.equal('203.0.113.7');
  });
});
