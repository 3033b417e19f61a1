import type { Reach } from './reach.ts'
import { longestMessage } from './stdio-transport.ts'

const mostRedirects = 3

/**
 * A fetch that refuses other hosts and redirects to them, so that the headers go nowhere else. It cuts off an answer,
 * or one event of a stream, over 8 MB.
 * @param told called with each request's outcome, which the client's errors do not carry
 */
export function pinnedFetch(server: URL, told: (reach: Reach, method: string) => void): typeof fetch {
  return async (input, init) => {
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
        return capped(response)
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
        // An event has its data on one line.
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
