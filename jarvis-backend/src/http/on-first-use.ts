import type { RequestListener } from 'node:http'

/** A route whose code is loaded by its first request: what is not used costs neither time at the start nor memory. */
export function onFirstUse(
  load: () => Promise<RequestListener>,
  report: (error: unknown, message: string) => void,
): RequestListener {
  let loading: Promise<RequestListener> | undefined
  let loaded: RequestListener | undefined
  return (request, response) => {
    if (loaded !== undefined) return loaded(request, response)
    loading ??= load()
    loading.then(
      (handle) => {
        loaded = handle
        handle(request, response)
      },
      (error: unknown) => {
        report(error, 'a part of JARVIS could not be loaded')
        response.writeHead(500).end()
      },
    )
  }
}
