import type { IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'

/** One event larger than this is no model's. */
const maxEventChars = 16 * 1024 * 1024

/**
 * Hands on the data of each event as its bytes arrive, within the same tick; or the body, where it is one object.
 * @param take returns true once the reply is complete; what follows is drained unread
 * @returns when `take` was satisfied or the body ended. @throws what `take` threw, or why the connection broke; it is closed then.
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
    // Some servers pass over `stream`, or tell of an error with a 200: one object comes instead of events.
    let object: string | undefined
    let isBegun = false
    if (body.destroyed) return fail(body.errored ?? new Error('the connection closed'))
    // The stream keeps characters whole across chunks.
    body.setEncoding('utf8')
    body.on('data', (chunk: string) => {
      if (isDone) return
      try {
        if (!isBegun && /^\s*\{/.test(chunk)) object = ''
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
        // The last event may lack the empty line behind it.
        if (object === undefined) parser.feed('\n\n')
        else take(object)
      } catch (error) {
        // What is cut off cannot be read: the reply is not whole, and its reader says so.
        if (!(error instanceof TypeError)) return fail(error)
      }
      finish()
    })
    body.on('error', fail)
    return undefined
  })
}
