import { expect, test } from 'vitest'
import { placeOf, placeText } from './place.ts'

test.each([
  ['example.org:443', 'example.org:443'],
  ['EXAMPLE.org.:443', 'example.org:443'],
  ['xn--bcher-kva.example:8443', 'xn--bcher-kva.example:8443'],
  ['93.184.216.34:80', '93.184.216.34:80'],
  ['[2606:4700::1111]:443', '[2606:4700::1111]:443'],
  ['my_host.example:443', 'my_host.example:443'],
  ['example.org', 'example.org:80'],
])('%s is a place', (text, expected) => {
  const place = placeOf(text, 80)
  expect(place && placeText(place)).toBe(expected)
})

test.each([
  'example.org\0.evil.test:443',
  'example.org%00.evil.test:443',
  'example.org%2eevil.test:443',
  'bücher.example:443',
  'example。org:443',
  '①②⑦.0.0.1:80',
  'user@example.org:443',
  'user:pass@example.org:443',
  'example.org:443:443',
  'example.org:0',
  'example.org:65536',
  'example.org: 443',
  'exa mple.org:443',
  'example.org/path:443',
  'example.org\\.evil.test:443',
  'example.org\r\nHost: evil.test:443',
  '-example.org:443',
  'example..org:443',
  '.example.org:443',
  `${'a'.repeat(64)}.org:443`,
  `${'a.'.repeat(130)}org:443`,
  '2130706433:80',
  '0x7f000001:80',
  '0x7f.1:80',
  '127.1:80',
  '0177.0.0.1:80',
  '1.2.3.4.5:80',
  '[::1%eth0]:80',
  '[::1:80',
  '::1:80',
  '[127.0.0.1]:80',
  '',
  ':443',
])('%j is none', (text) => expect(placeOf(text, 80)).toBeUndefined())
