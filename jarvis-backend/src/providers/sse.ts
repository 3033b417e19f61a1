import type { IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'

/** Longest event, characters; no model sends larger ones. */
const maxEventChars = 16 * 1024 * 1024

/**
 * Passes on the data of each event in the tick in which its bytes arrive; or the body, if it is JSON.
 * @param take returns true once the reply is complete; the rest is drained unread
 * @returns resolves when `take` returned true or the body ended. @throws what `take` threw, or why the connection broke; the connection
 * is closed then
 */
export function readEvents(body: IncomingMessage, take: (data: string) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let isDone = false
    const fail = (error: unknown) => {
      isDone = true
      reject(error)
      body.destroy()
    }
    const finish = () => {
      isDone = true
      resolve()
    }
    const parser = createParser({
      maxBufferSize: maxEventChars,
      onEvent: ({ data }) => {
        if (!isDone && data !== '' && take(data)) finish()
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') throw error
      },
    })
    // Some servers ignore `stream`, or report an error with status 200: the body is then JSON instead of events.
    let object: string | undefined
    let isBegun = false
    if (body.destroyed) return fail(body.errored ?? new Error('the connection closed'))
    // `setEncoding` keeps characters whole across chunks.
    body.setEncoding('utf8')
    body.on('data', (chunk: string) => {
      if (isDone) return
      try {
        if (!isBegun && /^\s*[[{]/.test(chunk)) object = ''
        isBegun = true
        if (object === undefined) parser.feed(chunk)
        else object += chunk
        if (object !== undefined && object.length > maxEventChars) throw new Error('the answer is too long')
      } catch (error) {
        fail(error)
      }
    })
    body.on('end', () => {
      if (isDone) return
      try {
        // The last event may lack its empty line.
        if (object === undefined) parser.feed('\n\n')
        else take(object)
      } catch (error) {
        // A truncated object cannot be parsed; the reader then reports that the reply is incomplete.
        if (!(error instanceof TypeError)) return fail(error)
      }
      finish()
    })
    body.on('error', fail)
    return undefined
  })
}
