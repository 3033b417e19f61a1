import { expect, test } from 'vitest'
import { createClientAddress, networkOf } from './client-address.ts'

const ask = (peer: string, forwarded?: string, trusted: string[] = []) =>
  createClientAddress(trusted)({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    socket: { remoteAddress: peer },
  } as never)

test.each([
  ['nobody in between', '203.0.113.7', undefined, [], '203.0.113.7'],
  ['an IPv4 address in IPv6 form', '::ffff:203.0.113.7', undefined, [], '203.0.113.7'],
  ['a header from a peer that is no proxy', '203.0.113.7', '10.0.0.1', ['10.9.9.9'], '203.0.113.7'],
  ['a proxy', '10.9.9.9', '203.0.113.7', ['10.9.9.9'], '203.0.113.7'],
  ['what the client wrote before the proxy did', '10.9.9.9', '127.0.0.1, 203.0.113.7', ['10.9.9.9'], '203.0.113.7'],
  ['two proxies', '::1', '203.0.113.7, 10.9.9.9', ['::1', '10.9.9.9'], '203.0.113.7'],
  ['a proxy that writes the port', '::1', '203.0.113.7:4711', ['::1'], '203.0.113.7'],
  ['a proxy that writes the port of IPv6', '::1', '[2001:db8::7]:4711', ['::1'], '2001:db8::7'],
  ['a proxy that writes no address', '10.9.9.9', 'unknown', ['10.9.9.9'], '10.9.9.9'],
])('%s', (_what, peer, forwarded, trusted, address) => {
  expect(ask(peer, forwarded, trusted).address).toBe(address)
})

test.each([
  ['127.0.0.1', undefined, true],
  ['::ffff:127.0.0.9', undefined, true],
  ['127.0.0.1', '203.0.113.7', false],
  ['203.0.113.7', undefined, false],
])('%s forwarding %s is this machine: %s', (peer, forwarded, is) => {
  expect(ask(peer, forwarded).isThisMachine).toBe(is)
})

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9%eth0', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['127.0.0.9', 'loopback'],
  ['::1', 'loopback'],
])('%s belongs to %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
