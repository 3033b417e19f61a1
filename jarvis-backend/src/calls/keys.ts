import { rightsOf } from '../agent/principal.ts'
import { hashOf } from '../lib/canonical.ts'
import type { Card, Target, ToolInput } from '../protocol/index.ts'

/**
 * What makes two calls the same to a person: tool, arguments and target. SHA-256 in hex. The argument `node` is left
 * out: for a guest it is only a hint, and elsewhere the target's id says it.
 */
export function callKey({ toolName, input, target }: { toolName: string; input: ToolInput; target: Target }): string {
  const { node: _, ...rest } = input
  return hashOf({ version: 1, toolName, input: rest, target: target.id })
}

/**
 * What a grant is bound to: the same call about a target of the same name, asked for by the same rule, by the same kind
 * of principal: what was granted to the chat serves no MCP client or job, one MCP token's or job's grant no other, and one agent's
 * no other agent. What has no agent is main's. What an agent is granted serves none that it asks, nor the other way round.
 */
export function grantKey(key: string, { rule, target, requestedBy }: Pick<Card, 'rule' | 'target' | 'requestedBy'>) {
  const { kind, token, name, job, agent, for: askedBy } = requestedBy
  const asker = rightsOf(requestedBy).sharesGrants ? undefined : name
  return hashOf({ version: 1, key, rule, name: target.name, kind, token, asker, job, agent, askedBy })
}
