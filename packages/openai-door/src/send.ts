import type { ServerResponse } from 'node:http'
import type { Clock } from 'node-kit/clock'
import { type ApiError, bodyOf } from './errors.ts'

const json = 'application/json; charset=utf-8'

/** Answers with JSON. Does nothing if the client has disconnected. */
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
 * Delays the headers of an answer in one piece by `holdMs`. If the connection breaks before, clients repeat the request by themselves. After the
 * delay, the headers are sent, and each `beat` sends a space, which JSON allows.
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
    /** Ends the delay, because the answer is sent now. */
    release: disarm,
  }
}

/**
 * Sends `data:` events and comments. `isSlow` and `onDrain` let a caller collect text while a slow client has not received the earlier data, so that
 * not every piece needs a write.
 */
export function openEvents(response: ServerResponse) {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'X-Accel-Buffering': 'no',
  })
  response.flushHeaders()
  return {
    /** @param json must be one line */
    data: (json: string) => void response.write(`data: ${json}\n\n`),
    /** Sends an event with the name of its type. */
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
