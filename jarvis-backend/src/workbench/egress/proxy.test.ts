import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcp, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Allows, openWay, type Way } from './proxy.ts'
import type { Reaching } from './reach.ts'

const listen = async (server: Server) => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A site that answers with the request. */
const site = () =>
  listen(
    createServer((asked, reply) => {
      asked.resume().on('end', () => {
        const { method, url, headers } = asked
        reply.writeHead(200, { 'x-seen': 'yes' }).end(JSON.stringify({ method, url, headers }))
      })
    }),
  )

/** Every name leads to loopback, which the production rule refuses. */
const toLoopback: Reaching = { resolve: async () => ['127.0.0.1'], isAllowed: (address) => address === '127.0.0.1' }

async function way(allows: Allows | readonly string[], parts: Reaching = toLoopback): Promise<Way> {
  const rule: Allows =
    typeof allows === 'function' ? allows : (place) => (allows.includes(place) ? 'public' : undefined)
  const opened = await openWay(rule, parts)
  onTestFinished(() => opened.close())
  return opened
}

/** Sends raw text to the proxy and reads until it closes, or until `until` came. */
async function raw(socketPath: string, text: string, until?: string): Promise<string> {
  const socket = connect(socketPath)
  let got = ''
  socket.on('data', (chunk) => {
    got += chunk
    if (until !== undefined && got.includes(until)) socket.end()
  })
  socket.write(text)
  await once(socket, 'close')
  return got
}

async function get(socketPath: string, url: string, headers = {}): Promise<{ status?: number; body: string }> {
  const asked = request({ socketPath, path: url, headers, agent: false })
  asked.end()
  const [reply] = (await once(asked, 'response')) as [IncomingMessage]
  let body = ''
  for await (const chunk of reply) body += chunk
  return { status: reply.statusCode ?? 0, body }
}

test('carries plain HTTP to a listed place, and counts what it carried', async () => {
  const port = await site()
  const { socket, contacts } = await way([`example.org:${port}`])
  const { status, body } = await get(socket, `http://example.org:${port}/a?b=1`, {
    host: 'other.test',
    'proxy-authorization': 'Basic x',
    connection: 'x-mine',
    'x-mine': '1',
    'x-kept': '2',
  })
  const seen = JSON.parse(body)
  expect(status).toBe(200)
  expect(seen).toMatchObject({ method: 'GET', url: '/a?b=1', headers: { host: `example.org:${port}`, 'x-kept': '2' } })
  expect(Object.keys(seen.headers)).not.toContain('proxy-authorization')
  expect(Object.keys(seen.headers)).not.toContain('x-mine')
  const [contact] = contacts()
  expect(contact).toMatchObject({ place: `example.org:${port}` })
  expect(contact?.refused).toBeUndefined()
  expect(contact?.receivedBytes).toBeGreaterThan(100)
})

test('carries a tunnel both ways', async () => {
  const port = await listen(createTcp((socket) => socket.pipe(socket)))
  const { socket, contacts } = await way([`example.org:${port}`])
  const got = await raw(socket, `CONNECT example.org:${port} HTTP/1.1\r\n\r\nhello`, 'hello')
  expect(got).toMatch(/^HTTP\/1.1 200 .*\r\n\r\nhello$/s)
  await expect.poll(() => contacts()[0]).toMatchObject({ sentBytes: 5, receivedBytes: 5 })
})

test('notes a place that is not on the list, without resolving it', async () => {
  const resolved: string[] = []
  const resolve = async (host: string) => [resolved.push(host), '127.0.0.1'].slice(1) as string[]
  const { socket, contacts } = await way(['example.org:443'], { ...toLoopback, resolve })
  expect((await get(socket, 'http://evil.test/?secret=1')).status).toBe(403)
  expect(await raw(socket, 'CONNECT evil.test:443 HTTP/1.1\r\n\r\n')).toContain('evil.test:443: is not on the list')
  expect(await raw(socket, 'CONNECT example.org:22 HTTP/1.1\r\n\r\n')).toContain('403')
  expect(resolved).toEqual([])
  const refused = ['evil.test:80', 'evil.test:443', 'example.org:22'].map((place) => ({
    place,
    refused: 'not_listed',
    sentBytes: 0,
    receivedBytes: 0,
  }))
  expect(contacts()).toEqual(refused)
})

test.each([
  ['this machine', ['127.0.0.1']],
  ['the home network', ['192.168.1.1']],
  ['a cloud’s metadata', ['169.254.169.254']],
  ['a public address and a private one', ['93.184.216.34', '10.0.0.1']],
  ['a mapped address', ['::ffff:127.0.0.1']],
])('reaches no name that leads to %s', async (_, addresses) => {
  const { socket, contacts } = await way(() => 'public', { resolve: async () => addresses })
  expect(await raw(socket, 'CONNECT rebound.test:443 HTTP/1.1\r\n\r\n')).toContain('is not a public address')
  expect((await get(socket, 'http://rebound.test/')).status).toBe(403)
  expect(contacts().map(({ refused }) => refused)).toEqual(['private', 'private'])
})

test.each(['127.0.0.1', '169.254.169.254', '::1'])('a place listed as private is not %s', async (address) => {
  const { socket } = await way(() => 'private', { resolve: async () => [address] })
  expect((await get(socket, 'http://jellyfin.lan:8096/')).body).toContain('is not a public address')
})

test('connects to the address that it judged, whatever the name is a moment later', async () => {
  const port = await site()
  let asked = 0
  const resolve = async () => [asked++ === 0 ? '127.0.0.1' : '127.0.0.2']
  const { socket } = await way(() => 'public', { ...toLoopback, resolve })
  expect((await get(socket, `http://example.org:${port}/`)).status).toBe(200)
  expect(asked).toBe(1)
})

test.each([
  'CONNECT example.org%00.evil.test:443 HTTP/1.1',
  'CONNECT b\xc3\xbccher.test:443 HTTP/1.1',
  'CONNECT user@example.org:443 HTTP/1.1',
  'CONNECT 2130706433:443 HTTP/1.1',
  'CONNECT example.org HTTP/1.1',
  'GET http://user@example.org/ HTTP/1.1',
  'GET http://example.org%2f@evil.test/ HTTP/1.1',
  'GET http://127.1/ HTTP/1.1',
  'GET https://example.org/ HTTP/1.1',
  'GET / HTTP/1.1',
  'GET file:///etc/passwd HTTP/1.1',
])('refuses %j before it is matched', async (line) => {
  const asked: string[] = []
  const { socket, contacts } = await way((place) => {
    asked.push(place)
    return 'public'
  })
  const got = await raw(socket, `${line}\r\nHost: example.org\r\nConnection: close\r\n\r\n`)
  expect(got).toMatch(/^HTTP\/1\.1 40[03] /)
  expect([asked, contacts()]).toEqual([[], []])
})

test('a NUL in the host ends the request', async () => {
  const { socket, contacts } = await way(() => 'public')
  expect(await raw(socket, 'CONNECT example.org\0.evil.test:443 HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 40[03] /)
  expect(contacts()).toEqual([])
})

test('closing it ends its connections and removes the socket', async () => {
  const port = await listen(createTcp((socket) => socket.pipe(socket)))
  const opened = await openWay(() => 'public', toLoopback)
  const socket = connect(opened.socket)
  socket.write(`CONNECT example.org:${port} HTTP/1.1\r\n\r\n`)
  await once(socket, 'data')
  await Promise.all([once(socket, 'close'), opened.close()])
  expect(existsSync(opened.socket)).toBe(false)
})
