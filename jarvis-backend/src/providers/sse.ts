import type { IncomingMessage } from 'node:http'
import { isJson } from './joined-calls.ts'

/** Maximum length of an event, characters; no model sends larger ones. */
const maxEventChars = 16 * 1024 * 1024

/**
 * Passes the data of each event to `take` in the tick in which its bytes arrive. If the body is JSON, passes the whole body.
 * @param take returns true once the reply is complete; the rest of the body is then discarded
 * @returns resolves when `take` returned true or the body ended.
 * @throws the error that `take` threw, or the error that broke the connection; the connection is closed then
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
    const lines = createLineReader((data) => {
      if (!isDone && take(data)) finish()
    })
    if (body.destroyed) return fail(body.errored ?? new Error('the connection closed'))
    // `setEncoding` keeps characters whole across chunks.
    body.setEncoding('utf8')
    body.on('data', (chunk: string) => {
      if (isDone) return
      try {
        lines.feed(chunk)
      } catch (error) {
        fail(error)
      }
    })
    body.on('end', () => {
      if (isDone) return
      try {
        lines.end()
      } catch (error) {
        // A truncated event cannot be parsed; the reader then reports that the reply is incomplete.
        if (!(error instanceof TypeError) || !lines.isObject()) return fail(error)
      }
      finish()
    })
    body.on('error', fail)
    return undefined
  })
}

/**
 * Finds the events in a body. Accepts servers that end an event with one newline, or leave out `data:`. Some servers ignore `stream`, or report an
 * error with status 200: the body is then one JSON object.
 */
function createLineReader(take: (data: string) => void) {
  let rest: string[] = []
  let chars = 0
  /** Lines of the present event, or of the one JSON object. */
  let held: string[] = []
  let isBegun = false
  let isObject = false

  const flush = () => {
    const data = held.join('\n')
    held = []
    if (data !== '') take(data)
  }

  function line(given: string) {
    const text = given.endsWith('\r') ? given.slice(0, -1) : given
    if (isObject) return void held.push(text)
    const bare = text.trim()
    if (bare === '') return held.length > 0 ? flush() : undefined
    const isData = text.startsWith('data:')
    // Google reports errors as a list, so `[` may begin a JSON body too.
    const isBare = /^[[{]/.test(bare)
    if (!isBegun && isBare && bare !== '[DONE]' && !isJson(bare)) {
      isObject = true
      held.push(text)
    } else if (isData || isBare) {
      const data = isData ? text.slice(text[5] === ' ' ? 6 : 5) : bare
      const isWhole = /^[[{]/.test(data) && /[\]}]$/.test(data.trimEnd())
      if (held.length === 0 && isWhole) take(data)
      else held.push(data)
    }
    isBegun = true
  }

  return {
    isObject: () => isObject,
    feed(chunk: string) {
      let from = 0
      for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
        rest.push(chunk.slice(from, end))
        const whole = rest.join('')
        rest = []
        from = end + 1
        line(whole)
        chars = held.length === 0 ? 0 : chars + whole.length
      }
      if (from < chunk.length) rest.push(chunk.slice(from))
      chars += chunk.length - from
      if (chars > maxEventChars) throw new Error('the answer is too long')
    },
    end() {
      const last = rest.join('')
      rest = []
      if (last !== '') line(last)
      flush()
    },
  }
}
