import type { RequestListener } from 'node:http'

/** A listener whose code is loaded by its first request, which saves memory and time at the start. */
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
