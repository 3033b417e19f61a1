import { percent, spanOf } from 'node-kit/words'
import type { Card, Guest, Target, Verdict } from 'protocol'
import { shareOf } from 'protocol/facts'
import { named, plainWord, quoted } from 'redaction/visible'
import type { Effect } from '../effect.ts'
import { storageOf } from '../storages.ts'
import { guestOf, taskAtWork } from '../topology/topology.ts'
import { serviceNames } from '../topology/units.ts'
import type { World } from '../world.ts'
import { guestAffects, nodeAffects } from './affects.ts'
import { sentenceOf } from './sentence.ts'

export type CardFacts = Pick<Card, 'sentence' | 'effect' | 'now' | 'then' | 'affects' | 'reason' | 'reasons'>

/** A call as its card shows it. */
type Shown = { toolName: string; effects: readonly Effect[]; verdict: Verdict }

/**
 * Composes the facts of a confirmation card only from the call's first effect and the cluster's state. Names that other people chose are quoted,
 * with invisible characters escaped. @param now Unix ms
 */
export function describe({ toolName, effects, verdict }: Shown, world: World, now: number): CardFacts {
  const [effect] = effects
  const { reason, reasons } = verdict
  const why = { reason, ...(reasons !== undefined && { reasons: [...reasons] }) }
  if (effect === undefined) throw new Error(`${toolName} was judged without an effect.`)
  const { kind, on, action, type, isForced, target } = effect
  const guest = guestOf({ target, world })
  const touch = { kind, on, ...(action && { action }), ...(type && { type }), ...(isForced && { isForced }) }
  const all = { sentence: sentenceOf(toolName, effect, guest), effect: touch, ...why }
  if (guest !== undefined) {
    const then = powerThen(effect, guest)
    // A rollback also cuts the power. Its power effect has no action, so it counts as a stop.
    const power = effects.find((one) => one.kind === 'power' && one.target.id === target.id)
    const affects = guestAffects(power && (power.action ?? 'stop'), guest, { world, now })
    return { ...all, now: guestNow(guest, world, now), then, affects }
  }
  if (on === 'tool') {
    const server = named(target.name ?? '')
    return {
      ...all,
      now: `not known: ${server} is a server of its own`,
      then: 'the call runs once, with the arguments shown',
      affects: `Whatever ${server} can reach; JARVIS cannot tell`,
    }
  }
  if (on === 'path' || on === 'web' || on === 'container' || on === 'sandbox')
    return { ...all, now: 'not read', then: 'the call runs once', affects: workbenchAffects[on] }
  if (target.kind === 'storage') {
    const affects = 'Not known: which guests keep disks or backups on it is not read'
    return { ...all, now: storageNow(target, world), then: 'the call runs once', affects }
  }
  const service = target.kind === 'service' ? target.name : undefined
  return {
    ...all,
    now: `${service === undefined ? '' : `${serviceNow(service, target)}; `}${nodeNow(target, world, now)}`,
    then: otherThen(effect, service),
    affects: nodeAffects(target, world, service),
  }
}

const workbenchAffects = {
  path: 'Whatever reads these files; JARVIS cannot tell what does',
  web: 'Whoever runs the site learns what the address and the call say',
  container: 'Whatever uses the container; JARVIS cannot tell what does',
  sandbox: 'Nothing outside the sandbox',
} as const

function powerThen({ kind, action, isForced = false }: Effect, guest: Guest): string {
  if (kind !== 'power' || action === undefined) return 'the call runs once'
  return guestThen(action, guest.status, isForced)
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
        ? `not known: ${unseenWhy(world) ?? `${named(guest.node)} ${isOnline(guest.node, world) ? 'does not say whether it runs' : 'does not answer'}`}`
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

/** Returns why the card's facts are old or unknown; undefined while the cluster can be read. */
function unseenWhy({ cluster: { unreachableSince, missing } }: World): string | undefined {
  return unreachableSince === undefined
    ? undefined
    : `the cluster cannot be read now, ${quoted(missing?.[0] ?? 'no answer', 200)}`
}

const isOnline = (node: string, { cluster }: World) =>
  cluster.nodes.some(({ name, status }) => name === node && status === 'online')

function guestThen(action: 'start' | 'stop' | 'restart', was: Guest['status'], isForced: boolean): string {
  const status = was === 'unknown' ? 'not known' : was
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

function storageNow(target: Target, world: World): string {
  const storage = storageOf(target, world)
  const why = unseenWhy(world)
  if (storage === undefined || storage.isActive === null) return `not known${why === undefined ? '' : `: ${why}`}`
  const fill = shareOf(storage.usedBytes, storage.totalBytes)
  const use = typeof fill === 'number' ? `${percent(fill)} full` : 'how full is not known'
  return `${named(storage.name)} is ${storage.isActive ? 'active' : 'inactive'}, ${use}${why === undefined ? '' : `; ${why}`}`
}

function serviceNow(service: string, { unit }: Target): string {
  if (unit === undefined) return `state of ${named(service)} not known`
  const alias = serviceNames(service, { unit })[0] === unit.id ? '' : ` (${named(unit.id)})`
  return `${named(service)}${alias} is ${plainWord(unit.activeState)} (${plainWord(unit.subState)})`
}

const nodeThen = {
  start: 'offline → online, in some minutes',
  restart: 'its guests shut down → offline → online, in some minutes; guests that start with it start again',
  stop: 'its guests shut down → offline, until someone turns it on',
}

function otherThen({ kind, on, action, executes, target: { unit } }: Effect, service: string | undefined): string {
  if (service !== undefined && unit !== undefined && unit.activeState !== 'active')
    return `${named(service)}: ${plainWord(unit.activeState)} → started`
  if (service !== undefined) return `${named(service)} stops, then starts again`
  if (kind === 'power' && on === 'node' && action !== undefined) return nodeThen[action]
  return executes === undefined ? 'the call runs once' : 'the command runs once'
}
