import type { Card, Guest, Target, Verdict } from '../protocol/index.ts'
import type { Call } from './rule.ts'
import { restartCost } from './services.ts'
import { powerOf } from './target.ts'
import { guestOf } from './topology.ts'
import type { World } from './world.ts'

export type CardFacts = Pick<Card, 'now' | 'then' | 'affects' | 'reason'>

const dayMs = 86_400_000
/** From here on a backup is too old to stop a guest without a word about it. */
const oldBackupMs = 2 * dayMs
const nothingFound = 'Nothing else found (HA, locks, tags, backup age checked)'

/** What a tag says a guest serves, and who suffers while it is away. */
const served = new Map<string, string>([
  ...['dns', 'pihole', 'adguard'].map(role('other guests may lose name resolution')),
  ...['dhcp'].map(role('other machines may lose their addresses')),
  ...['gateway', 'router', 'firewall', 'opnsense', 'pfsense'].map(role('other guests may lose the network')),
  ...['vpn', 'wireguard', 'tailscale'].map(role('who comes in through it is cut off')),
  ...['storage', 'nas', 'nfs', 'smb', 'iscsi', 'truenas'].map(role('guests that use its disks may stall')),
  ...['db', 'database', 'postgres', 'mysql', 'mariadb'].map(role('what keeps data in it may fail')),
  ...['proxy', 'reverse-proxy', 'ingress', 'traefik', 'nginx'].map(role('what is reached through it is away')),
  ...['auth', 'ldap', 'sso', 'keycloak', 'authentik'].map(role('signing in elsewhere may fail')),
  ...['backup', 'pbs'].map(role('backups may fail')),
])

function role(effect: string) {
  return (tag: string): [string, string] => [tag, effect]
}

/** A confirmation card's facts, from the cluster's state alone. @param now Unix ms. */
export function describe(
  call: Pick<Call, 'toolName' | 'input'>,
  target: Target,
  world: World,
  verdict: Verdict,
  now: number,
): CardFacts {
  const power = powerOf(call.toolName)
  const guest = guestOf({ target, world })
  if (power !== undefined && guest !== undefined) {
    return {
      now: guestNow(guest, now),
      then: guestThen(power.action, guest.status, call.input.force === true),
      affects: guestAffects(power.action, guest, now),
      reason: verdict.reason,
    }
  }
  const service = target.kind === 'service' ? target.name : undefined
  return {
    now: `${service === undefined ? '' : `state of ${service} not known; `}${nodeNow(target, world, now)}`,
    then: otherThen(call.toolName, service),
    affects: nodeAffects(target, world, service),
    reason: verdict.reason,
  }
}

function guestNow(guest: Guest, now: number): string {
  const { status, lock, isHa, backupAt } = guest
  return [
    status === 'running'
      ? `running for ${spanOf(guest.uptimeS)}, CPU ${percent(guest.cpuRatio)}`
      : status === 'unknown'
        ? 'not known: its node does not answer'
        : status,
    lock === undefined ? undefined : `locked (${plain(lock)})`,
    isHa ? 'managed by HA' : undefined,
    backupAt === undefined ? 'no backup known' : `last backup ${spanOf((now - backupAt) / 1000)} old`,
  ]
    .filter((part) => part !== undefined)
    .join(', ')
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
  return action === 'stop'
    ? `${status} → stopped, clean shutdown`
    : `${status} → off about a minute → running, clean reboot`
}

function guestAffects(action: 'start' | 'stop' | 'restart', guest: Guest, now: number): string {
  const found: string[] = []
  const { lock, backupAt } = guest
  if (guest.isHa) {
    found.push(
      action === 'start'
        ? 'Managed by HA: HA may start it on another node'
        : 'Managed by HA: the request goes to HA, which may start it elsewhere',
    )
  }
  if (lock !== undefined) {
    found.push(
      lock === 'backup' ? 'A backup is running; the task may fail' : `Locked by ${plain(lock)}; the task may fail`,
    )
  }
  if (action !== 'start') {
    for (const tag of guest.tags) {
      const effect = served.get(tag.toLowerCase())
      if (effect !== undefined) found.push(`Tagged ${plain(tag)}: ${effect}`)
    }
    if (backupAt === undefined) found.push('No backup of it is known')
    else if (now - backupAt > oldBackupMs) found.push(`Its last backup is ${spanOf((now - backupAt) / 1000)} old`)
  }
  return found.length === 0 ? nothingFound : found.join('. ')
}

function nodeNow({ node: name }: Target, { cluster }: World, now: number): string {
  const node = cluster.nodes.find((candidate) => candidate.name === name)
  if (node === undefined) return 'not known'
  if (node.status !== 'online') {
    const seen = node.lastSeenAt === undefined ? '' : `, last seen ${spanOf((now - node.lastSeenAt) / 1000)} ago`
    return `${node.name} is ${node.status}${seen}`
  }
  const up = node.uptimeS === undefined ? '' : ` for ${spanOf(node.uptimeS)}`
  return `${node.name} is online${up}${node.cpuRatio === undefined ? '' : `, CPU ${percent(node.cpuRatio)}`}`
}

function otherThen(toolName: string, service: string | undefined): string {
  if (service !== undefined) return `${service} stops, then starts again`
  if (toolName === 'wake_node') return 'offline → online, in some minutes'
  return toolName === 'execute_ssh' ? 'the command runs once' : 'the call runs once'
}

function nodeAffects({ node }: Target, { cluster }: World, service: string | undefined): string {
  const running = cluster.guests.filter((guest) => guest.node === node && guest.status === 'running').length
  const guests = `${running} ${running === 1 ? 'guest runs' : 'guests run'} on ${node}`
  if (node === undefined) return 'Not known'
  const cost = service === undefined ? undefined : restartCost(service)
  return cost === undefined ? guests : `Restarting ${service} ${cost}; ${guests}`
}

/** Proxmox's words and others' tags, without what could pass for more than a word. */
const plain = (word: string) => word.replace(/[^\w.+-]/g, '').slice(0, 40)

const percent = (ratio: number) => `${Math.round(ratio * 100)} %`

/** `8 d 4 h`, `31 h`, `12 min`, `40 s`. */
function spanOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min`
  const hours = Math.floor(whole / 3_600)
  if (hours < 48) return `${hours} h`
  return hours % 24 === 0 ? `${hours / 24} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
