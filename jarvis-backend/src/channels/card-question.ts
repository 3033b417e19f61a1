import type { Card } from 'protocol'
import { named } from 'redaction/visible'

/** Matches a card's `deed` that names only settings known to Proxmox: `change memory, cores of 104`. */
const ofSettings = /^(change [a-z\d, ]+) of \d+$/

/**
 * Returns a card's question in a few words for a locked screen: `restart VM 123 frigate on pve?`, `change memory of CT 104 jellyfin on pve?` The
 * question names the target and the changed settings, but no argument.
 */
export function cardQuestion({
  toolName,
  target,
  effect,
  deed,
}: Pick<Card, 'toolName' | 'target' | 'effect' | 'deed'>): string {
  const place = target.node === undefined ? '' : ` on ${named(target.node)}`
  if (target.vmid === undefined) return `run ${named(toolName)}${place}?`
  const name = target.name === undefined ? '' : ` ${named(target.name)}`
  const guest = `${target.type === 'ct' ? 'CT' : 'VM'} ${target.vmid}${name}${place}`
  if (effect?.kind === 'power' && effect.action !== undefined) {
    const verb = effect.isForced === true ? `${effect.action}, by cutting its power,` : effect.action
    return `${verb} ${guest}?`
  }
  const settings = ofSettings.exec(deed ?? '')?.[1]
  return settings === undefined ? `run ${named(toolName)} for ${guest}?` : `${settings} of ${guest}?`
}
