import { expect, test } from 'vitest'
import { type ProxyFault, proxySettings, readProxies } from './proxies.ts'

const read = (env: Record<string, string>) => readProxies(proxySettings(env))
const wayOf = (env: Record<string, string>, url: string) => read(env).of(new URL(url))
const set = { HTTPS_PROXY: 'http://one.lan:3128', HTTP_PROXY: 'http://two.lan' }

test('each scheme has its variable, websockets too', () => {
  expect(wayOf(set, 'https://api.anthropic.com/v1')).toMatchObject({ place: 'http://one.lan:3128', port: 3128 })
  expect(wayOf(set, 'wss://gateway.discord.gg')).toMatchObject({ variable: 'HTTPS_PROXY' })
  expect(wayOf(set, 'http://models.example.org')).toMatchObject({ variable: 'HTTP_PROXY', host: 'two.lan', port: 80 })
  expect(wayOf({ HTTP_PROXY: 'two.lan' }, 'https://api.anthropic.com')).toBeUndefined()
  expect(wayOf({}, 'https://api.anthropic.com')).toBeUndefined()
})

test.each<[string, Record<string, string>, string]>([
  ['the lower-case name counts first', { https_proxy: 'http://low:1', HTTPS_PROXY: 'http://high:2' }, 'http://low:1'],
  ['an empty value counts as absent', { https_proxy: ' ', HTTPS_PROXY: 'http://high:2' }, 'http://high:2'],
  ['ALL_PROXY stands in', { ALL_PROXY: 'http://all:8' }, 'http://all:8'],
  ['all_proxy stands behind the scheme', { all_proxy: 'http://all:8', HTTPS_PROXY: 'high:2' }, 'http://high:2'],
  ['no scheme is http', { HTTPS_PROXY: 'proxy.lan:3128' }, 'http://proxy.lan:3128'],
  ['a proxy over TLS', { HTTPS_PROXY: 'https://proxy.lan' }, 'https://proxy.lan'],
  ['a proxy by an IPv6 address', { HTTPS_PROXY: 'http://[fd00::1]:3128' }, 'http://[fd00::1]:3128'],
])('%s', (_, env, place) => {
  expect(wayOf(env, 'https://api.anthropic.com')?.place).toBe(place)
})

test('a name and a password are sent, decoded, and shown nowhere', () => {
  const env = { HTTPS_PROXY: 'http://mira:p%40ss%3Aword@proxy.lan:3128' }
  const way = wayOf(env, 'https://api.anthropic.com')
  expect(way).toMatchObject({ place: 'http://proxy.lan:3128' })
  const pair = Buffer.from('mira:p@ss:word').toString('base64')
  expect(way?.authorization).toBe(`Basic ${pair}`)
  expect(read(env).secrets).toEqual(expect.arrayContaining(['p%40ss%3Aword', 'p@ss:word', pair]))
})

test.each([
  'http://localhost:11434',
  'http://ollama:11434',
  'http://127.0.0.1',
  'http://127.9.9.9',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://10.0.4.9:11434',
  'http://172.20.1.1',
  'http://192.168.1.4',
  'http://169.254.1.1',
  'http://100.100.1.1',
  'http://[fd00::9]',
  'http://[fe80::1]',
  'https://gpu.lan',
  'https://pve.local',
  'https://nas.home.arpa',
  'https://pve.lan.',
])('%s is reached directly', (url) => {
  expect(wayOf(set, url)).toBeUndefined()
})

test.each(['http://203.0.113.9', 'http://172.32.1.1', 'http://[2001:db8::1]', 'https://gpu.example.org'])(
  '%s is reached through the proxy',
  (url) => {
    expect(wayOf(set, url)).toBeDefined()
  },
)

test.each<[string, string, boolean]>([
  ['*', 'https://api.openai.com', true],
  ['openai.com', 'https://api.openai.com', true],
  ['openai.com', 'https://openai.com', true],
  ['openai.com', 'https://notopenai.com', false],
  ['.openai.com', 'https://api.openai.com', true],
  ['.openai.com', 'https://openai.com', true],
  ['*.openai.com', 'https://api.openai.com', true],
  ['OpenAI.com.', 'https://api.openai.com', true],
  ['other.org, , api.openai.com', 'https://api.openai.com', true],
  ['other.org api.openai.com', 'https://api.openai.com', true],
  ['other.org\tapi.openai.com', 'https://api.openai.com', true],
  ['api.openai.com:443', 'https://api.openai.com', true],
  ['api.openai.com:8443', 'https://api.openai.com', false],
  ['api.openai.com:8443', 'https://api.openai.com:8443', true],
  ['api.openai.com:80', 'http://api.openai.com', true],
  ['203.0.113.9', 'http://203.0.113.9', true],
  ['203.0.113.9:8080', 'http://203.0.113.9:8080', true],
  ['203.0.113.9:8080', 'http://203.0.113.9', false],
  ['203.0.113.0/24', 'http://203.0.113.9:8080', true],
  ['203.0.113.0/24', 'http://203.0.114.9', false],
  ['203.0.113.0/33', 'http://203.0.113.9', false],
  ['203.0.113.*', 'http://203.0.113.9', true],
  ['203.0.113.*', 'http://203.0.11.3', false],
  ['2001:db8::/32', 'http://[2001:db8:1::9]:80', true],
  ['[2001:db8::9]:80', 'http://[2001:db8::9]', true],
  ['2001:db8::9', 'http://[2001:db8:0:0::9]', true],
  ['203.0.113.0/24', 'http://gpu.example.org', false],
  ['', 'https://api.openai.com', false],
])('NO_PROXY=%s and %s', (NO_PROXY, url, isDirect) => {
  expect(wayOf({ ...set, NO_PROXY }, url) === undefined).toBe(isDirect)
})

test.each([
  ['socks5://mira:geheim7@proxy.lan:1080', 'names a proxy of the kind socks5'],
  ['http://mira:geheim7@', 'cannot be read as an address'],
  ['http://mira:geheim7@proxy.lan:99999', 'cannot be read as an address'],
])('%s is a problem that sends nothing past it', (ALL_PROXY, problem) => {
  const found = read({ ALL_PROXY })
  expect(found.problems).toEqual([expect.stringContaining(`ALL_PROXY ${problem}`)])
  expect(found.problems.join()).not.toContain('geheim7')
  expect(found.secrets).toContain('geheim7')
  const refused = () => found.of(new URL('https://api.openai.com'))
  expect(refused).toThrow(expect.objectContaining({ isLasting: true } satisfies Partial<ProxyFault>))
  expect(found.of(new URL('http://10.0.4.9'))).toBeUndefined()
})
