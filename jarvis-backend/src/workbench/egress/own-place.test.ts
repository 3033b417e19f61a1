import { expect, test } from 'vitest'
import { createIsOwnPlace } from './own-place.ts'

const isOwn = createIsOwnPlace({ port: 4000, publicUrl: 'https://jarvis.example.org/' })

test.each<[host: string, port: number, address: string | undefined, isOwn: boolean]>([
  ['jarvis.example.org', 443, undefined, true],
  ['rebound.example', 4000, '127.0.0.1', true],
  ['127.0.0.1', 4000, '127.0.0.1', true],
  ['rebound.example', 4000, '1.1.1.1', false],
  ['nas.lan', 8123, '127.0.0.1', false],
  ['nas.lan', 4000, undefined, false],
])('%s:%i at %s', (host, port, address, expected) => {
  expect(isOwn(host, port, address)).toBe(expected)
})
