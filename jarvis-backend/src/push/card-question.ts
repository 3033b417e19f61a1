import { named } from '../gate/index.ts'
import type { Card } from '../protocol/index.ts'

const power = /^(start|stop|restart)_(vm|container)$/

/** What a card asks, short enough for a locked screen: `restart VM 123 frigate on pve?` No argument that is not a target. */
export function cardQuestion({ toolName, toolInput, target }: Pick<Card, 'toolName' | 'toolInput' | 'target'>): string {
  const place = target.node === undefined ? '' : ` on ${named(target.node)}`
  const [, action, kind] = power.exec(toolName) ?? []
  if (action !== undefined && target.vmid !== undefined) {
    const name = target.name === undefined ? '' : ` ${named(target.name)}`
    const verb = toolInput.force === true ? `${action}, by cutting its power,` : action
    return `${verb} ${kind === 'vm' ? 'VM' : 'CT'} ${target.vmid}${name}${place}?`
  }
  return `run ${named(toolName)}${place}?`
}
