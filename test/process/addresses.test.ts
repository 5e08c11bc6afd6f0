/** Networks in CIDR notation, and whether an address is in one of them. */
import { networks, senderOf } from '../../src/process/addresses';

describe('networks', () => {
  test.each<[string, string[], string, boolean]>([
    ['an address in it', ['203.0.113.0/24'], '203.0.113.255', true],
    ['an address beside it', ['203.0.113.0/24'], '203.0.114.0', false],
    ['a bare address', ['203.0.113.7'], '203.0.113.7', true],
    ['the one after a bare address', ['203.0.113.7'], '203.0.113.8', false],
    ['IPv6', ['2001:db8::/32'], '2001:db8:ffff::1', true],
    ['IPv6 beside it', ['2001:db8::/32'], '2001:db9::1', false],
    ['IPv6 written out', ['2001:db8::1'], '2001:0db8:0000:0000:0000:0000:0000:0001', true],
    ['IPv4 over IPv6', ['203.0.113.0/24'], '::ffff:203.0.113.9', true],
    ['IPv4 over IPv6 beside it', ['203.0.113.0/24'], '::ffff:203.0.114.9', false],
    ['the second of two', ['203.0.113.0/24', '198.51.100.0/24'], '198.51.100.1', true],
    ['none', [], '127.0.0.1', false],
    ['no address', ['203.0.113.0/24'], '', false],
    ['a name', ['203.0.113.0/24'], 'unknown', false],
    ['an address with a port', ['203.0.113.0/24'], '203.0.113.9:443', false],
    ['an address with more', ['203.0.113.0/24'], '203.0.113.9, 10.0.0.1', false],
  ])('%s', (_, list, address, holds) => expect(networks(list)(address)).toBe(holds));

  test.each(['0.0.0.0/0', '::/0', '203.0.113.0/33', 'gateway.example', '203.0.113', '1.2.3.4/255.0.255.0', '*'])(
    '%s is none',
    (network) => expect(() => networks([network])).toThrow(TypeError),
  );
});

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2ff:3:4:5:6', '2001:db8:1:200::/56'],
  ['2001:0DB8:1:3fe::', '2001:db8:1:300::/56'],
  ['2001:db8::6', '2001:db8:0:0::/56'],
  ['2001::2:3:4:5:6', '2001:0:0:0::/56'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/56'],
  ['::1', '0:0:0:0::/56'],
  ['fe80::1%eth0', 'fe80:0:0:0::/56'],
  ['203.0.113.9:443', '203.0.113.9:443'],
  ['unknown', 'unknown'],
  ['', ''],
])('%j counts as the sender %j', (address, sender) => expect(senderOf(address)).toBe(sender));
