import { firstOf, spanOf } from 'node-kit/words'
import type { Guest, Target } from 'protocol'
import { named, plainWord } from 'redaction/visible'
import { restartCost } from 'ssh-grammar/services'
import { groupsOf, haTransition, isOwnGuest, isOwnNode, lossesWithout, taskAtWork } from '../topology/topology.ts'
import { serviceNames } from '../topology/units.ts'
import type { World } from '../world.ts'

const dayMs = 86_400_000
/** A card mentions a guest's newest backup if the backup is older than this, ms. */
const oldBackupMs = 2 * dayMs
const nothingFound = 'Nothing else found (HA, locks, tasks, name, tags, groups, backup age checked)'

/**
 * Describes what else is affected when a guest starts, stops or restarts. @param action absent: the guest's power state does not change @param
 * seen.now Unix ms
 */
export function guestAffects(
  action: 'start' | 'stop' | 'restart' | undefined,
  guest: Guest,
  { world, now }: { world: World; now: number },
): string {
  const found: string[] = []
  const { lock, backupAt, backupDoubt } = guest
  if (guest.isHa && action !== undefined) {
    found.push(
      action === 'start'
        ? 'Managed by HA: HA may start it on another node'
        : 'Managed by HA: the request goes to HA, which may start it elsewhere',
    )
  }
  if (lock !== undefined) {
    found.push(
      lock === 'backup' ? 'A backup is running; the task may fail' : `Locked by ${plainWord(lock)}; the task may fail`,
    )
  }
  const busy = [lock === undefined ? taskAtWork(guest, world) : undefined, haTransition(guest)]
  for (const what of busy) if (what !== undefined) found.push(`${sentenceCase(what)}; the task may fail`)
  if (action !== 'start') {
    // A stopped guest serves nobody, so nothing depends on it now.
    if (guest.status !== 'stopped' && action !== undefined) found.push(...dependents(guest, world))
    if (backupAt === null) found.push('Whether it has a backup is not known')
    else if (backupAt === undefined)
      found.push(
        backupDoubt === undefined
          ? 'No backup of it is known'
          : `No backup of it is known: the newest under its number is ${backupDoubt}`,
      )
    else {
      if (backupDoubt !== undefined) found.push(`Whether its last backup is its own is not known: ${backupDoubt}`)
      if (now - backupAt > oldBackupMs) found.push(`Its last backup is ${spanOf((now - backupAt) / 1000)} old`)
    }
  }
  return found.length === 0 ? nothingFound : found.join('. ')
}

const sentenceCase = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

function dependents(guest: Guest, world: World): string[] {
  const inGroups = groupsOf(guest, world).map(({ name, running }) =>
    running.length === 0
      ? `Nobody is left running of the group ${named(name)}`
      : `Of the group ${named(name)} still runs ${firstOf(
          running.map(({ vmid }) => vmid),
          8,
        )}`,
  )
  return [...lossesWithout(guest, world), ...inGroups]
}

/** Names the guests on the node, and what a restart of the service may do to them. */
export function nodeAffects({ node, unit }: Target, world: World, service: string | undefined): string {
  if (node === undefined) return 'Not known'
  const onNode = world.cluster.guests.filter((guest) => guest.node === node)
  const here = onNode.filter(({ status }) => status === 'running')
  const isIn = here.some(({ vmid }) => isOwnGuest(vmid, world))
  const own = isIn ? ", JARVIS's own among them" : isOwnNode(node, world) ? ', and JARVIS itself' : ''
  const isUnknown =
    world.cluster.unread?.includes('guests') === true || onNode.some(({ status }) => status === 'unknown')
  const guests = isUnknown
    ? `How many guests run on ${named(node)} is not known`
    : `${here.length} ${here.length === 1 ? 'guest runs' : 'guests run'} on ${named(node)}${own}`
  const costly = serviceNames(service ?? '', { unit }).find((name) => restartCost(name) !== undefined)
  return costly === undefined ? guests : `Restarting ${named(costly)} ${restartCost(costly)}; ${guests}`
}
