import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { authorityCertificate, borrowCertificate, returnCertificate } from 'fake-proxmox/server/certificates'
import { systemClock } from 'node-kit/clock'
import { expect, onTestFinished, test } from 'vitest'
import { DiscordGateway } from '../src/channels/adapters/discord-gateway.ts'
import { ask } from '../src/channels/post.ts'
import { readConfig } from '../src/config/config.ts'
import { proxyChecks } from '../src/doctor/proxy-checks.ts'
import { proxySettings, readProxies } from '../src/lib/proxies.ts'
import { createPublicFetch } from '../src/lib/public-fetch.ts'
import { tunnel } from '../src/lib/tunnel.ts'
import { openAiEmbedder } from '../src/providers/embeddings/openai-compatible.ts'
import { askAboutModel, tryModel } from '../src/providers/index.ts'
import { transcribe } from '../src/v1/transcribe.ts'
import { createFetchSite } from '../src/workbench/web/fetch-site.ts'
import { folder } from './support/data-dir.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { goOutWith, startForwardProxy } from './support/forward-proxy.ts'
import { startModelServer } from './support/model-server.ts'
import { program } from './support/program.ts'

const key = 'sk-test-0123456789-wxyz'
const far = 'http://models.example.test/v1'
const { signal } = new AbortController()
const server = { provider: 'far', kind: 'openai-chat', apiKey: key, baseUrl: far } as const
const asking = { now: Date.now, signal }
const portOf = (url: string) => Number(new URL(url).port)

async function listen(on: Server): Promise<number> {
  await new Promise<void>((resolve) => on.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void on.close())
  return (on.address() as AddressInfo).port
}

test('a model over http is asked by its whole address, with the credentials of the proxy, and this machine directly', async () => {
  const models = await startModelServer({ key, model: 'm1', says: 'ready' })
  const proxy = await startForwardProxy({ port: portOf(models.url), wants: 'mira:p@ss:word' })
  await goOutWith({ http_proxy: `http://mira:p%40ss%3Aword@${proxy.host}` })
  expect(await tryModel({ ...server, model: 'm1' }, asking)).toMatchObject({ verdict: 'works' })
  expect(await askAboutModel({ ...server, model: 'm1' }, signal)).toEqual({ kind: 'served' })
  expect(proxy.came.map(({ method, target }) => `${method} ${target}`)).toEqual([
    `POST ${far}/chat/completions`,
    `GET ${far}/models`,
  ])
  expect(models.asked.map(({ headers }) => headers.host)).toEqual(['models.example.test', 'models.example.test'])
  expect(await askAboutModel({ ...server, baseUrl: models.url, model: 'm1' }, signal)).toEqual({ kind: 'served' })
  expect(proxy.came).toHaveLength(2)
  expect(models.asked).toHaveLength(3)
})

test('what is posted over http arrives whole: embeddings, speech, channels', async () => {
  const came: string[] = []
  const port = await listen(
    createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      came.push(`${request.url} ${Buffer.concat(chunks).toString().replace(/\s+/g, ' ')}`)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ text: 'said', data: [{ index: 0, embedding: [1, 0] }] }))
    }),
  )
  const proxy = await startForwardProxy({ port })
  await goOutWith({ ALL_PROXY: proxy.host })
  expect((await openAiEmbedder({ baseUrl: far, model: 'e1' })).dimensions).toBe(2)
  expect(await transcribe({ baseUrl: far, model: 'w1' }, { audio: Buffer.from('RIFF'), name: 'a.wav' }, signal)).toBe(
    'said',
  )
  expect(await ask('http://ntfy.example.test/alerts', { body: 'pve is hot', signal })).toMatchObject({ status: 200 })
  expect(came).toEqual([
    expect.stringContaining('"input":["homelab"]'),
    expect.stringMatching(/filename="a.wav".*RIFF/),
    '/alerts pve is hot',
  ])
  expect(proxy.came).toHaveLength(3)
})

test.each([
  [407, undefined, 'wants a name and a password (HTTP 407)'],
  [407, 'mira:geheim7', 'refuses its name or password (HTTP 407)'],
  [403, undefined, 'refuses the way to models.example.test (HTTP 403)'],
  [502, undefined, 'cannot reach models.example.test (HTTP 502)'],
])('a proxy that answers %i is named without its password (%s)', async (refuse, credentials, words) => {
  const proxy = await startForwardProxy({ refuse })
  const address = `http://${credentials === undefined ? '' : `${credentials}@`}${proxy.host}`
  await goOutWith({ HTTPS_PROXY: address, HTTP_PROXY: address })
  const said = []
  for (const baseUrl of ['https://models.example.test/v1', far]) {
    const tried = await tryModel({ ...server, baseUrl, model: 'm1' }, asking)
    expect(tried.verdict).toBe('unreachable')
    said.push(tried.text)
  }
  const secure = 'https://models.example.test/v1'
  const asked = await askAboutModel({ ...server, baseUrl: secure, model: 'm1' }, signal)
  said.push(asked.kind === 'unreachable' ? asked.why : asked.kind)
  const caught = (error: Error) => void said.push(error.message)
  await ask(secure, { signal }).catch(caught)
  await openAiEmbedder({ baseUrl: secure, model: 'e1' }).catch(caught)
  await transcribe({ baseUrl: secure, model: 'w1' }, { audio: Buffer.from(''), name: 'a.wav' }, signal).catch(caught)
  await createPublicFetch({ resolve: async () => ['203.0.113.9'], isAllowed: () => true })(new URL(secure)).catch(
    ({ message }: Error) => said.push(message.replace('203.0.113.9', 'models.example.test')),
  )
  expect(said).toHaveLength(7)
  for (const text of said) {
    expect(text).toContain(words)
    expect(text).toContain(`the proxy http://${proxy.host} (HTTP`)
    expect(text).not.toContain('geheim7')
  }
})

test('a refusal of the server behind the proxy stays the server’s', async () => {
  const port = await listen(
    createServer((_request, response) =>
      response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":{"message":"No such key."}}'),
    ),
  )
  const proxy = await startForwardProxy({ port })
  await goOutWith({ HTTP_PROXY: proxy.host })
  const { verdict, text } = await tryModel({ ...server, model: 'm1' }, asking)
  expect([verdict, text]).toEqual(['key_refused', 'models.example.test refuses the key.'])
})

test('a proxy that says nothing is given up on, and one that is not there is named', async () => {
  const proxy = await startForwardProxy({ silent: true })
  const found = readProxies(proxySettings({ HTTPS_PROXY: `http://mira:geheim7@${proxy.host}` }))
  const way = found.of(new URL('https://models.example.test'))
  if (way === undefined) throw new Error('There is no proxy.')
  const clock = createFakeClock(0)
  const opening = tunnel(way, { host: 'models.example.test', port: 443 }, clock)
  const refused = expect(opening).rejects.toThrow(
    `the proxy http://${proxy.host} (HTTPS_PROXY) did not answer within 15 s`,
  )
  await expect.poll(() => proxy.came).toHaveLength(1)
  await clock.advance(15_000)
  await refused
  await goOutWith({ HTTPS_PROXY: 'http://mira:geheim7@127.0.0.1:1' })
  const { text } = await tryModel({ ...server, baseUrl: 'https://models.example.test/v1', model: 'm1' }, asking)
  expect(text).toBe(
    'Cannot reach models.example.test: the proxy http://127.0.0.1:1 (HTTPS_PROXY) cannot be reached: connection refused. Check the proxy, or name models.example.test in NO_PROXY.',
  )
})

test('a proxy that cannot be used sends nothing past it', async () => {
  const models = await startModelServer({ key, model: 'm1', says: 'ready' })
  await goOutWith({ ALL_PROXY: 'socks5://mira:geheim7@proxy.lan:1080' })
  const { text } = await tryModel({ ...server, model: 'm1' }, asking)
  expect(text).toContain('ALL_PROXY names a proxy of the kind socks5')
  await expect(ask('https://ntfy.example.test', { signal })).rejects.toThrow(
    'ALL_PROXY names a proxy of the kind socks5',
  )
  expect(await tryModel({ ...server, baseUrl: models.url, model: 'm1' }, asking)).toMatchObject({ verdict: 'works' })
})

test('an address that was judged is the one that the proxy is asked for, and no other one', async () => {
  const certificate = await borrowCertificate()
  onTestFinished(() => returnCertificate(certificate))
  const port = await listen(
    createSecure(certificate, (_request, response) =>
      response.setHeader('content-type', 'application/json').end('{"ok":true}'),
    ),
  )
  const proxy = await startForwardProxy({ port })
  await goOutWith({ HTTPS_PROXY: proxy.host })
  const ca = authorityCertificate()
  const at = (address: string) => createPublicFetch({ ca, resolve: async () => [address] })
  const url = new URL('https://client.example.test/client.json')
  expect((await at('8.8.8.8')(url)).text).toBe('{"ok":true}')
  expect(proxy.came.map(({ method, target }) => `${method} ${target}`)).toEqual(['CONNECT 8.8.8.8:443'])
  await expect(at('10.0.4.1')(url)).rejects.toThrow('is not a public address')
  expect(proxy.came).toHaveLength(1)
  await expect(at('8.8.8.8')(new URL('https://other.example.org'))).rejects.toThrow()
  const page = (address: string) =>
    createFetchSite({ ca, resolve: async () => [address], isHome: () => true })(url, { listed: false, signal })
  expect((await page('9.9.9.9')).body.toString()).toBe('{"ok":true}')
  expect(proxy.came.at(-1)?.target).toBe('9.9.9.9:443')
  const asked = proxy.came.length
  await expect(page('192.168.1.1')).rejects.toThrow('is not a public address')
  expect(proxy.came).toHaveLength(asked)
})

test('the gateway of Discord goes through the proxy', async () => {
  const proxy = await startForwardProxy({ refuse: 407 })
  await goOutWith({ HTTPS_PROXY: proxy.host })
  const ending = new AbortController()
  const why = await new Promise<string>((resolve) => {
    void new DiscordGateway({
      token: 't',
      clock: systemClock,
      signal: ending.signal,
      cursor: undefined,
      starts: async () => ({ url: 'wss://gateway.example.test', remaining: 1_000, resetAfterMs: 0 }),
      isTrusted: () => true,
      event: () => async () => {},
      problem: (words) => words !== undefined && resolve(words),
    }).follow()
  })
  ending.abort()
  expect(proxy.came[0]).toMatchObject({ method: 'CONNECT', target: 'gateway.example.test:443' })
  expect(why).toContain('wants a name and a password')
})

test('the program takes the variables up, over TLS', async () => {
  const certificate = await borrowCertificate()
  onTestFinished(() => returnCertificate(certificate))
  const paths: string[] = []
  const port = await listen(
    createSecure(certificate, (request, response) => {
      paths.push(`${request.method} ${request.url}`)
      response.setHeader('content-type', 'application/json')
      if (request.url === '/v1/models') return response.end('{"data":[{"id":"m2"}]}')
      return response.writeHead(404).end('{"error":{"code":"model_not_found","message":"There is no m1."}}')
    }),
  )
  const proxy = await startForwardProxy({ port, wants: 'mira:geheim7' })
  const dataDir = folder()
  const ca = join(dataDir, 'ca.pem')
  writeFileSync(ca, authorityCertificate())
  const run = promisify(execFile)(process.execPath, [...program('cli'), 'models', 'test', 'openai'], {
    env: {
      PATH: process.env.PATH,
      HOME: dataDir,
      JARVIS_DATA_DIR: dataDir,
      NODE_EXTRA_CA_CERTS: ca,
      OPENAI_BASE_URL: 'https://models.example.test/v1',
      OPENAI_MODEL: 'm1',
      HTTPS_PROXY: `http://mira:geheim7@${proxy.host}`,
      NODE_USE_ENV_PROXY: '1',
    },
  })
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  expect(stdout).toContain('models.example.test has no model named m1. It has m2.')
  expect(paths).toEqual(['POST /v1/chat/completions', 'GET /v1/models'])
  expect(new Set(proxy.came.map(({ method, target }) => `${method} ${target}`))).toEqual(
    new Set(['CONNECT models.example.test:443']),
  )
})

test('the doctor says what goes through which proxy, and never a password', () => {
  const env = {
    JARVIS_DATA_DIR: folder(),
    ANTHROPIC_API_KEY: 'sk-ant-x',
    OPENAI_BASE_URL: 'http://10.0.4.9:11434/v1',
    JARVIS_TRANSCRIBE_URL: 'https://speech.example.org/v1',
    HTTPS_PROXY: 'http://mira:geheim7@proxy.lan:3128',
    NO_PROXY: 'speech.example.org',
  }
  const config = readConfig(env)
  expect(config.secrets).toContain('geheim7')
  expect(proxyChecks(config).map(({ health, text }) => `${health} ${text}`)).toEqual([
    'ok http://proxy.lan:3128 (HTTPS_PROXY) serves anthropic (api.anthropic.com).',
    'ok Directly: the cluster, its nodes, mail, openai (10.0.4.9:11434), speech (speech.example.org).',
  ])
  const broken = proxyChecks(readConfig({ ...env, HTTPS_PROXY: 'socks5://mira:geheim7@proxy.lan' }))
  expect(broken[0]).toMatchObject({ health: 'bad', text: expect.stringContaining('HTTPS_PROXY names a proxy') })
  expect(JSON.stringify(broken)).not.toContain('geheim7')
  expect(
    proxyChecks(readConfig({ ...env, HTTPS_PROXY: '', HTTP_PROXY: 'proxy.lan' })).map(({ health }) => health),
  ).toEqual(['ok', 'warn', 'ok'])
  expect(proxyChecks(readConfig({ ...env, HTTPS_PROXY: '' }))).toEqual([])
})
