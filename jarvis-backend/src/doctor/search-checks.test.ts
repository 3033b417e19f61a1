import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from 'node-kit/clock'
import { expect, onTestFinished, test } from 'vitest'
import { searchChecks } from './search-checks.ts'

const hit = { title: 'Proxmox', url: 'https://www.proxmox.com/', content: 'A platform' }

/** Returns the doctor's lines on a SearXNG that answers every search with `status` and `answer`. */
async function saidOf(status: number, answer: object | string) {
  const asked: string[] = []
  const server = createServer((request, reply) => {
    asked.push(request.url ?? '')
    reply.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const checks = await searchChecks({ url }, systemClock, AbortSignal.timeout(10_000))
  expect(asked).toEqual(['/search?q=proxmox&format=json'])
  return checks
}

test.each<[what: string, status: number, answer: object | string, check: object]>([
  ['answers', 200, { results: [hit] }, { health: 'ok' }],
  [
    'gives no JSON',
    403,
    '<h1>Forbidden</h1>',
    { health: 'bad', fix: expect.stringContaining('formats: in its settings.yml') },
  ],
  ['has its limiter on', 429, 'Too Many Requests', { health: 'bad', fix: expect.stringContaining('limiter: false') }],
  [
    'shows a page',
    200,
    '<!doctype html><p>Hello',
    { health: 'bad', text: expect.stringContaining('a page in place of results') },
  ],
  ['finds nothing', 200, { results: [] }, { health: 'warn', fix: expect.stringContaining('engines') }],
  [
    'is kept out by its engines',
    200,
    { results: [], unresponsive_engines: [['google', 'CAPTCHA']] },
    { health: 'warn', text: expect.stringContaining('google (CAPTCHA)') },
  ],
])('a SearXNG that %s', async (_what, status, answer, check) => {
  expect(await saidOf(status, answer)).toMatchObject([check])
})

test('a SearXNG that is off is said to be unreachable', async () => {
  const [check] = await searchChecks({ url: 'http://127.0.0.1:1' }, systemClock, AbortSignal.timeout(10_000))
  expect(check).toMatchObject({ health: 'bad', text: expect.stringContaining('cannot be reached') })
})
