import type { Requester } from '../protocol/index.ts'
import type { Origin } from './origin.ts'

/**
 * Who asks for the calls of a run. `hasModel`: a model makes them from what the person wrote; else the person or client
 * names the one call.
 */
export type Principal =
  | { kind: 'person'; name: string; hasModel: boolean }
  /** `name`: how it calls itself, not checked. `token`: as in its origin. */
  | { kind: 'client'; name: string; hasModel: false; token?: string }

export function principalOf(origin: Origin): Principal {
  if (origin.kind !== 'mcp') return { kind: 'person', name: origin.by, hasModel: origin.kind === 'chat' }
  const { client: name, token } = origin
  return { kind: 'client', name, hasModel: false, ...(token !== undefined && { token }) }
}

/** A principal as stored rows and clients have it. @param modelId what makes the calls, where a model does */
export function requesterOf(principal: Principal, modelId: string): Requester {
  const { kind, name, hasModel, ...token } = principal
  if (kind === 'client') return { kind: 'mcp', name, ...token }
  return hasModel ? { kind: 'chat', name: modelId } : { kind: 'command', name }
}

/** What a stored row tells of its principal. */
export const principalIn = ({ kind }: Pick<Requester, 'kind'>): Pick<Principal, 'kind'> => ({
  kind: kind === 'mcp' ? 'client' : 'person',
})
