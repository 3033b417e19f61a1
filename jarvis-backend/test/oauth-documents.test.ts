import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { auth } from '@modelcontextprotocol/client'
import { authorityCertificate, borrowCertificate, returnCertificate } from 'fake-proxmox/server/certificates'
import { systemClock } from 'node-kit/clock'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createPublicFetch } from '../src/lib/public-fetch.ts'
import { failingRows } from './support/failing-rows.ts'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { memoryProvider, newVerifier, openRequest, queryFor } from './support/oauth-client.ts'
import { startJarvis } from './support/start-jarvis.ts'

const certificate = await borrowCertificate()
const ca = authorityCertificate()
afterAll(() => returnCertificate(certificate))

/** An https server that a client's name leads to, on this machine. */
async function startSite(answer: RequestListener) {
  const asked: string[] = []
  const site = createServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    site.closeAllConnections()
    site.close()
  })
  const { port } = site.address() as AddressInfo
  return { asked, port, url: new URL(`https://localhost:${port}/client.json`) }
}
const json =
  (text: string, headers = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text)
  }
const here = (more = {}) =>
  createPublicFetch({
    isAllowed: (address) => address === '127.0.0.1',
    resolve: async () => ['127.0.0.1'],
    ca,
    ...more,
  })

test('a document is fetched from the address its name was resolved to, once', async () => {
  const site = await startSite(json('{"a":1}', { 'cache-control': 'public, max-age=60' }))
  let resolved = 0
  const fetchOnce = here({
    resolve: async (host: string) => {
      expect(host).toBe('localhost')
      resolved += 1
      return resolved === 1 ? ['127.0.0.1'] : ['127.0.0.2']
    },
  })
  expect(await fetchOnce(site.url)).toEqual({ text: '{"a":1}', maxAgeS: 60 })
  expect(resolved).toBe(1)
})

test.each([
  ['one address of several is private', ['93.184.216.34', '10.0.0.1']],
  ['the name leads nowhere', []],
  ['the name leads to this machine', ['127.0.0.1']],
  ['the name leads to it by IPv6', ['::ffff:127.0.0.1']],
])('nothing is asked where %s', async (_name, addresses) => {
  const site = await startSite(json('{}'))
  const fetchPublic = createPublicFetch({ resolve: async () => addresses, ca })
  await expect(fetchPublic(site.url)).rejects.toThrow('not a public address')
  expect(site.asked).toEqual([])
})

test('a redirect is not followed', async () => {
  const site = await startSite((request, response) => {
    if (request.url === '/secret') response.end('{}')
    else response.writeHead(302, { location: '/secret' }).end()
  })
  await expect(here()(site.url)).rejects.toThrow('it answered 302')
  expect(site.asked).toEqual(['/client.json'])
})

test('a document that is too large, too slow, no JSON, or from an unknown authority is refused', async () => {
  const large = await startSite(json(`"${'x'.repeat(20_000)}"`))
  await expect(here()(large.url)).rejects.toThrow('larger than')
  const page = await startSite((_request, response) => response.setHeader('content-type', 'text/html').end('{}'))
  await expect(here()(page.url)).rejects.toThrow('not JSON')
  const silent = await startSite(() => {})
  await expect(here({ timeoutMs: 300 })(silent.url)).rejects.toThrow('too long')
  const endless = await startSite((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{')
  })
  await expect(here({ timeoutMs: 300 })(endless.url)).rejects.toThrow(/too long|aborted/)
  await expect(here({ resolve: () => new Promise(() => {}), timeoutMs: 300 })(silent.url)).rejects.toThrow('too long')
  await expect(here({ ca: undefined })(large.url)).rejects.toThrow(/certificate|self-signed|issuer/)
})

test('where a document cannot be reached the page names the ways out, and clients register themselves from then on', async () => {
  const clock = createFakeClock(noon())
  let answer: () => Promise<{ text: string; maxAgeS: number }> = () =>
    Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }))
  const jarvis = await startJarvis({ clock, clusterStands: true, fetchDocument: () => answer() })
  const offered = async () => {
    const response = await fetch(`${jarvis.url}/.well-known/oauth-authorization-server`)
    return ((await response.json()) as { client_id_metadata_document_supported: boolean })
      .client_id_metadata_document_supported
  }
  const open = (is: string) => openRequest(jarvis, queryFor(jarvis, is, newVerifier()))
  expect(await offered()).toBe(true)
  for (const failure of [
    () => Promise.reject(Object.assign(new Error('x'), { code: 'ENETUNREACH' })),
    () => Promise.reject(new Error('it took too long')),
    answer,
  ]) {
    answer = failure
    await expect(open(id)).rejects.toThrow(/internet[\s\S]*register themselves[\s\S]*token create/)
    expect(await offered()).toBe(false)
  }
  await expect(open(id)).rejects.toThrow('there is no such name')

  // The SDK asks for the metadata again, and registers where no documents are offered.
  const { provider, kept } = memoryProvider({ clientMetadataUrl: id })
  expect(await auth(provider, { serverUrl: `${jarvis.url}/mcp` })).toBe('REDIRECT')
  expect(kept.sentTo?.searchParams.get('client_id')).toMatch(/^cli_/)
  expect((await openRequest(jarvis, kept.sentTo?.search ?? '')).clientName).toBe('Test Editor')
  await clock.advance(3_600_000)
  expect(await offered()).toBe(true)

  // A document that was there and is none says nothing of the internet.
  answer = () => Promise.reject(new Error('it answered 404'))
  await expect(open(id)).rejects.toThrow(/answered 404\.$/)
})

const nobodys = [
  'https://127.0.0.1/client.json',
  'https://[::1]/client.json',
  'https://[::ffff:127.0.0.1]/client.json',
  'https://169.254.169.254/latest/meta-data',
  'https://192.168.1.1/client.json',
  'https://localhost/client.json',
  'https://2130706433/client.json',
  'https://0x7f.1/client.json',
  'https://editor.example:8443/client.json',
  'https://editor.example/',
  'https://editor.example',
  'https://user@editor.example/client.json',
  'https://editor.example/a/../client.json',
  'https://editor.example/client.json#fragment',
  'HTTPS://editor.example/client.json',
  'http://editor.example/client.json',
  'file:///etc/passwd',
]
test('an address that is not public, or not plain https, is nobody’s name', async () => {
  const jarvis = await startJarvis()
  const judge = (id: string) =>
    expect(openRequest(jarvis, queryFor(jarvis, id, newVerifier()))).rejects.toThrow(
      /not a public address|an address must be https|not know/,
    )
  expect(await failingRows(nobodys, judge)).toEqual([])
})

const id = 'https://editor.example/client.json'
const fit = { client_id: id, client_name: 'Editor', redirect_uris: ['http://localhost/callback'] }
const unfit: [what: string, document: (is: typeof fit) => unknown][] = [
  ['says it is another', (is) => ({ ...is, client_id: 'https://other.example/client.json' })],
  ['has no name', (is) => ({ ...is, client_name: undefined })],
  ['is answered nowhere', (is) => ({ ...is, redirect_uris: [] })],
  ['is answered by a script', (is) => ({ ...is, redirect_uris: ['javascript:alert(1)'] })],
  ['has a secret', (is) => ({ ...is, client_secret: 'shared' })],
  ['proves itself by a secret', (is) => ({ ...is, token_endpoint_auth_method: 'client_secret_post' })],
  ['is a list', (is) => [is]],
  ['is no JSON', () => undefined],
]
test('a document that does not describe a client of its own address is of no use', async () => {
  let document: unknown
  const jarvis = await startJarvis({
    fetchDocument: async () => ({ text: document === undefined ? '<html>' : JSON.stringify(document), maxAgeS: 0 }),
  })
  const open = (is: string) => openRequest(jarvis, queryFor(jarvis, is, newVerifier()))
  const judge = async (row: (typeof unfit)[number]) => {
    // An address of its own, since a document is kept for a minute.
    const own = `https://editor${unfit.indexOf(row)}.example/client.json`
    document = row[1]({ ...fit, client_id: own })
    await expect(open(own)).rejects.toThrow('cannot be used')
  }
  expect(await failingRows(unfit, judge)).toEqual([])
  document = fit
  await expect(open(id)).resolves.toBeDefined()
})

test('a document is kept as long as its server says, and a minute at least', async () => {
  let fetched = 0
  let skippedMs = 0
  const jarvis = await startJarvis({
    clock: { ...systemClock, now: () => Date.now() + skippedMs },
    fetchDocument: async () => {
      fetched += 1
      return { text: JSON.stringify(fit), maxAgeS: fetched === 1 ? 0 : 600 }
    },
  })
  const open = () => openRequest(jarvis, queryFor(jarvis, id, newVerifier()))
  await open()
  await open()
  expect(fetched).toBe(1)
  skippedMs = 61_000
  await open()
  skippedMs += 599_000
  await open()
  expect(fetched).toBe(2)
  skippedMs += 2_000
  await open()
  expect(fetched).toBe(3)
})
