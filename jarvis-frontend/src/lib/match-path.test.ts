import { expect, test } from 'vitest'
import { matchPath } from './match-path.ts'

test.each([
  ['the first page', '/', '/', {}],
  ['a path in capitals, with slashes at its end', '/cluster', '/CLUSTER//', {}],
  ['a parameter', '/guest/:vmid', '/guest/101', { vmid: '101' }],
  ['a parameter between words, which keeps its capitals', '/a/:b/c/:d', '/A/Bee/C/Dee', { b: 'Bee', d: 'Dee' }],
  ['an encoded word and parameter', '/chat/:sessionId', '/%63hat/ses%5Fmain', { sessionId: 'ses_main' }],
  ['an encoded slash, which belongs to its word', '/chat/:sessionId', '/chat/a%2Fb', { sessionId: 'a/b' }],
  ['a fragment', '/#/join/:secret', '/#/join/abc', { secret: 'abc' }],
  ['an encoding that cannot be read, as it stands', '/chat/:sessionId', '/chat/%zz', { sessionId: '%zz' }],
] as const)('%s fits', (_, pattern, path, params) => {
  expect(matchPath(pattern, path)).toEqual(params)
})

test.each([
  ['a path that goes on', '/cluster', '/cluster/nodes'],
  ['a path that ends too early', '/guest/:vmid', '/guest/'],
  ['another word', '/cluster', '/clusters'],
  ['an empty word before the end', '/cluster', '//cluster'],
] as const)('%s does not fit', (_, pattern, path) => {
  expect(matchPath(pattern, path)).toBeUndefined()
})
