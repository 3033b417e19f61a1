import type { Guest, GuestIdentity, Task } from 'protocol'

/**
 * Facts that tell a guest from earlier and later guests with the same vmid. `ctime`: creation time in Proxmox, Unix ms; containers have none, and a
 * clone may keep its original's. `uuid`: SMBIOS UUID. `macs`: MAC addresses of its network cards. `digest`: the digest of the whole configuration.
 * `remade`: the newest task that created, destroyed or restored it.
 */
export type GuestMarks = {
  type: Guest['type']
  ctime?: number
  uuid?: string
  macs: readonly string[]
  digest?: string
  remade?: Remade
}
/** The newest task that remade a guest. `at`: start of the task by Proxmox's clock, Unix ms. */
export type Remade = { what: 'created' | 'destroyed' | 'restored'; at: number }

const remakers: Record<string, Remade['what']> = { create: 'created', destroy: 'destroyed', restore: 'restored' }

/**
 * Returns the newest task that created, destroyed or restored this vmid. A clone's task names its original, so clones are not found. A failed task
 * changed nothing, so it does not count. A destroying task counts only after its end.
 */
export function remadeIn(
  vmid: number,
  tasks: readonly Pick<Task, 'vmid' | 'type' | 'startedAt' | 'status'>[],
): Remade | undefined {
  let newest: Remade | undefined
  for (const task of tasks) {
    if (task.vmid !== vmid || task.status === 'failed') continue
    const what = remakers[/^(?:qm|vz)(create|destroy|restore)$/.exec(task.type)?.[1] ?? '']
    if (what === undefined || (what === 'destroyed' && task.status === 'running')) continue
    const { startedAt: at } = task
    // Task times are whole seconds. If a creation and a destruction have the same time, the creation came later.
    if (newest === undefined || at > newest.at || (at === newest.at && newest.what === 'destroyed'))
      newest = { what, at }
  }
  return newest
}

/** True while a guest is created, cloned or restored. Its configuration does not contain its marks yet. */
export const isBeingMade = (lock: unknown): boolean => lock === 'create' || lock === 'clone'

/** Returns the marks in the configuration of a guest or of a backup. */
export function marksIn(type: Guest['type'], config: Readonly<Record<string, unknown>>): GuestMarks {
  const text = (key: string) => String(config[key] ?? '')
  const seconds = /(?:^|,)ctime=(\d+)/.exec(text('meta'))?.[1]
  const uuid = /(?:^|,)uuid=([0-9a-f-]{36})/i.exec(text('smbios1'))?.[1]
  const macs = Object.keys(config)
    .filter((key) => /^net\d+$/.test(key))
    .flatMap((key) => /=([0-9a-f]{2}(?::[0-9a-f]{2}){5})/i.exec(text(key))?.[1]?.toUpperCase() ?? [])
  return {
    type,
    ...(seconds !== undefined && { ctime: Number(seconds) * 1000 }),
    ...(uuid !== undefined && { uuid: uuid.toLowerCase() }),
    macs: macs.sort(),
    ...(text('digest') !== '' && { digest: text('digest') }),
  }
}

/** Tolerance for differences between the clocks of the nodes and of JARVIS, ms. */
const slackMs = 60_000

/**
 * Decides if two observations of a vmid are of the same guest. A guest that was restored from its own backup is the same. @param before earlier
 * marks; `at`: when they were last seen, Unix ms @returns `unknown` if neither can be proven
 */
export function sameGuest(before: GuestMarks & { at: number }, now: GuestMarks): 'same' | 'other' | 'unknown' {
  if (before.type !== now.type) return 'other'
  if (before.ctime !== undefined && now.ctime !== undefined && before.ctime !== now.ctime) return 'other'
  const news = newsOf(before, now)
  const cards = cardsOf(before, now)
  if (before.uuid !== undefined && now.uuid !== undefined) {
    if (before.uuid === now.uuid) return 'same'
    // Different UUIDs alone prove nothing: a person may have changed the UUID in the settings. A clone has new network cards too.
    return cards === 'apart' ? 'other' : cards === 'shared' && news === undefined ? 'same' : 'unknown'
  }
  if (news === 'created') return 'other'
  if (news === 'destroyed') return cards === 'shared' ? 'unknown' : 'other'
  if (news === 'restored') return cards === 'shared' ? 'same' : cards === 'apart' ? 'other' : 'unknown'
  const isUnchanged = before.digest !== undefined && before.digest === now.digest
  return cards === 'shared' || isUnchanged ? 'same' : 'unknown'
}

/**
 * Returns how the vmid was created, destroyed or restored since `before`; undefined if it was not. Tasks that were known before do not count,
 * because a node that is back lists old tasks.
 */
function newsOf(before: GuestMarks & { at: number }, { remade }: GuestMarks): Remade['what'] | undefined {
  if (remade === undefined) return undefined
  const last = before.remade
  const isOld =
    last === undefined ? remade.at <= before.at - slackMs : remade.at <= last.at && remade.what === last.what
  return isOld || (last !== undefined && remade.at < last.at) ? undefined : remade.what
}

function cardsOf({ macs: one }: GuestMarks, { macs: other }: GuestMarks): 'shared' | 'apart' | 'none' {
  if (one.length === 0 || other.length === 0) return 'none'
  return one.some((mac) => other.includes(mac)) ? 'shared' : 'apart'
}

/**
 * Decides if something observed at `at` (Unix ms) under a vmid belongs to the guest that has the vmid now. @param guest undefined: it is not known
 * which guest has the vmid
 * @returns `earlier`: it belongs to an earlier guest; `unknown`: neither can be proven
 */
export function whoseAt(guest: GuestIdentity | undefined, at: number): 'own' | 'earlier' | 'unknown' {
  if (guest === undefined) return 'unknown'
  if (at >= guest.since) return 'own'
  return at < (guest.notBefore ?? 0) || at <= (guest.earlier?.until ?? 0) ? 'earlier' : 'unknown'
}

/**
 * Decides if something stored under a vmid belongs to the guest that has the vmid now.
 * @param kept `identity`: the identity of the guest for which it was stored, if known; `at`: when it was stored, Unix ms
 */
export function whoseIs(
  guest: GuestIdentity | undefined,
  kept: { identity?: Pick<GuestIdentity, 'id'> | undefined; at: number },
): 'own' | 'earlier' | 'unknown' {
  if (guest === undefined || kept.identity === undefined) return whoseAt(guest, kept.at)
  return kept.identity.id === guest.id ? 'own' : guest.isDoubtful === true ? 'unknown' : 'earlier'
}
