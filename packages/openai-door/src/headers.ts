import type { IncomingMessage } from 'node:http'
import { badField } from './errors.ts'

/** `pending`: the answer ends as soon as a card waits. `wait`: the answer ends only with the run. Undefined: the default. */
export type Manner = 'pending' | 'wait' | undefined

/** Reads the header `Jarvis-Confirmation`. @throws ApiError 400 */
export function mannerOf(request: IncomingMessage): Manner {
  const said = headerOf(request, 'jarvis-confirmation')
  if (said === undefined || said === 'pending' || said === 'wait') return said
  throw badField('Jarvis-Confirmation', 'The header Jarvis-Confirmation is pending or wait.')
}

/**
 * Returns the session that a request names. Open WebUI sends unstreamed requests for titles and tags with the id of the chat; these requests must
 * not join the chat's session.
 */
export function sessionIn(request: IncomingMessage, isStreamed: boolean): string | undefined {
  const own = headerOf(request, 'jarvis-session')
  const named = own ?? (isStreamed ? headerOf(request, 'x-openwebui-chat-id') : undefined)
  if (named !== undefined && named.length > 200)
    throw badField('Jarvis-Session', 'A session has at most 200 characters.')
  return named
}

/** Returns the agent that the header `Jarvis-Agent` names. */
export const agentIn = (request: IncomingMessage): string | undefined => headerOf(request, 'jarvis-agent')

/** Reads the headers that mark a repeated request. `key`: its `Idempotency-Key`. `isRetry`: the client marks the request as a retry. */
export const repetitionIn = (request: IncomingMessage) => ({
  key: headerOf(request, 'idempotency-key')?.slice(0, 200),
  isRetry: Number(headerOf(request, 'x-stainless-retry-count') ?? 0) > 0,
})

/** Returns a header that is set and not empty. LibreChat sends the unreplaced placeholder if there is no value; this counts as not set. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return typeof value !== 'string' || value.trim() === '' || value.startsWith('{{') ? undefined : value.trim()
}
