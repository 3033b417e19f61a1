import type { IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'

/** One event larger than this is no model's. */
const maxEventChars = 16 * 1024 * 1024

/**
 * Hands on the data of each event as its bytes arrive, within the same tick.
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
        if (!isDone && take(data)) finish()
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') throw error
      },
    })
    if (body.destroyed) return fail(body.errored ?? new Error('the connection closed'))
    // The stream keeps characters whole across chunks.
    body.setEncoding('utf8')
    body.on('data', (chunk: string) => {
      if (isDone) return
      try {
        parser.feed(chunk)
      } catch (error) {
        fail(error)
      }
    })
    body.on('end', finish)
    body.on('error', fail)
    return undefined
  })
}
