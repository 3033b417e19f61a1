import { expect, test } from 'vitest'
import { faultOf, notMcp } from './reach.ts'

const url = new URL('http://nas:8080/mcp')
const error = (code: string) => ({
  error: new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) }),
})

test.each([
  [error('ECONNREFUSED'), 'Cannot reach nas:8080: connection refused. Check that the server runs, and the port.'],
  [error('ENOTFOUND'), 'Cannot reach nas:8080: there is no such name. Correct the name, or use the address.'],
  [error('UND_ERR_CONNECT_TIMEOUT'), /^Cannot reach nas:8080: it does not answer\. /],
  [error('DEPTH_ZERO_SELF_SIGNED_CERT'), /^Cannot reach nas:8080: its certificate .* NODE_EXTRA_CA_CERTS/],
  [error('ERR_SSL_WRONG_VERSION_NUMBER'), /Is it http:\/\/ rather than https:\/\/\?$/],
  [{ status: 401 }, /^nas:8080 wants a sign-in \(401\)\. Put its token/],
  [{ status: 403 }, /^nas:8080 refuses access \(403\)/],
  [{ status: 404 }, /^nas:8080 serves nothing at \/mcp \(404\)\. Compare the path/],
  [{ status: 500 }, /^nas:8080 has a fault of its own \(500\)/],
  [{ status: 422 }, /^nas:8080 refuses the request \(422\)/],
] as const)('%j is said in words that help', (reach, words) => {
  expect(faultOf(url, reach)).toMatch(words)
})

test('an answer is no fault, and one that is not of MCP is said to be none', () => {
  expect(faultOf(url, undefined)).toBeUndefined()
  expect(faultOf(url, { status: 202 })).toBeUndefined()
  expect(notMcp(url)).toBe(
    'nas:8080 answers, but /mcp is no MCP server. Compare the path: often it is /mcp, and /sse for an older one.',
  )
})
