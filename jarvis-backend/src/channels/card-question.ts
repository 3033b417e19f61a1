import type { Card } from '../protocol/index.ts'
import { named } from '../redaction/visible.ts'

/** A card's question in a few words for a locked screen: `restart VM 123 frigate on pve?` It names the target and no other argument. */
export function cardQuestion({ toolName, target, effect }: Pick<Card, 'toolName' | 'target' | 'effect'>): string {
  const place = target.node === undefined ? '' : ` on ${named(target.node)}`
  if (effect?.kind === 'power' && effect.action !== undefined && target.vmid !== undefined) {
    const name = target.name === undefined ? '' : ` ${named(target.name)}`
    const verb = effect.isForced === true ? `${effect.action}, by cutting its power,` : effect.action
    return `${verb} ${target.type === 'ct' ? 'CT' : 'VM'} ${target.vmid}${name}${place}?`
  }
  return `run ${named(toolName)}${place}?`
}
