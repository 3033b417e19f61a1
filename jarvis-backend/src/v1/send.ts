import type { ServerResponse } from 'node:http'
import type { Clock } from '../lib/clock.ts'
import { type ApiError, bodyOf } from './errors.ts'

const json = 'application/json; charset=utf-8'

/** Answers with JSON. No-op where the client has left. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.writableEnded || response.destroyed) return
  if (!response.headersSent) response.writeHead(status, { 'Content-Type': json })
  response.end(JSON.stringify(body))
}

export function sendError(response: ServerResponse, error: ApiError): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (error.retryAfterS !== undefined) response.setHeader('Retry-After', String(error.retryAfterS))
  if (error.isFinal) response.setHeader('x-should-retry', 'false')
  sendJson(response, error.status, bodyOf(error))
}

/**
 * Holds the headers of a whole answer back for `holdMs`, so that clients still ask again by themselves where the connection breaks. Then it
 * sends them; from then on `beat` sends a space, which JSON allows.
 */
export function holdHeaders(response: ServerResponse, clock: Clock, holdMs: number) {
  const disarm = clock.after(holdMs, () => {
    if (response.headersSent || response.destroyed) return
    response.writeHead(200, { 'Content-Type': json })
    response.write(' ')
  })
  response.once('close', disarm)
  return {
    beat() {
      if (response.headersSent && !response.writableEnded && !response.writableNeedDrain) response.write(' ')
    },
    /** Nothing is held back any more: the answer follows. */
    release: disarm,
  }
}

/** Sends `data:` events and comments. What a slow client has not taken is gathered, so that it costs no write for each piece. */
export function openEvents(response: ServerResponse) {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'X-Accel-Buffering': 'no',
  })
  response.flushHeaders()
  return {
    /** @param json one line */
    data: (json: string) => void response.write(`data: ${json}\n\n`),
    /** The same with the name of its type. */
    named: (type: string, json: string) => void response.write(`event: ${type}\ndata: ${json}\n\n`),
    comment(text: string) {
      if (!response.writableNeedDrain) response.write(`: ${text}\n\n`)
    },
    end: () => void response.end('data: [DONE]\n\n'),
    isSlow: () => response.writableNeedDrain,
    onDrain: (run: () => void) => void response.on('drain', run),
  }
}
export type Events = ReturnType<typeof openEvents>
