import type { Card } from 'protocol'
import { named } from 'redaction/visible'

/** A deed of JARVIS's that names nothing but settings that Proxmox knows: `change memory, cores of 104`. */
const ofSettings = /^(change [a-z\d, ]+) of \d+$/

/**
 * A card's question in a few words for a locked screen: `restart VM 123 frigate on pve?`, `change memory of CT 104 jellyfin on pve?` It names the
 * target and what changes of it, and no argument.
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
