import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { proverOf } from '../src/cli/remote/reach.ts'
import { createRemote } from '../src/cli/remote/remote.ts'
import { challengeHeader, proofHeader, proofOf, serverProofKey } from '../src/lib/server-proof.ts'
import { folder } from './support/data-dir.ts'
import { startJarvis } from './support/start-jarvis.ts'

/** A program that listens where JARVIS would. */
async function squat(answer: RequestListener) {
  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

test('a command sends its token and what is typed to the server of its data dir alone', async () => {
  const dataDir = folder()
  const jarvis = await startJarvis({ dataDir })
  await createRemote(jarvis.url, jarvis.token('operator'), proverOf(dataDir, jarvis.url)).call('GET /api/sessions')

  const silent = await squat((_request, response) => response.end('{}'))
  const lies = await squat((request, response) =>
    response.setHeader(proofHeader, String(request.headers[challengeHeader])).end('{}'),
  )
  // It passes the challenge on to the real server, which proves another port.
  const relay = await squat(async (request, response) => {
    const headers = { [challengeHeader]: String(request.headers[challengeHeader]) }
    const proof = (await fetch(`${jarvis.url}/health`, { headers })).headers.get(proofHeader)
    expect(proof).toMatch(/^[0-9a-f]{64}$/)
    response.setHeader(proofHeader, proof ?? '').end('{}')
  })
  const away = await squat((_request, response) => response.writeHead(307, { location: `${jarvis.url}/health` }).end())
  for (const { url, heard } of [silent, lies, relay, away]) {
    const remote = createRemote(url, 'secret', proverOf(dataDir, url))
    await expect(remote.call('GET /api/sessions')).rejects.toThrow(/did not prove|No JARVIS answers/)
    await expect(remote.as('other').call('POST /api/auth/login', { body: { password: 'typed' } })).rejects.toThrow()
    await expect(remote.open('GET /api/events')).rejects.toThrow()
    expect([...new Set(heard)]).toEqual(['GET /health '])
  }
})

test('what follows the proof goes over the connection that was proven, or nowhere', async () => {
  const dataDir = folder()
  const key = serverProofKey(dataDir)
  const sockets: unknown[] = []
  let ends = false
  const server = await squat((request, response) => {
    sockets.push(request.socket)
    if (ends) response.setHeader('connection', 'close')
    response.setHeader('x', ['1', '2'])
    const proof = proofOf(key, request.headers[challengeHeader], Number(new URL(server.url).port))
    if (proof !== undefined) response.setHeader(proofHeader, proof)
    response.end('{"items":[]}')
  })
  const remote = createRemote(server.url, 'secret', proverOf(dataDir, server.url))
  expect(await remote.call('GET /api/sessions')).toEqual({ items: [] })
  expect(server.heard).toEqual(['GET /health ', 'GET /api/sessions Bearer secret'])
  expect(sockets[1]).toBe(sockets[0])
  // A server that ends after its proof may be followed by another program.
  ends = true
  await expect(remote.call('GET /api/sessions')).rejects.toThrow('No JARVIS answers')
  expect(server.heard.slice(2)).toEqual(['GET /health '])
})

test('a server proves nothing to whoever asks for something else than a challenge', async () => {
  const { url } = await startJarvis()
  for (const challenge of ['', 'x', 'a'.repeat(63), 'A'.repeat(64), `${'a'.repeat(64)}0`])
    expect((await fetch(`${url}/health`, { headers: { [challengeHeader]: challenge } })).headers.has(proofHeader)).toBe(
      false,
    )
})
