import { hashOf } from 'node-kit/canonical'
import type { Target } from 'protocol'

/**
 * Returns the hash that a confirmation is bound to: SHA-256 in hex over the tool, its arguments, and their target. The hash leaves the target's
 * state out, because the state may change while a person decides. The hash covers the guest's identity and node, so a moved or replaced guest
 * invalidates the card. `basis`: further state on which an approval rests.
 */
export function bindingHash(call: {
  toolName: string
  input: Record<string, unknown>
  target: Target
  basis?: Readonly<Record<string, string>>
}): string {
  const { toolName, input, target, basis } = call
  const { kind, id, node, vmid, type } = target
  return hashOf({ version: 1, toolName, input, target: { kind, id, node, vmid, type }, basis })
}
