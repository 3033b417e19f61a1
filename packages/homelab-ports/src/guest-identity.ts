import type { Guest, GuestIdentity, Task } from 'protocol'

/**
 * What tells a guest from others that had its number, or will have it. `ctime`: when Proxmox made it, Unix ms; containers have none, and a clone may
 * keep that of its original. `uuid`: of its SMBIOS. `macs`: of its network cards. `digest`: of the whole configuration. `remade`: the newest task that
 * made, destroyed or restored it.
 */
export type GuestMarks = {
  type: Guest['type']
  ctime?: number
  uuid?: string
  macs: readonly string[]
  digest?: string
  remade?: Remade
}
/** `at`: start of the task by Proxmox's clock, Unix ms. */
export type Remade = { what: 'created' | 'destroyed' | 'restored'; at: number }

const remakers: Record<string, Remade['what']> = { create: 'created', destroy: 'destroyed', restore: 'restored' }

/**
 * The newest task that made, destroyed or restored this number. A clone's task names its original. One that failed changed nothing, and one that
 * destroys has not done so before its end.
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
    // Times are whole seconds, and what is there was made after what was destroyed.
    if (newest === undefined || at > newest.at || (at === newest.at && newest.what === 'destroyed'))
      newest = { what, at }
  }
  return newest
}

/** While a guest is made, cloned or restored, its configuration does not have its marks yet. */
export const isBeingMade = (lock: unknown): boolean => lock === 'create' || lock === 'clone'

/** The marks in a guest's configuration, or in that of a backup. */
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

/** The nodes' clocks, and ours, differ a little. */
const slackMs = 60_000

/**
 * Whether two sights of a number are of one guest. A guest that comes back from its own backup is the same. @param before with when it was last
 * known, Unix ms @returns `unknown` where nothing proves either
 */
export function sameGuest(before: GuestMarks & { at: number }, now: GuestMarks): 'same' | 'other' | 'unknown' {
  if (before.type !== now.type) return 'other'
  if (before.ctime !== undefined && now.ctime !== undefined && before.ctime !== now.ctime) return 'other'
  const news = newsOf(before, now)
  const cards = cardsOf(before, now)
  if (before.uuid !== undefined && now.uuid !== undefined) {
    if (before.uuid === now.uuid) return 'same'
    // A person can write another one into its settings; a clone has new cards too.
    return cards === 'apart' ? 'other' : cards === 'shared' && news === undefined ? 'same' : 'unknown'
  }
  if (news === 'created') return 'other'
  if (news === 'destroyed') return cards === 'shared' ? 'unknown' : 'other'
  if (news === 'restored') return cards === 'shared' ? 'same' : cards === 'apart' ? 'other' : 'unknown'
  const isUnchanged = before.digest !== undefined && before.digest === now.digest
  return cards === 'shared' || isUnchanged ? 'same' : 'unknown'
}

/** Returns how the number was made anew since it was last known. Tasks that were known before do not count: a node that is back lists old ones. */
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
 * Whether what was so of a number at `at`, Unix ms, was so of the guest that has it now. @param guest undefined: it is not known which one has it
 * @returns `unknown` where that cannot be proven
 */
export function whoseAt(guest: GuestIdentity | undefined, at: number): 'own' | 'earlier' | 'unknown' {
  if (guest === undefined) return 'unknown'
  if (at >= guest.since) return 'own'
  return at < (guest.notBefore ?? 0) || at <= (guest.earlier?.until ?? 0) ? 'earlier' : 'unknown'
}

/**
 * Whether something that was kept of a number is of the guest that has it now.
 * @param kept `identity`: of the guest that was meant, where it was known; `at`: when it was kept
 */
export function whoseIs(
  guest: GuestIdentity | undefined,
  kept: { identity?: Pick<GuestIdentity, 'id'> | undefined; at: number },
): 'own' | 'earlier' | 'unknown' {
  if (guest === undefined || kept.identity === undefined) return whoseAt(guest, kept.at)
  return kept.identity.id === guest.id ? 'own' : guest.isDoubtful === true ? 'unknown' : 'earlier'
}
