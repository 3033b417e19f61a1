import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Recorded = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent; the tests say what it should be
  body: any
  /** Resolves when the connection closed before the answer was whole. */
  cut: Promise<void>
}
export type Play = (response: ServerResponse, request: Recorded) => void

/** A provider's server on loopback that plays one script for each request but a GET, and keeps what it was asked. */
export async function modelServer() {
  const requests: Recorded[] = []
  const plays: Play[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    // It lists no models.
    if (request.method === 'GET') return void response.writeHead(404).end()
    const recorded: Recorded = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
      cut: new Promise((resolve) => response.on('close', () => !response.writableFinished && resolve())),
    }
    requests.push(recorded)
    const play = plays.shift()
    if (play === undefined) response.writeHead(500).end('unexpected request')
    else play(response, recorded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    plays,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const head = { 'content-type': 'text/event-stream; charset=utf-8' }

/** The events in one write each, then the end. */
export const streams =
  (events: readonly string[]): Play =>
  (response) => {
    response.writeHead(200, head)
    for (const event of events) response.write(event)
    response.end()
  }

/** Every byte in a chunk of its own. */
export const dribbles =
  (events: readonly string[]): Play =>
  (response) => {
    response.writeHead(200, head)
    for (const byte of Buffer.from(events.join(''))) response.write(Buffer.of(byte))
    response.end()
  }

/** The events, and then nothing, with the connection open. */
export const stalls =
  (events: readonly string[]): Play =>
  (response) => {
    response.writeHead(200, head)
    response.flushHeaders()
    for (const event of events) response.write(event)
  }

/** The events, and then a connection torn down. */
export const tears =
  (events: readonly string[]): Play =>
  (response) => {
    response.writeHead(200, head)
    response.write(events.join(''), () => response.socket?.destroy())
  }

export const refuses =
  (status: number, body: string, headers: Record<string, string> = {}): Play =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
