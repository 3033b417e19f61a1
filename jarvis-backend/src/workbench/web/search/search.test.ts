import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from 'node-kit/clock'
import { expect, onTestFinished, test } from 'vitest'
import { brave } from './brave.ts'
import { type SearchEngine, SearchFailed } from './engine.ts'
import { searxng } from './searxng.ts'

const { signal } = new AbortController()

async function serve(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const json = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const queryOf = (request: IncomingMessage) => new URL(request.url ?? '', 'http://x').searchParams
const problemOf = async (engine: SearchEngine): Promise<SearchFailed> => {
  const error = await engine.search('x', { count: 5, signal }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(SearchFailed)
  return error as SearchFailed
}

/** As SearXNG answers: 403 for a format that is not on, 429 by its limiter, and engines that did not answer beside results. */
const fakeSearxng =
  ({ formats = ['html'], isLimited = false, results = [] as unknown[], silent = [] as string[][] }): RequestListener =>
  (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://x')
    if (pathname !== '/search') return void response.writeHead(404).end('<!doctype html>')
    if (isLimited) return void response.writeHead(429).end('Too Many Requests')
    const query = queryOf(request)
    if (query.get('q') === null) return void response.writeHead(400).end('')
    if (!formats.includes(query.get('format') ?? 'html')) return void response.writeHead(403).end('<!doctype html>')
    json(response, 200, { query: query.get('q'), number_of_results: 0, results, unresponsive_engines: silent })
  }

test('SearXNG gives addresses of the web, each once, with plain words', async () => {
  const results = [
    { title: 'Proxmox <b>9</b>\nnotes', url: 'https://a.example/9', content: 'New  things', engine: 'google' },
    { title: 'Again', url: 'https://a.example/9', content: 'x' },
    { title: 'A file', url: 'file:///etc/passwd', content: 'x' },
    { title: 'B', url: 'https://b.example/', content: null },
  ]
  const at = await serve(fakeSearxng({ formats: ['html', 'json'], results, silent: [['google', 'CAPTCHA']] }))
  expect(await searxng(at).search('proxmox 9', { count: 5, signal })).toEqual({
    hits: [
      { title: 'Proxmox 9 notes', url: 'https://a.example/9', snippet: 'New things' },
      { title: 'B', url: 'https://b.example/', snippet: '' },
    ],
    silent: ['google (CAPTCHA)'],
  })
})

test('a SearXNG without JSON, one with a limiter, one elsewhere and none are told apart', async () => {
  expect(await problemOf(searxng(await serve(fakeSearxng({}))))).toMatchObject({
    problem: 'format',
    fix: expect.stringContaining('formats'),
  })
  const limited = await problemOf(searxng(await serve(fakeSearxng({ formats: ['json'], isLimited: true }))))
  expect(limited).toMatchObject({ problem: 'limited', fix: expect.stringContaining('limiter') })
  const elsewhere = await serve((_request, response) => void response.writeHead(200).end('<html>a router</html>'))
  expect(await problemOf(searxng(elsewhere))).toMatchObject({
    problem: 'odd',
    message: expect.stringContaining('with a page in place of results'),
  })
  expect(await problemOf(searxng('http://127.0.0.1:9'))).toMatchObject({ problem: 'unreachable' })
})

test('a SearXNG below a path is asked there', async () => {
  const paths: string[] = []
  const at = await serve((request, response) => {
    paths.push(request.url ?? '')
    json(response, 200, { results: [] })
  })
  await searxng(`${at}/find`).search('a b&c', { count: 5, signal })
  expect(paths).toEqual(['/find/search?q=a+b%26c&format=json'])
})

/** As Brave answers: 422 without a key or with a query that is too long, 401 for a key it does not know, 429 by its plan. */
const fakeBrave =
  (results: unknown[], isLimited = false): RequestListener =>
  (request, response) => {
    const query = queryOf(request)
    const key = request.headers['x-subscription-token']
    const q = query.get('q') ?? ''
    if (!request.url?.startsWith('/res/v1/web/search?')) return json(response, 404, {})
    if (key === undefined || q === '' || q.length > 400 || Number(query.get('count') ?? 20) > 20)
      return json(response, 422, { type: 'ErrorResponse' })
    if (key !== 'right-key') return json(response, 401, { type: 'ErrorResponse' })
    if (isLimited) return json(response, 429, { type: 'ErrorResponse', error: { code: 'RATE_LIMITED' } })
    json(response, 200, { type: 'search', ...(results.length > 0 && { web: { type: 'search', results } }) })
  }

test('Brave is asked with its key, at most once a second, and its refusals are told apart', async () => {
  const results = [{ title: 'A', url: 'https://a.example/', description: 'about <strong>a</strong>' }]
  const at = await serve(fakeBrave(results))
  const waits: number[] = []
  const clock = {
    now: () => 5_000,
    after(ms: number, run: () => void) {
      waits.push(ms)
      return systemClock.after(0, run)
    },
  }
  const engine = brave('right-key', clock, at)
  const hits = [{ title: 'A', url: 'https://a.example/', snippet: 'about a' }]
  expect(await engine.search('a', { count: 50, signal })).toEqual({ hits, silent: [] })
  expect(await engine.search('a', { count: 5, signal })).toEqual({ hits, silent: [] })
  expect(waits).toEqual([1_100])
  expect(await problemOf(brave('wrong-key', systemClock, at))).toMatchObject({ problem: 'key' })
  const limited = await serve(fakeBrave(results, true))
  expect(await problemOf(brave('right-key', systemClock, limited))).toMatchObject({ problem: 'limited' })
  const nothing = await serve(fakeBrave([]))
  expect((await brave('right-key', systemClock, nothing).search('a', { count: 5, signal })).hits).toEqual([])
})
