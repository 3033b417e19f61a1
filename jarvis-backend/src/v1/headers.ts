import type { IncomingMessage } from 'node:http'
import type { Manner } from './conduct.ts'
import { badField } from './errors.ts'

/** Reads the header `Jarvis-Confirmation`. @throws ApiError 400 */
export function mannerOf(request: IncomingMessage): Manner {
  const said = headerOf(request, 'jarvis-confirmation')
  if (said === undefined || said === 'pending' || said === 'wait') return said
  throw badField('Jarvis-Confirmation', 'The header Jarvis-Confirmation is pending or wait.')
}

/** The session that a request names. Open WebUI asks for titles and tags unstreamed under the id of the chat, which must not get them. */
export function sessionIn(request: IncomingMessage, isStreamed: boolean): string | undefined {
  const own = headerOf(request, 'jarvis-session')
  const named = own ?? (isStreamed ? headerOf(request, 'x-openwebui-chat-id') : undefined)
  if (named !== undefined && named.length > 200)
    throw badField('Jarvis-Session', 'A session has at most 200 characters.')
  return named
}

/** How a request says that it repeats another one. `key`: its `Idempotency-Key`. */
export const repetitionIn = (request: IncomingMessage) => ({
  key: headerOf(request, 'idempotency-key')?.slice(0, 200),
  isRetry: Number(headerOf(request, 'x-stainless-retry-count') ?? 0) > 0,
})

/** A header that is not empty. LibreChat sends one whose placeholder had no value as it is written. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return typeof value !== 'string' || value.trim() === '' || value.startsWith('{{') ? undefined : value.trim()
}
