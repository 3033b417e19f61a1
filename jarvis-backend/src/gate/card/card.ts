import { percent, spanOf } from '../../lib/words.ts'
import { attachedServerOf, type Card, type Guest, type Target, type Verdict } from '../../protocol/index.ts'
import { named, plainWord, quoted } from '../../redaction/visible.ts'
import type { Call } from '../rule.ts'
import { powerOf } from '../target.ts'
import { guestOf, taskAtWork } from '../topology/topology.ts'
import { serviceNames } from '../topology/units.ts'
import type { World } from '../world.ts'
import { guestAffects, nodeAffects } from './affects.ts'
import { sentenceOf } from './sentence.ts'

export type CardFacts = Pick<Card, 'sentence' | 'now' | 'then' | 'affects' | 'reason' | 'reasons'>

/**
 * A confirmation card's facts, from the canonical arguments and the cluster's state alone; what others named stands in
 * them in quotes and with visible escapes. @param now Unix ms.
 */
export function describe(
  call: Pick<Call, 'toolName' | 'input'>,
  target: Target,
  world: World,
  verdict: Verdict,
  now: number,
): CardFacts {
  const power = powerOf(call.toolName)
  const guest = guestOf({ target, world })
  const { reason, reasons } = verdict
  const why = { reason, ...(reasons !== undefined && { reasons: [...reasons] }) }
  const sentence = sentenceOf(call, target, guest)
  if (power !== undefined && guest !== undefined) {
    return {
      sentence,
      now: guestNow(guest, world, now),
      then: guest.isTemplate
        ? 'a template: it never runs'
        : guestThen(power.action, guest.status, call.input.force === true),
      affects: guestAffects(power.action, guest, world, now),
      ...why,
    }
  }
  const server = attachedServerOf(call.toolName)
  if (server !== undefined) {
    return {
      sentence,
      now: `not known: ${named(server)} is a server of its own`,
      then: 'the call runs once, with the arguments shown',
      affects: `Whatever ${named(server)} can reach; JARVIS cannot tell`,
      ...why,
    }
  }
  const service = target.kind === 'service' ? target.name : undefined
  return {
    sentence,
    now: `${service === undefined ? '' : `${serviceNow(service, target)}; `}${nodeNow(target, world, now)}`,
    then: otherThen(call.toolName, service, target),
    affects: nodeAffects(target, world, service),
    ...why,
  }
}

function guestNow(guest: Guest, world: World, now: number): string {
  const { status, lock, isHa, haState, backupAt } = guest
  const place = `on ${named(guest.node)}`
  return [
    status === 'running'
      ? [
          `running${guest.uptimeS === null ? '' : ` for ${spanOf(guest.uptimeS)}`} ${place}`,
          guest.cpuRatio === null ? undefined : `CPU ${percent(guest.cpuRatio)}`,
        ]
          .filter((part) => part !== undefined)
          .join(', ')
      : status === 'unknown'
        ? `not known: ${unseenWhy(world) ?? `${named(guest.node)} does not answer`}`
        : `${guest.isTemplate ? 'a template' : status} ${place}`,
    lock === undefined ? taskAtWork(guest, world) : `locked (${plainWord(lock)})`,
    haState !== undefined ? `managed by HA (${plainWord(haState)})` : isHa ? 'managed by HA' : undefined,
    backupAt === undefined
      ? 'no backup known'
      : backupAt === null
        ? 'backups not known'
        : `last backup ${spanOf((now - backupAt) / 1000)} old`,
    status === 'unknown' ? undefined : unseenWhy(world),
  ]
    .filter((part) => part !== undefined)
    .join(', ')
}

/** Why what the card says is old, or not known; undefined while the cluster can be read. */
function unseenWhy({ cluster: { unreachableSince, missing } }: World): string | undefined {
  return unreachableSince === undefined
    ? undefined
    : `the cluster cannot be read now, ${quoted(missing?.[0] ?? 'no answer', 200)}`
}

function guestThen(action: 'start' | 'stop' | 'restart', status: Guest['status'], isForced: boolean): string {
  if (action === 'start') return status === 'running' ? 'running already: nothing to start' : `${status} → running`
  if (status === 'stopped') {
    return action === 'stop' ? 'stopped already: nothing to stop' : 'stays stopped: only a running guest restarts'
  }
  if (isForced) {
    const end = action === 'stop' ? 'off at once' : 'off at once → running'
    return `${status} → ${end}: unsaved data is lost`
  }
  if (status === 'paused') return `paused → paused: a paused guest cannot ${action} cleanly`
  return action === 'stop' ? `${status} → stopped, clean shutdown` : `${status} → off 1 min → running, clean reboot`
}

function nodeNow({ node: name }: Target, world: World, now: number): string {
  const { cluster } = world
  const why = unseenWhy(world)
  const node = cluster.nodes.find((candidate) => candidate.name === name)
  if (node === undefined) return 'not known'
  if (node.status !== 'online') {
    const seen = node.lastSeenAt === undefined ? '' : `, last seen ${spanOf((now - node.lastSeenAt) / 1000)} ago`
    return `${named(node.name)} is ${node.status}${seen}${why === undefined ? '' : `: ${why}`}`
  }
  const up = node.uptimeS === undefined ? '' : ` for ${spanOf(node.uptimeS)}`
  return `${named(node.name)} is online${up}${node.cpuRatio === undefined ? '' : `, CPU ${percent(node.cpuRatio)}`}${why === undefined ? '' : `; ${why}`}`
}

function serviceNow(service: string, { unit }: Target): string {
  if (unit === undefined) return `state of ${named(service)} not known`
  const alias = serviceNames(service, { unit })[0] === unit.id ? '' : ` (${named(unit.id)})`
  return `${named(service)}${alias} is ${plainWord(unit.activeState)} (${plainWord(unit.subState)})`
}

function otherThen(toolName: string, service: string | undefined, { unit }: Target): string {
  if (service !== undefined && unit !== undefined && unit.activeState !== 'active')
    return `${named(service)}: ${plainWord(unit.activeState)} → started`
  if (service !== undefined) return `${named(service)} stops, then starts again`
  if (toolName === 'wake_node') return 'offline → online, in some minutes'
  return toolName === 'execute_ssh' ? 'the command runs once' : 'the call runs once'
}
