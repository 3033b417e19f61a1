import { namedAgent } from './orders.ts'

/**
 * The destination of a message: the chat's current session, or a new session. The agent of a new session is the one that the message names, or the
 * one that the bindings choose.
 */
export type Destination = { session: 'current'; sessionId: string } | { session: 'new'; agent: 'named' | 'bound' }

/**
 * Decides the destination of a message. A message that names an agent other than the current session's begins a new session.
 * @param current the chat's current session; undefined if there is none, or the person asked for a new one
 */
export function destinationOf(
  text: string,
  current: { sessionId: string; agent: string } | undefined,
  hasAgent: (id: string) => boolean,
): Destination {
  const name = namedAgent(text)
  const named = name !== undefined && hasAgent(name) ? name : undefined
  if (current !== undefined && (named === undefined || named === current.agent))
    return { session: 'current', sessionId: current.sessionId }
  return { session: 'new', agent: named === undefined ? 'bound' : 'named' }
}
