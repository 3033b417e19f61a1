import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createRequestGuard } from './request-guard.ts'

const proxy = '10.0.0.2'
const publicUrl = 'https://jarvis.home:8443'
const asked = (headers: IncomingHttpHeaders, remoteAddress = proxy) =>
  ({ headers: { ...headers }, socket: { remoteAddress } }) as Pick<IncomingMessage, 'headers' | 'socket'>
const guardOf = (url?: string) =>
  createRequestGuard({
    allowedHosts: ['jarvis.lan', 'jarvis.home'],
    publicUrl: url,
    isTrusted: ({ remoteAddress }) => remoteAddress === proxy,
  })

test.each<[string, IncomingHttpHeaders, string]>([
  ['the Host as it is', { host: 'jarvis.lan:4000', origin: 'http://jarvis.lan:4000' }, 'jarvis.lan:4000'],
  ['an address', { host: '10.0.0.5:4000' }, '10.0.0.5:4000'],
  ['the port of HTTPS', { host: 'jarvis.lan:443', origin: 'https://jarvis.lan' }, 'jarvis.lan'],
  ['the port of HTTP behind HTTPS', { host: 'jarvis.lan:80', origin: 'https://jarvis.lan' }, 'jarvis.lan'],
  ['the dot of a full name', { host: 'Jarvis.lan.:4000', origin: 'http://jarvis.lan.:4000' }, 'jarvis.lan:4000'],
  ['a public URL without its port', { host: 'jarvis.home', origin: publicUrl }, 'jarvis.home:8443'],
  ['the same for a read', { host: 'jarvis.home' }, 'jarvis.home:8443'],
  ['the public URL’s page at an upstream’s address', { host: '127.0.0.1:4000', origin: publicUrl }, '127.0.0.1:4000'],
  [
    'what a trusted proxy names',
    { host: '127.0.0.1:4000', 'x-forwarded-host': 'jarvis.lan:9443', origin: 'https://jarvis.lan:9443' },
    'jarvis.lan:9443',
  ],
  [
    'its port in a header of its own',
    {
      host: 'jarvis.lan',
      'x-forwarded-host': 'jarvis.lan',
      'x-forwarded-port': '9443',
      origin: 'https://jarvis.lan:9443',
    },
    'jarvis.lan:9443',
  ],
  ['the first of several proxies', { host: 'localhost', 'x-forwarded-host': 'jarvis.lan, inner:80' }, 'jarvis.lan'],
  ['a Host that a trusted proxy left empty', { host: '', 'x-forwarded-host': 'jarvis.lan' }, 'jarvis.lan'],
])('%s is allowed, and the Host is the browser’s', (_what, headers, host) => {
  const guard = guardOf(publicUrl)
  const request = asked(headers)
  expect([guard(request), guard(request)]).toEqual([true, true])
  expect(request.headers.host).toBe(host)
})

test.each<[string, IncomingHttpHeaders, RegExp, string?]>([
  ['no Host', {}, /names no host.*proxy_set_header Host \$host:\$server_port;/],
  ['an empty Host', { host: '' }, /names no host/],
  [
    'a foreign name',
    { host: 'evil.example' },
    /host name evil\.example is not allowed.*JARVIS_ALLOWED_HOSTS=evil\.example/,
  ],
  ['a name that is none', { host: '<script>' }, /host name this name is not allowed/],
  [
    'a port that the proxy dropped',
    { host: 'jarvis.lan', origin: 'https://jarvis.lan:8443' },
    /browser is at jarvis\.lan:8443, and the request names jarvis\.lan.*Host \$http_host;/,
  ],
  [
    'a Host that the proxy replaced',
    { host: '127.0.0.1:4000', origin: 'https://jarvis.lan' },
    /at jarvis\.lan, and a proxy in front of JARVIS passes 127\.0\.0\.1:4000 in its place/,
  ],
  ['a foreign page', { host: 'jarvis.lan', origin: 'https://evil.example' }, /page at evil\.example may ask nothing/],
  ['a page without an origin', { host: 'jarvis.lan', origin: 'null' }, /an origin without a name/],
  [
    'what a proxy names that nobody trusts',
    { host: 'jarvis:4000', 'x-forwarded-host': 'jarvis.lan' },
    /The proxy is 10\.0\.0\.9, which JARVIS_TRUSTED_PROXIES does not name/,
    '10.0.0.9',
  ],
  [
    'a foreign name behind a header that a page can set',
    { host: 'evil.example', 'x-forwarded-host': 'jarvis.lan' },
    /evil\.example is not allowed/,
  ],
  [
    'a foreign name in the header',
    { host: 'jarvis.lan', 'x-forwarded-host': 'evil.example', origin: 'https://evil.example' },
    /may ask nothing/,
  ],
])('%s is refused with what to do', (_what, headers, why, peer) => {
  const guard = guardOf()
  const request = asked(headers, peer)
  expect(guard(request)).toBe(false)
  expect(guard.why(request)).toMatch(why)
})
