import { hashOf } from 'node-kit/canonical'
import { type Card, firstOwnerId, mainAgentId, type Target, type ToolInput } from 'protocol'
import { rightsOf } from '../agent/principal.ts'
import type { Scope } from '../gate/index.ts'

/**
 * Equal for two calls that a person would call the same: tool, arguments and target. SHA-256 in hex. The argument `node` is left
 * out: for a guest it is only a hint, and elsewhere the target's id has it.
 */
export function callKey({ toolName, input, target }: { toolName: string; input: ToolInput; target: Target }): string {
  const { node: _, ...rest } = input
  return hashOf({ version: 1, toolName, input: rest, target: target.id })
}

/**
 * The key of a grant for a scope, in place of a call's key: effects of one kind in a folder or on a site, in one conversation. A root that
 * policy.yaml moves elsewhere is another folder. SHA-256 in hex.
 */
export const scopeKey = ({ of, id, at }: Scope, sessionId: string): string =>
  hashOf({ version: 1, scope: { of, id, at }, sessionId })

/**
 * The key that a grant is bound to: the same call about a target of the same name, asked for by the same rule, by the same kind of
 * principal of the same person. A grant to the chat does not serve an MCP client or a job. A grant to one person, token, job or agent does
 * not serve another one. A grant without an agent is main's. A grant without a person is the first owner's, and has the key that older
 * releases gave it. A grant to an agent does not serve the agents that it asks, nor the other way round.
 * @param forHelpers the grant serves child runs of the principal too, so it has a key that `grantKeys` finds for both
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

/** The keys of all grants that may cover a call: its principal's own, and for a child run the grants that its parent got for both. */
export function grantKeys(key: string, card: Pick<Card, 'rule' | 'target' | 'requestedBy'>): string[] {
  const { for: askedBy, agent: _, ...who } = card.requestedBy
  if (askedBy === undefined) return [grantKey(key, card), grantKey(key, card, true)]
  const parent = askedBy === mainAgentId ? who : { ...who, agent: askedBy }
  return [grantKey(key, card), grantKey(key, { ...card, requestedBy: parent }, true)]
}
