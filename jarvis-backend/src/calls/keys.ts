import { hashOf } from 'node-kit/canonical'
import { type Card, firstOwnerId, mainAgentId, type Target, type ToolInput } from 'protocol'
import { rightsOf } from '../agent/principal.ts'
import type { Scope } from '../gate/index.ts'

/**
 * What makes two calls the same to a person: tool, arguments and target. SHA-256 in hex. The argument `node` is left
 * out: for a guest it is only a hint, and elsewhere the target's id says it.
 */
export function callKey({ toolName, input, target }: { toolName: string; input: ToolInput; target: Target }): string {
  const { node: _, ...rest } = input
  return hashOf({ version: 1, toolName, input: rest, target: target.id })
}

/**
 * What stands in a grant's key in place of one call: effects of one kind in a folder or on a site, in one conversation. A root that
 * policy.yaml moves elsewhere is another folder. SHA-256 in hex.
 */
export const scopeKey = ({ of, id, at }: Scope, sessionId: string): string =>
  hashOf({ version: 1, scope: { of, id, at }, sessionId })

/**
 * What a grant is bound to: the same call about a target of the same name, asked for by the same rule, by the same kind
 * of principal of the same person: what was granted to the chat serves no MCP client or job, one person's, token's or job's grant no other, and one
 * agent's no other agent. What has no agent is main's, and what has no person the first owner's, with the key that older releases gave it. What an agent is granted serves none that it asks, nor the other way round.
 * @param forHelpers it serves child runs of the principal too, so it has a key that `grantKeys` finds for both
 */
export function grantKey(key: string, about: Pick<Card, 'rule' | 'target' | 'requestedBy'>, forHelpers?: true): string {
  const { rule, target, requestedBy } = about
  const { kind, token, name, job, agent, for: askedBy } = requestedBy
  const person = requestedBy.person === firstOwnerId ? undefined : requestedBy.person
  const asker = rightsOf(requestedBy).sharesGrants ? undefined : name
  return hashOf({
    version: 1,
    key,
    rule,
    name: target.name,
    kind,
    token,
    asker,
    job,
    agent,
    askedBy,
    forHelpers,
    person,
  })
}

/** The keys of all grants that may cover a call: its principal's own, and of a child run those that its parent was given for both. */
export function grantKeys(key: string, card: Pick<Card, 'rule' | 'target' | 'requestedBy'>): string[] {
  const { for: askedBy, agent: _, ...who } = card.requestedBy
  if (askedBy === undefined) return [grantKey(key, card), grantKey(key, card, true)]
  const parent = askedBy === mainAgentId ? who : { ...who, agent: askedBy }
  return [grantKey(key, card), grantKey(key, { ...card, requestedBy: parent }, true)]
}
