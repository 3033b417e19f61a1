import { expect, test } from 'vitest'
import { reachOf } from './sites.ts'

const privates = ['router.lan:80', 'nas.lan:443']
const listed = (place: string) => (({ 'cdn.example.org:443': 'public', 'nas.lan:443': 'private' }) as const)[place]
const rules = { listed, isPrivate: (place: string) => privates.includes(place) }

test.each([
  ['evil.example:443', 'evil.example:443', 'public'],
  ['evil.example:443', 'cdn.example.org:443', 'public'],
  ['evil.example:443', 'shop.example:443', undefined],
  ['evil.example:443', 'router.lan:80', undefined],
  ['evil.example:443', 'nas.lan:443', undefined],
  ['router.lan:80', 'router.lan:80', 'private'],
  ['router.lan:80', 'nas.lan:443', 'private'],
  ['router.lan:80', 'cdn.example.org:443', 'public'],
  ['nas.lan:443', 'router.lan:80', undefined],
])('a page of %s that asks for %s: %s', (own, asked, allowed) => {
  expect(reachOf(new Set([own]), rules)(asked)).toBe(allowed)
})
