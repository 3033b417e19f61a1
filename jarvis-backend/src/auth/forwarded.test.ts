import { expect, test } from 'vitest'
import { createClientAddress } from './client-address.ts'
import { forwardedHops } from './forwarded.ts'

test.each<[string, ReturnType<typeof forwardedHops>]>([
  ['for=192.0.2.60;proto=http;by=203.0.113.43', [{ for: '192.0.2.60' }]],
  ['For="[2001:db8:cafe::17]:4711"', [{ for: '[2001:db8:cafe::17]:4711' }]],
  [
    'for=192.0.2.43, for=198.51.100.17;host=jarvis.home',
    [{ for: '192.0.2.43' }, { for: '198.51.100.17', host: 'jarvis.home' }],
  ],
  ['for="a, b\\"c";host="x:8443"', [{ for: 'a, b"c', host: 'x:8443' }]],
  ['for=unknown,for=_hidden', [{ for: 'unknown' }, { for: '_hidden' }]],
  ['', []],
  ['no header', []],
  ['for="192.0.2.1', []],
])('%s', (header, hops) => {
  expect(forwardedHops(header)).toEqual(hops)
})

const addressOf = createClientAddress(['10.0.0.2', '10.0.0.3'])
test.each<[string, string, Record<string, string>, string]>([
  ['a trusted proxy names the client', '10.0.0.2', { forwarded: 'for=192.0.2.1' }, '192.0.2.1'],
  ['with a port and IPv6', '10.0.0.2', { forwarded: 'for="[2001:db8::1]:4711"' }, '2001:db8::1'],
  ['two trusted proxies', '10.0.0.2', { forwarded: 'for=192.0.2.1, for=10.0.0.3' }, '192.0.2.1'],
  ['what the client forged stands further left', '10.0.0.2', { forwarded: 'for=1.1.1.1, for=192.0.2.1' }, '192.0.2.1'],
  ['another peer is not believed', '192.0.2.9', { forwarded: 'for=192.0.2.1' }, '192.0.2.9'],
  ['a hidden name is no address', '10.0.0.2', { forwarded: 'for=_hidden' }, '10.0.0.2'],
  ['a broken header is none', '10.0.0.2', { forwarded: 'for="192.0.2.1' }, '10.0.0.2'],
  ['X-Forwarded-For goes first', '10.0.0.2', { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '192.0.2.1' }, '192.0.2.1'],
])('%s', (_, remoteAddress, headers, address) => {
  expect(addressOf({ headers, socket: { remoteAddress } as never }).address).toBe(address)
})
