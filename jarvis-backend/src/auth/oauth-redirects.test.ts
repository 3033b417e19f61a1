import { describe, expect, test } from 'vitest'
import { isAllowedRedirect, isSameRedirect } from './oauth-redirects.ts'

describe('a client may be answered at', () => {
  test.each([
    'https://claude.ai/api/mcp/auth_callback',
    'http://localhost:33418/callback',
    'http://127.0.0.1/',
    'http://[::1]:8080/callback?a=b',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ])('%s', (uri) => expect(isAllowedRedirect(uri)).toBe(true))
})

describe('and never at', () => {
  test.each([
    'http://nas.lan/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://localhost@evil.example/callback',
    'https://user:pass@evil.example/',
    'https://evil.example/#fragment',
    'https://evil.example\\@good.example/',
    'https:evil.example',
    'javascript:alert(1)',
    'data:text/html,hello',
    'file:///etc/passwd',
    'blob:https://evil.example/1',
    'ms-msdt:/id',
    'https://good.example/\n',
    ' https://good.example/',
    '/relative',
    '',
  ])('%j', (uri) => expect(isAllowedRedirect(uri)).toBe(false))
})

describe('what was registered', () => {
  test.each([
    ['https://a.example/cb', 'https://a.example/cb', true],
    ['http://localhost:3000/cb', 'http://localhost:49152/cb', true],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb', true],
    ['http://[::1]/cb', 'http://[::1]:49152/cb', true],
    ['http://127.0.0.1/cb?x=1', 'http://127.0.0.1:5/cb?x=1', true],
    ['https://a.example/cb', 'https://a.example:8443/cb', false],
    ['https://a.example/cb', 'https://a.example/cb/', false],
    ['https://a.example/cb', 'https://a.example/cb?x=1', false],
    ['https://a.example/cb', 'https://A.example/cb', false],
    ['https://a.example/cb', 'https://a.example/x/../cb', false],
    ['http://localhost/cb', 'http://127.0.0.1/cb', false],
    ['http://localhost/cb', 'http://localhost:1/other', false],
    ['http://localhost/cb', 'https://localhost:1/cb', false],
    ['http://localhost/cb', 'http://localhost:1@evil.example/cb', false],
    ['javascript:alert(1)', 'javascript:alert(1)', false],
  ])('%s and %s: %s', (registered, given, isSame) => expect(isSameRedirect(registered, given)).toBe(isSame))
})
