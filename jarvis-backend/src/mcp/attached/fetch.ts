import { EventSourceParserStream } from 'eventsource-parser/stream'
import { isDeeperThan } from '../../lib/depth.ts'
import type { Reach } from './reach.ts'
import { type Asked, deepest, type Received } from './received.ts'
import { longestMessage } from './stdio-transport.ts'

const mostRedirects = 3

type FetchListener = {
  /** Called with the outcome of each request, because the client's errors do not contain it. */
  told(reach: Reach, method: string): void
  /** Called when a stream for the server's own messages ends, for whatever reason. */
  streamEnded(): void
}

/**
 * Returns a fetch that refuses requests and redirects to other hosts, so that the headers are sent only to this server. It ends an answer, or one
 * event of a stream, that is over 8 MB, and converts messages to the form of the specification. @param received converts the server's messages
 */
export function pinnedFetch(server: URL, received: Received, { told, streamEnded }: FetchListener): typeof fetch {
  return async (input, init) => {
    const asked = typeof init?.body === 'string' ? received.sending(parsed(init.body)) : undefined
    let url = new URL(input instanceof Request ? input.url : input)
    const method = init?.method ?? 'GET'
    const refuse = (words: string): never => {
      told({ words }, method)
      throw new Error(words)
    }
    for (let redirects = 0; ; redirects += 1) {
      if (url.origin !== server.origin)
        refuse(
          `${server.host} leads to another host, ${url.host}, which is not asked. Write that address into url if it is right.`,
        )
      const response = await fetch(url, { ...init, redirect: 'manual' }).catch((error: unknown) => {
        told({ error }, method)
        throw error
      })
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (location === null) {
        told({ status: response.status }, method)
        const isOwn = method === 'GET' || asked?.method === 'subscriptions/listen'
        return asSpecified(capped(response), { received, asked, ended: isOwn ? streamEnded : () => {} })
      }
      await response.body?.cancel()
      if (redirects === mostRedirects) refuse(`${server.host} redirects more than ${mostRedirects} times.`)
      url = new URL(location, url)
    }
  }
}

function capped(response: Response): Response {
  if (response.body === null) return response
  const isStream = response.headers.get('content-type')?.includes('event-stream') === true
  let length = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        // The data of an event is on one line, so the length is counted from the last line break.
        const lastEnd = isStream ? chunk.lastIndexOf(10) : -1
        length = lastEnd === -1 ? length + chunk.length : chunk.length - lastEnd - 1
        if (length > longestMessage) controller.error(new Error('It sent more than 8 MB at once.'))
        else controller.enqueue(chunk)
      },
    }),
  )
  const { status, statusText, headers } = response
  return new Response(counted, { status, statusText, headers })
}

type Reading = { received: Received; asked: Asked | undefined; ended(): void }

/** Returns the same answer with its messages converted by `received`. An answer whose content type is not JSON is read as JSON too. */
async function asSpecified(response: Response, reading: Reading): Promise<Response> {
  const { status, statusText, body } = response
  if (!response.ok || status === 202 || body === null) return response
  const headers = new Headers(response.headers)
  const type = (headers.get('content-type') ?? '').toLowerCase()
  if (type.includes('event-stream')) {
    const events = ReadableStream.from(eventsIn(body, reading)).pipeThrough(new TextEncoderStream())
    return new Response(events, { status, statusText, headers })
  }
  const { received, asked } = reading
  if (asked === undefined) return response
  const text = await response.text()
  const messages = received.messages(parsed(text), asked)
  if (messages.length === 0) return new Response(text, { status, statusText, headers })
  headers.set('content-type', 'application/json')
  return new Response(JSON.stringify(messages.length === 1 ? messages[0] : messages), { status, statusText, headers })
}

async function* eventsIn(body: ReadableStream<Uint8Array>, { received, asked, ended }: Reading) {
  let retry = ''
  const parser = new EventSourceParserStream({
    onRetry(ms) {
      retry = `retry: ${ms}\n`
    },
  })
  try {
    for await (const { id, event, data } of body.pipeThrough(new TextDecoderStream()).pipeThrough(parser)) {
      const isMessage = event === undefined || event === 'message'
      const messages = isMessage ? received.messages(parsed(data), asked) : []
      const texts = messages.length === 0 ? [data] : messages.map((message) => JSON.stringify(message))
      const head = `${retry}${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`
      retry = ''
      for (const text of texts) yield `${head}data: ${text.replaceAll('\n', '\ndata: ')}\n\n`
    }
  } finally {
    ended()
  }
}

/** Parses JSON; undefined if the text is not JSON, or is nested too deeply to be written again. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeperThan(value, deepest) ? undefined : value
  } catch {
    return undefined
  }
}
