import { longestMessage } from './stdio-transport.ts'

const mostRedirects = 3

/**
 * A fetch that stays with the server the operator named: another host is neither asked nor redirected to, so its headers
 * go nowhere else; and an answer, or one event of a stream, is cut off where it is over 8 MB.
 */
export function pinnedFetch(server: URL): typeof fetch {
  return async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : input)
    for (let redirects = 0; ; redirects += 1) {
      if (url.origin !== server.origin) throw new Error(`It leads to another host, ${url.host}, which is not asked.`)
      const response = await fetch(url, { ...init, redirect: 'manual' })
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (location === null) return capped(response)
      await response.body?.cancel()
      if (redirects === mostRedirects) throw new Error(`It redirects more than ${mostRedirects} times.`)
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
