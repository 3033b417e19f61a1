import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { speechChecks } from './speech-checks.ts'

const key = 'planted-speech-key-0123456789'

/** Returns the doctor's lines on a service with these statuses, by `METHOD path`; another path is 404. */
async function saidOf(statuses: Record<string, number>) {
  const keys = new Set<string | undefined>()
  const server = createServer((request, reply) => {
    keys.add(request.headers.authorization)
    request.resume()
    reply.writeHead(statuses[`${request.method} ${request.url}`] ?? 404, { location: '/elsewhere' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
  const checks = await speechChecks({ baseUrl, model: 'whisper-1', apiKey: key }, AbortSignal.timeout(10_000))
  expect([...keys]).toEqual([`Bearer ${key}`])
  expect(JSON.stringify(checks)).not.toContain(key)
  return checks
}

const models = 'GET /v1/models'
const speech = 'POST /v1/audio/transcriptions'
test.each<[what: string, statuses: Record<string, number>, check: object]>([
  ['lists its models', { [models]: 200 }, { health: 'ok', text: expect.stringContaining('whisper-1 at 127.0.0.1') }],
  ['lists none and wants a recording', { [speech]: 400 }, { health: 'ok' }],
  ['lists none and refuses the form', { [models]: 405, [speech]: 422 }, { health: 'ok' }],
  ['refuses the key', { [models]: 401 }, { health: 'warn', fix: expect.stringContaining('JARVIS_TRANSCRIBE_KEY') }],
  ['forbids the key', { [models]: 403 }, { health: 'warn', fix: expect.stringContaining('JARVIS_TRANSCRIBE_KEY') }],
  ['refuses the key at its one door', { [speech]: 401 }, { health: 'warn', text: expect.stringContaining('the key') }],
  [
    'is at another path',
    {},
    {
      health: 'warn',
      text: expect.stringContaining('nothing at /audio/transcriptions'),
      fix: expect.stringContaining('JARVIS_TRANSCRIBE_URL'),
    },
  ],
  ['is broken', { [models]: 502 }, { health: 'warn', text: expect.stringContaining('answered 502') }],
  ['sends elsewhere', { [models]: 302 }, { health: 'warn', text: expect.stringContaining('answered 302') }],
])('a speech service that %s', async (_what, statuses, check) => {
  expect(await saidOf(statuses)).toMatchObject([{ area: 'Speech', ...check }])
})

test('a speech service that is off is said to be away, and none is no check', async () => {
  const off = { baseUrl: 'http://127.0.0.1:1/v1', model: 'whisper-1' }
  expect(await speechChecks(off, AbortSignal.timeout(10_000))).toMatchObject([
    { health: 'warn', text: expect.stringContaining('127.0.0.1:1 does not answer') },
  ])
  expect(await speechChecks(undefined, AbortSignal.timeout(10_000))).toEqual([])
})
