import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createEventStreams, type EventStream, mostStreams } from '../src/http/event-streams.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { openEvents } from './support/sse-client.ts'

const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600

/** Streams on a real server, without the rest of JARVIS. Each token is its own hash. */
async function serve(exp = inAnHour) {
  const clock = createFakeClock(0)
  const streams = createEventStreams(clock)
  const open = new Map<string, EventStream>()
  const server = createServer((request, response) => {
    const tokenHash = request.headers.authorization?.slice('Bearer '.length) ?? ''
    try {
      const id = tokenHash.startsWith('ann') ? 'per_ann' : 'operator'
      const person = { id, name: id, role: 'owner' }
      const identity = { sub: 'operator', role: 'operator' as const, person, exp: exp(), tokenHash }
      const ended = () => void open.delete(tokenHash)
      const stream = streams.open({ response, identity, stillCounts: () => {}, key: request.url ?? '', ended })
      open.set(tokenHash, stream)
    } catch (error) {
      response.writeHead(429).end(String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { clock, streams, open, port, url: `http://127.0.0.1:${port}` }
}

test('a client that does not read is cut off, and one that reads hears all', async () => {
  const { streams, open, port, url } = await serve()
  const reader = await openEvents(`${url}/ses_1`, 'reader')
  const lazy = connect(port, '127.0.0.1')
  onTestFinished(() => void lazy.destroy())
  lazy.write(`GET /ses_1 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer lazy\r\n\r\n`)
  await once(lazy, 'data')
  lazy.pause()

  // More than the system's own buffers hold.
  const payload = { text: 'x'.repeat(250_000) }
  const rounds = 80
  for (let id = 0; id < rounds; id++) {
    for (const stream of open.values()) stream.send('chat:token', payload, id)
    await reader.until((heard) => heard.id === String(id))
  }
  expect([...open.keys()]).toEqual(['reader'])
  expect(streams.size()).toBe(1)
  let bytes = 0
  const cut = new Promise((resolve) => lazy.once('close', resolve))
  lazy
    .on('error', () => {})
    .on('data', (piece: Buffer) => {
      bytes += piece.length
    })
  lazy.resume()
  await cut
  expect(bytes).toBeLessThan(rounds * payload.text.length)
  reader.close()
})

test('for 15 minutes what is quiet is kept open by a comment each 15 s, and no timer runs where nothing is open', async () => {
  const { clock, streams, open, url } = await serve()
  const clients = await Promise.all(['a', 'b'].map((name) => openEvents(`${url}/ses_1`, name)))
  for (let beat = 1; beat <= 60; beat++) {
    await clock.advance(15_000)
    for (const [name, stream] of open) stream.send('beat', { beat }, `${name}${beat}`)
    for (const client of clients) await client.until(({ data }) => data.beat === beat)
    expect(clients.map(({ comments }) => comments)).toEqual([beat, beat])
  }
  expect(clock.pending()).toBe(1)
  streams.drop({ tokenHash: 'a' })
  await clients[0]?.ended
  expect(streams.size()).toBe(1)
  streams.dropAll()
  await clients[1]?.ended
  await clock.advance(15_000)
  expect(clock.pending()).toBe(0)
})

test('a stream ends with its token, and nobody takes another person’s place', async () => {
  const soon = await serve(() => Math.ceil(Date.now() / 1000))
  const brief = await openEvents(`${soon.url}/ses_1`, 'brief')
  await brief.ended

  const { url } = await serve()
  const open = async (name: string, path = '/ses_1') => openEvents(url + path, name)
  await Promise.all(Array.from({ length: mostStreams }, (_, index) => open(`token${index}`)))
  await expect(open('one more')).rejects.toThrow('429')
  await expect(open('one more', '/ses_2')).resolves.toBeDefined()
  await expect(open('ann')).resolves.toBeDefined()
})
