import { hashOf } from 'node-kit/canonical'
import { type Card, firstOwnerId, mainAgentId, type Target, type ToolInput } from 'protocol'
import { rightsOf } from '../agent/principal.ts'
import type { Scope } from '../gate/index.ts'

/**
 * Returns a key that is equal for two calls that a person would call the same: same tool, arguments and target. SHA-256 in hex. The argument `node`
 * is left out: for a guest it is only a hint, and otherwise the target's id contains the node.
 */
export function callKey({ toolName, input, target }: { toolName: string; input: ToolInput; target: Target }): string {
  const { node: _, ...rest } = input
  return hashOf({ version: 1, toolName, input: rest, target: target.id })
}

/**
 * Returns the key of a grant for a scope, used in place of a call's key. It covers effects of one kind, in a folder or on a website, in one
 * conversation. If policy.yaml moves a root elsewhere, the key changes with the folder. SHA-256 in hex.
 */
export const scopeKey = ({ of, id, at }: Scope, sessionId: string): string =>
  hashOf({ version: 1, scope: { of, id, at }, sessionId })

/**
 * Returns the key that a grant is bound to. Two calls have the same key if all of these are the same: the call's key, the rule that asked, the name
 * of the target, and the requester (its kind, person, token, job and agent). So a grant to the chat does not cover an MCP client or a job. A grant to
 * an agent does not cover the agents to which it delegates, nor the reverse. Without an agent, the requester is the main agent. The first owner is
 * not part of the hash, so that the keys of older releases stay valid.
 * @param forHelpers true: the grant also covers the child runs of the requester. `grantKeys` returns such a key for the requester and its child runs
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

/** Returns the keys of all grants that may cover a call: the principal's own, and for a child run also the grants that its parent got for both. */
export function grantKeys(key: string, card: Pick<Card, 'rule' | 'target' | 'requestedBy'>): string[] {
  const { for: askedBy, agent: _, ...who } = card.requestedBy
  if (askedBy === undefined) return [grantKey(key, card), grantKey(key, card, true)]
  const parent = askedBy === mainAgentId ? who : { ...who, agent: askedBy }
  return [grantKey(key, card), grantKey(key, { ...card, requestedBy: parent }, true)]
}
